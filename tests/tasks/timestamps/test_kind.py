"""The task kind of words and segments with known times."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, Generation, Sample, Segment, Spec, compare, evaluate, score
from auricle.core.errors import ExitStatus
from auricle.core.types import RejectedRow
from auricle.engine.factory import build_task
from auricle.engine.task import Task
from auricle.models.catalogue import MODELS

RATE = 8000
WORDS: list[Any] = [["good", 0.2, 0.5], ["day", 0.5, 0.9], ["sir", 1.2, 1.6]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    soundfile.write(tmp_path / "clip.wav", np.zeros(2 * RATE, dtype=np.float32), RATE)
    return tmp_path


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"audio": "clip.wav", **row}) for row in rows))
    return path


def make_task(folder: Path, *rows: Any, **arguments: Any) -> Task:
    task_args = {"data": str(write(folder, *rows)), **arguments}
    return build_task(Spec(task="timestamps", task_args=task_args, model="echo"))


def read_sample(folder: Path, row: Any) -> Sample:
    (sample,) = make_task(folder, row).samples
    assert isinstance(sample, Sample), sample.reason
    return sample


def read_reason(folder: Path, row: Any) -> str:
    (sample,) = make_task(folder, row).samples
    assert isinstance(sample, RejectedRow)
    return sample.reason


def test_words_are_the_target_unless_the_row_has_a_text(folder: Path) -> None:
    sample = read_sample(folder, {"words": WORDS})
    assert sample.target == "good day sir"
    assert sample.meta["words"] == WORDS
    assert read_sample(folder, {"words": WORDS, "text": "Good day, sir."}).target == "Good day, sir."


def test_words_may_be_mappings_or_a_cell_with_json(folder: Path) -> None:
    mappings = [{"word": word, "start": start, "end": end} for word, start, end in WORDS]
    assert read_sample(folder, {"words": mappings}).meta["words"] == WORDS
    assert read_sample(folder, {"words": json.dumps(WORDS)}).meta["words"] == WORDS


def test_words_may_be_in_a_file_relative_to_the_data(folder: Path) -> None:
    (folder / "all.ctm").write_text("clip 1 0.2 0.3 good\nother 1 0 1 bye\n")
    assert read_sample(folder, {"words": "all.ctm"}).meta["words"] == [["good", 0.2, 0.5]]
    (folder / "words.json").write_text(json.dumps({"words": WORDS}))
    assert read_sample(folder, {"words": "words.json"}).meta["words"] == WORDS


def test_no_words_are_a_reference_of_silence(folder: Path) -> None:
    assert read_sample(folder, {"words": []}).target == ""


def test_words_beyond_their_recording_are_noted_before_a_run(folder: Path) -> None:
    late = [["late", 2.0, 2.5]]
    (note,) = make_task(folder, {"words": WORDS}, {"words": late}, {"words": late}).notes("echo", {})
    assert note.startswith("2 of the first 3 rows are not scored. rows.jsonl:2: the reference ends at 2.500 s")


def test_segments_need_no_text(folder: Path) -> None:
    sample = read_sample(folder, {"segments": [{"start": 0, "end": 1}]})
    assert sample.target is None
    assert sample.meta["segments"] == [{"start": 0.0, "end": 1.0, "text": ""}]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "no reference: expected the column words or segments"),
        ({"words": "none.ctm"}, "words: no such file: .*none.ctm"),
        ({"words": [["a", 1, 0.5]]}, "words: word 1 .* ends at 0.5 s, before its start at 1 s"),
        ({"words": [["", 1, 1.5]]}, "words: the word at 1 s has no text"),
        ({"words": 7}, "words: expected a list of segments, got 7"),
        ({"segments": [{"start": "x", "end": 2}]}, "segments: segment 1: start is 'x'"),
    ],
)
def test_wrong_rows_are_rejected_with_the_reason(folder: Path, row: Any, reason: str) -> None:
    assert re.search(reason, read_reason(folder, row))


def test_the_metrics_are_those_of_times_and_of_transcripts(folder: Path) -> None:
    names = [metric.name for metric in make_task(folder, {"words": WORDS}).metrics]
    assert names[0] == "boundary_recall_50ms"
    assert {"start_error", "word_coverage", "invalid_times", "wer"} <= {*names}


def make_model(late: float, factor: int) -> str:
    """Register a model that knows the words of `WORDS`, late by a constant and up to 60 ms that depend on the clip."""

    def recognise(audio: Audio) -> Generation:
        late_by = late + len(audio.decode(RATE)) * factor % 7 / 100
        segments = tuple(Segment(start + late_by, end + late_by, word) for word, start, end in WORDS)
        return Generation(text="good day sir", segments=segments)

    return MODELS.add_object(recognise)


def run(data: Path, out: Path, model: str) -> Any:
    return evaluate(Spec(task="timestamps", task_args={"data": str(data)}, model=model), out).metrics


def make_recordings(folder: Path, count: int = 14) -> Path:
    for index in range(count):
        soundfile.write(folder / f"{index}.wav", np.zeros(2 * RATE + index, dtype=np.float32), RATE)
    return write(folder, *({"id": str(index), "audio": f"{index}.wav", "words": WORDS} for index in range(count)))


def test_a_shift_of_100_ms_between_two_runs_is_found_with_its_interval(folder: Path) -> None:
    data = make_recordings(folder)
    run(data, folder / "before", make_model(0.0, factor=1))
    run(data, folder / "after", make_model(0.1, factor=3))
    rows = {row.metric: row for row in compare(folder / "before", folder / "after").rows}
    for metric in ("start_error", "start_bias", "end_error", "end_bias"):
        row = rows[metric]
        assert row.difference == pytest.approx(0.1)
        assert 0 < row.low < 0.1 < row.high < 0.2
        assert row.p < 0.01


def test_a_model_without_times_gets_only_the_metrics_of_transcripts(folder: Path) -> None:
    spec = Spec(
        task="timestamps",
        task_args={"data": str(make_recordings(folder, 3))},
        model=MODELS.add_object(lambda audio: "good day sir"),
    )
    result = evaluate(spec, folder / "run")
    assert {number.metric: number.value for number in result.numbers} == {"wer": 0.0, "cer": 0.0}
    for scored in (result, score(folder / "run")):
        assert (scored.missing_headline, scored.exit_status) == ("boundary_recall_50ms", ExitStatus.FAILURES)


def test_rows_of_segments_are_scored_by_their_boundaries(folder: Path) -> None:
    segments = [{"start": 0.2, "end": 0.9}, {"start": 1.2, "end": 1.6}]
    data = write(folder, *({"id": str(index), "segments": segments} for index in range(3)))
    metrics = run(data, folder / "run", MODELS.add_object(lambda audio: segments))
    numbers = {number.metric: number for number in metrics.overall}
    assert numbers["segmentation_f1_50ms"].value == 1.0
    assert numbers["invalid_times"].value == 0.0
    assert metrics.outcomes.failed == 0


def test_the_report_has_the_curve_of_errors_and_the_worst_words(folder: Path) -> None:
    run(make_recordings(folder, 8), folder / "run", make_model(0.1, factor=1))
    page = (folder / "run" / "report.html").read_text()
    assert 'id="timestamps"' in page
    assert "Share of boundaries within each error" in page
    assert "Words with the largest errors" in page
    assert "in the reference and in the answer" in page
