"""Tests of the samples of a run as columns."""

import math
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.core.types import Generation, Likelihood, Prediction
from auricle.media.sound_measures import SignalMeasures
from auricle.runs.scores import ScoreLine, read_scores
from auricle.scoring.sample_table import badness, build_signal_columns, format_answer, has_error, read_sample_table
from tests.support.app_runs import make_number


def test_answers_of_all_kinds_are_formatted() -> None:
    outputs = (
        Generation(text="yes"),
        Likelihood(text="B", logprobs=(-0.5, -0.25)),
        Prediction(values={"sad": 0.2, "calm": 0.8}, scale="probability"),
        Prediction(values={"arousal": 0.25}, scale="continuous"),
    )
    assert format_answer(outputs) == "yes | B -0.750 | calm 0.8 | arousal 0.25"


@pytest.fixture
def quiz_run(manifest: Any, tmp_path: Path) -> Path:
    data = manifest(
        [
            {"id": "a", "question": "one", "answer": "one", "level": 1, "voice": "x"},
            {"id": "b", "question": "two", "answer": "three", "level": 2, "voice": "y"},
        ]
    )
    evaluate(Spec(task="qa", task_args={"data": str(data), "metrics": "wer"}, model="echo"), tmp_path / "run")
    return tmp_path / "run"


def test_table_has_the_samples_in_the_order_of_the_data_with_their_metadata_and_scores(quiz_run: Path) -> None:
    journal = quiz_run / "outputs.jsonl"
    journal.write_bytes(b"".join(reversed(journal.read_bytes().splitlines(keepends=True))))
    table = read_sample_table(journal, {line.id: line for line in read_scores(quiz_run)})
    columns = {name: list(table.columns[name]) for name in ("id", "answer", "meta.level", "meta.voice", "stat.wer")}
    assert columns == {
        "id": ["a", "b"],
        "answer": ["one", "two"],
        "meta.level": ["1", "2"],
        "meta.voice": ["x", "y"],
        "stat.wer": [0.0, 1.0],
    }
    assert (set(table.fields), table.is_truncated) == ({"level", "voice"}, False)


def test_table_has_at_most_as_many_samples_and_fields_as_requested(quiz_run: Path) -> None:
    table = read_sample_table(quiz_run / "outputs.jsonl", {}, max_samples=1, max_fields=1)
    assert (list(table.columns["id"]), table.is_truncated) == (["a"], True)
    assert [name for name in table.columns if name.startswith("meta.")] == ["meta.level"]


def test_a_ratio_of_sums_has_a_number_per_sample(quiz_run: Path) -> None:
    stats = {"nonspeech_words_per_minute": [4, 0.5, 4, 0], "masked_recall": [1, 2, 0, 0], "mine": [1, 2, 3]}
    table = read_sample_table(quiz_run / "outputs.jsonl", {"a": ScoreLine("a", 0, stats)})
    assert [column for column in table.columns if column.startswith("stat.")] == [
        *("stat.nonspeech_words_per_minute", "stat.masked_recall")
    ]
    first, second = table.columns["stat.nonspeech_words_per_minute"]
    assert (first, table.columns["stat.masked_recall"][0]) == (8.0, 0.5)
    assert math.isnan(second)


def test_badness_of_a_rating_is_its_distance_from_the_reference() -> None:
    columns = {"stat.lcc": [1.0, 4.0], "reference.lcc": [3.0, 4.5]}
    assert badness(columns, make_number("lcc", unit="")).tolist() == [2.0, 0.5]


def test_samples_have_an_error_if_they_are_not_the_best_possible() -> None:
    columns = {"id": ["a", "b", "c"], "stat.accuracy": [1.0, 0.0, math.nan], "stat.mos": [1.0, 2.0, 3.0]}
    assert has_error(columns, make_number("accuracy")).tolist() == [0.0, 1.0, pytest.approx(math.nan, nan_ok=True)]
    for unknown in ("mos", "missing"):
        assert all(math.isnan(error) for error in has_error(columns, make_number(unknown, unit="")))


def test_measures_of_recordings_are_columns() -> None:
    columns = build_signal_columns({"k": SignalMeasures(-20.0, -3.0, 0.5, 30.0, 3400.0, 0.5)}, ["k", ""])
    assert columns["signal.snr"] == [30.0, pytest.approx(math.nan, nan_ok=True)]
    assert list(columns) == [f"signal.{name}" for name in SignalMeasures._fields]
