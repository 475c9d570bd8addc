"""Tests of pairing the samples of two runs."""

from pathlib import Path

import pandas as pd

from auricle.app import run_data
from auricle.app.sample_pairs import ABSENT, SECOND_COLUMN, add_second_run
from tests.support.app_runs import make_run, write_rows, write_tone


def write_data(path: Path, names: list[str]) -> Path:
    """Write rows whose ids are their positions, as data without ids have."""
    rows = []
    for position, name in enumerate(names):
        write_tone(path.parent / f"{name}.wav", 300 + 20 * len(name))
        rows.append({"id": str(position), "audio": f"{name}.wav", "text": name.partition("_")[2].replace("_", " ")})
    return write_rows(path, rows)


def test_samples_are_paired_by_content_and_compared_by_a_metric(tmp_path: Path) -> None:
    names = ["0_turn_the_light_on", "1_play_something_quiet", "2_how_long_does_the_train_take_to_the_coast"]
    data, reordered = write_data(tmp_path / "a.jsonl", names), write_data(tmp_path / "b.jsonl", names[::-1][:2])
    perfect = make_run(tmp_path / "perfect", "asr", data, "Recogniser", {"metrics": "wer"}, error_rate=0.0)
    poor = make_run(tmp_path / "poor", "asr", reordered, "Recogniser", {"metrics": "wer"}, error_rate=1.0)
    number = run_data.load_metrics(poor)["wer"]
    frame = run_data.load_samples(poor).frame
    paired = add_second_run(poor, perfect, frame, number)
    assert paired[SECOND_COLUMN].tolist() == [2, 1]
    assert paired["changed"].tolist() == ["worse", "worse"]
    back = add_second_run(perfect, poor, run_data.load_samples(perfect).frame, number)
    assert back[SECOND_COLUMN].tolist() == [ABSENT, 1, 0]
    assert back["changed"].tolist() == ["", "better", "better"]
    assert SECOND_COLUMN not in frame


def test_nothing_changed_without_a_metric_of_both(runs: Path) -> None:
    frame = run_data.load_samples(runs / "asr-small").frame
    paired = add_second_run(runs / "asr-small", runs / "asr-large", frame, None)
    assert set(paired["changed"]) == {""}
    assert (paired[SECOND_COLUMN] == pd.RangeIndex(len(frame))).all()
