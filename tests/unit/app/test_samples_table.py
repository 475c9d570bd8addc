"""Tests of the table of samples."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest

from auricle.app import samples_table
from auricle.app.samples_table import badness, format_answer, read_samples, sort_worst_first
from auricle.core.errors import DataError
from auricle.core.serialization import digest
from auricle.core.types import Generation, Likelihood, Prediction
from tests.support import app_runs
from tests.support.app_runs import make_number

WER = make_number("wer", higher_is_better=False)


@pytest.fixture
def journal_lines(runs: Path) -> list[bytes]:
    return (runs / "asr-small" / "outputs.jsonl").read_bytes().splitlines(keepends=True)


def test_last_line_of_a_sample_counts(journal_lines: list[bytes], tmp_path: Path) -> None:
    newer = json.loads(journal_lines[0])
    newer["outputs"][0]["text"] = "a later answer"
    added = json.dumps(newer, separators=(",", ":")).encode() + b"\n"
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(journal_lines) + added + b'{"id":"truncated"')
    frame = read_samples(tmp_path).frame
    assert len(frame) == 16
    assert list(frame.loc[frame["id"] == newer["id"], "answer"]) == ["a later answer"]


def test_sample_that_was_removed_from_the_data_is_left_out(journal_lines: list[bytes], tmp_path: Path) -> None:
    removed_id = json.loads(journal_lines[0])["id"]
    removal = json.dumps({"gone": digest(removed_id)}).encode() + b"\n"
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(journal_lines) + removal)
    assert removed_id not in set(read_samples(tmp_path).frame["id"])


def test_damaged_lines_are_counted(journal_lines: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(b'{"id": 3}\n' + b"".join(journal_lines) + b"\xff\n")
    table = read_samples(tmp_path)
    assert (len(table.frame), table.damaged_lines) == (16, 2)


def test_table_is_truncated_at_the_maximum(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples_table, "MAX_SAMPLES", 5)
    table = read_samples(runs / "asr-small")
    assert (len(table.frame), table.is_truncated) == (5, True)


def test_missing_journal_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the run has no completed samples yet"):
        read_samples(tmp_path)


def test_only_metadata_with_few_values_can_be_filtered_by(runs: Path) -> None:
    assert set(read_samples(runs / "asr-small").fields) == {"speaker", "accent"}


def test_classifier_has_true_and_predicted_labels(runs: Path) -> None:
    frame = read_samples(runs / "emotion-first").frame
    assert frame["true_label"].tolist() == frame["target"].tolist()
    assert set(frame["predicted_label"]) <= set(app_runs.LABELS)
    assert set(frame["stat.accuracy"]) == {0.0, 1.0}


def test_unparsed_answer_is_unreadable_with_a_reason(runs: Path) -> None:
    frame = read_samples(runs / "quiz-bad").frame
    unreadable = frame[frame["outcome"] == "unreadable"]
    assert len(unreadable)
    assert unreadable["reason"].str.len().gt(0).all()


def test_answers_of_all_kinds_are_formatted() -> None:
    outputs = (
        Generation(text="yes"),
        Likelihood(text="B", logprobs=(-0.5, -0.25)),
        Prediction(values={"sad": 0.2, "calm": 0.8}, scale="probability"),
        Prediction(values={"arousal": 0.25}, scale="continuous"),
    )
    assert format_answer(outputs) == "yes | B -0.750 | calm 0.8 | arousal 0.25"


def test_worst_samples_come_first_and_unscored_ones_last() -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "stat.wer": [0.1, math.nan, 0.9]})
    assert list(sort_worst_first(frame, WER)["id"]) == ["c", "a"]
    assert list(sort_worst_first(frame, WER, drop_unscored=False)["id"]) == ["c", "a", "b"]


def test_badness_of_a_rating_is_its_distance_from_the_reference() -> None:
    frame = pd.DataFrame({"stat.lcc": [1.0, 4.0], "reference.lcc": [3.0, 4.5]})
    assert badness(frame, make_number("lcc", unit="")).tolist() == [2.0, 0.5]
