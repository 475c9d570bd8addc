"""Tests of the groups of a run's samples, by metadata and by signal."""

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from auricle import score
from auricle.runs.metrics import Metrics, Number, read_metrics
from auricle.runs.sound_measures import SIGNALS_FILE, measure_run
from auricle.scoring.gaps import load_gaps
from auricle.scoring.grouped_stats import MIN_RECORDINGS, add_slices, load_groups
from tests.support.app_runs import make_run, write_speech_data

COUNT = 48


def reduce_level(path: Path) -> None:
    """Divide the samples of a WAV file by 100."""
    with wave.open(str(path), "rb") as file:
        parameters, samples = file.getparams(), np.frombuffer(file.readframes(file.getnframes()), "<i2")
    with wave.open(str(path), "wb") as file:
        file.setparams(parameters)
        file.writeframes((samples // 100).tobytes())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("groups")
    data = write_speech_data(folder, COUNT)
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    for row in rows[::2]:
        reduce_level(folder / row["audio"])
    data.write_text("".join(json.dumps({**row, "speaker": row["id"]}) + "\n" for row in rows))
    return make_run(folder / "run", "asr", data, "Recogniser", {"metrics": "wer,cer"}, error_rate=0.3)


@pytest.fixture
def metrics(run: Path) -> Metrics:
    metrics = read_metrics(run)
    assert metrics
    return metrics


def by_group(metrics: Metrics, field: str, metric: str = "wer") -> dict[str, Number]:
    return {number.group: number for number in metrics.numbers if (number.field, number.metric) == (field, metric)}


def test_groups_by_metadata_have_the_published_numbers(run: Path, metrics: Metrics) -> None:
    groups = load_groups(run, metrics)
    assert len(by_group(metrics, "accent")) == 2
    for overall in metrics.overall:
        grouped = groups.group(run, overall)
        assert grouped
        computed = {number.group: number for number in grouped.compute_numbers("accent", overall)}
        published = by_group(metrics, "accent", overall.metric)
        for group, number in published.items():
            ours = computed[group]
            assert (ours.value, ours.low, ours.high) == pytest.approx((number.value, number.low, number.high))
            assert (ours.interval, ours.units, ours.scored, ours.total, ours.cluster) == (
                *(number.interval, number.units, number.scored, number.total, number.cluster),
            )


def test_slices_cover_all_samples_and_name_those_that_were_not_measured(run: Path, metrics: Metrics) -> None:
    (run / SIGNALS_FILE).unlink(missing_ok=True)
    assert load_groups(run, metrics).unmeasured == COUNT
    assert by_group(add_slices(run, metrics, ["level"]), "level").keys() == {"unknown"}
    assert len(list(measure_run(run, lambda audio: audio))) == COUNT
    assert load_groups(run, metrics).unmeasured == 0
    sliced = add_slices(run, metrics, ["level", "duration"])
    assert sum(number.scored for number in by_group(sliced, "level").values()) == COUNT
    assert "unknown" not in by_group(sliced, "level")
    assert sliced.numbers[: len(metrics.numbers)] == metrics.numbers


def test_gaps_of_a_run_are_those_of_its_metadata_fields(run: Path, metrics: Metrics) -> None:
    gaps = load_gaps(run, metrics)
    assert [(gap.field, gap.group, gap.n) for gap in gaps] == [("accent", "north", 24), ("accent", "south", 24)]
    values = by_group(metrics, "accent")
    assert gaps[0].difference == pytest.approx(float(values["north"].value or 0) - float(values["south"].value or 0))


def test_report_shows_slices_only_if_all_recordings_were_measured(run: Path) -> None:
    assert COUNT >= MIN_RECORDINGS
    (run / SIGNALS_FILE).write_bytes(b"")
    score(run)
    page, before = (run / "report.html").read_text(encoding="utf-8"), read_metrics(run)
    assert "Differences between groups" in page
    assert "−20 dB or more" not in page
    list(measure_run(run, lambda audio: audio))
    score(run)
    assert "−20 dB or more" in (run / "report.html").read_text(encoding="utf-8")
    after = read_metrics(run)
    assert before
    assert after
    assert after.numbers == before.numbers  # published numbers do not depend on what was measured
