"""The task kind of recordings with several speakers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Sample, Spec, SpecError, evaluate, score
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow, Segment, list_parts
from auricle.engine.factory import build_task
from auricle.engine.task import Task
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.models.catalogue import MODELS
from auricle.tasks.meetings.metrics.turns import REFERENCE_FIELD, read_reference
from auricle.tasks.meetings.segment_files import Region
from tests.support.extras import require_extra

STM = """\
standup 1 anna 0 2 good morning
standup 1 ben 2 4 hello anna
review 1 ben 1 3 any questions
standup 1 gap 4 9 IGNORE_TIME_SEGMENT_IN_SCORING
"""
RTTM = "SPEAKER standup 1 0 2 <NA> <NA> anna <NA> <NA>\nSPEAKER standup 1 3 0 <NA> <NA> ben <NA> <NA>\n"
TURNS = [{"start": 0, "end": 2, "speaker": "anna", "text": "good morning"}]


@pytest.fixture
def folder(tmp_path: Path, tone: Any) -> Path:
    (tmp_path / "audio").mkdir()
    for name in ("audio/standup.wav", "audio/review.flac"):
        tone(name, seconds=0.1)
    (tmp_path / "meetings.stm").write_text(STM)
    (tmp_path / "standup.rttm").write_text(RTTM)
    (tmp_path / "all.uem").write_text("standup 1 0 3\nreview 1 0 5\n")
    return tmp_path


def make_task(data: Path, **arguments: Any) -> Task:
    task_args = {"data": str(data), "root": str(data.parent / "audio"), **arguments}
    return build_task(Spec(task="meeting", task_args=task_args, model="echo"))


def write_rows(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def read_samples(task: Task) -> list[Sample]:
    samples = list(task.samples)
    assert all(isinstance(sample, Sample) for sample in samples), samples
    return [sample for sample in samples if isinstance(sample, Sample)]


def find_metric(task: Task, name: str) -> Metric:
    return next(metric for metric in task.metrics if metric.name == name)


def test_a_file_of_segments_has_a_sample_for_each_recording(folder: Path) -> None:
    task = make_task(folder / "meetings.stm")
    standup, review = read_samples(task)
    assert (standup.id, standup.target) == ("standup", "good morning hello anna")
    assert read_reference(standup).ignored == (Region(4.0, 9.0),)
    assert read_reference(review).segments == (Segment(1.0, 3.0, "any questions", "ben"),)
    (audio,) = list_parts(review.inputs["audio"])
    assert isinstance(audio, Audio)
    assert audio.uri.endswith("review.flac")
    assert len(task.samples) == 2  # type: ignore[arg-type]


def test_a_missing_recording_is_named_before_the_run(folder: Path) -> None:
    task = make_task(folder / "meetings.stm", root=str(folder))
    with pytest.raises(DataError, match=r"standup\.wav.*-T root=DIR"):
        task.samples.validate()  # type: ignore[attr-defined]


def test_dropped_turns_are_noted(folder: Path) -> None:
    task = make_task(folder / "standup.rttm")
    assert "1 turns without duration are left out." in task.notes("echo", {})
    (sample,) = read_samples(task)
    assert read_reference(sample).zero_length == 1


def test_json_may_have_segments_or_rows(folder: Path) -> None:
    segments = [{"session_id": "standup", "speaker": "a", "start_time": "0", "end_time": "1.5", "words": "hi"}]
    (folder / "ref.json").write_text(json.dumps(segments))
    (sample,) = read_samples(make_task(folder / "ref.json"))
    assert read_reference(sample).segments == (Segment(0.0, 1.5, "hi", "a"),)
    (folder / "rows.json").write_text(json.dumps([{"audio": "standup.wav", "segments": TURNS}]))
    (sample,) = read_samples(make_task(folder / "rows.json"))
    assert sample.target == "good morning"


@pytest.mark.parametrize(
    "reference",
    [
        {"segments": TURNS},
        {"segments": json.dumps(TURNS)},  # in a cell of a table
        {"reference": "../meetings.stm"},
        {"stm": "../meetings.stm"},
    ],
)
def test_a_row_has_its_reference_inside_or_in_a_file(folder: Path, reference: dict[str, Any]) -> None:
    path = write_rows(folder, {"id": "standup", "audio": "standup.wav", "room": "blue", **reference})
    (sample,) = read_samples(make_task(path))
    assert str(sample.target).startswith("good morning")
    assert sample.meta["room"] == "blue"
    assert set(sample.meta) == {"room", REFERENCE_FIELD}
    assert read_reference(sample).zero_length == 0


def test_a_turn_without_duration_is_accepted(folder: Path) -> None:
    path = write_rows(folder, {"audio": "standup.wav", "segments": [{"start": 1, "end": 1, "speaker": "a"}]})
    (sample,) = read_samples(make_task(path))
    assert read_reference(sample).segments == (Segment(1.0, 1.0, "", "a"),)


def test_the_recording_of_a_file_is_chosen_by_the_audio_if_there_is_no_id(folder: Path) -> None:
    path = write_rows(folder, {"audio": "review.flac", "stm": "../meetings.stm"})
    (sample,) = read_samples(make_task(path))
    assert sample.target == "any questions"


def test_a_table_may_name_the_files(folder: Path) -> None:
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["audio", "rttm", "uem"], ["standup.wav", "../standup.rttm", "[[0, 1.5]]"]])
    (sample,) = read_samples(make_task(folder / "rows.csv"))
    assert read_reference(sample).regions == (Region(0.0, 1.5),)


def test_a_uem_is_that_of_the_task_or_of_the_row(folder: Path) -> None:
    path = write_rows(folder, {"id": "standup", "audio": "standup.wav", "segments": TURNS, "uem": [[0, 1], [2, 4]]})
    (sample,) = read_samples(make_task(path))
    assert read_reference(sample).regions == (Region(0.0, 1.0), Region(2.0, 4.0))
    (sample,) = read_samples(make_task(path, uem=str(folder / "all.uem")))
    assert read_reference(sample).regions == (Region(0.0, 3.0),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "no reference: expected one of the columns segments, reference, rttm, stm, ctm, seglst or text"),
        ({"segments": [{"start": 2, "end": 1}]}, "segment 1: the end 1.0 is before the start 2.0"),
        ({"segments": [{"start": "x", "end": 1}]}, "segment 1: start is 'x', expected seconds"),
        ({"segments": [{"start": -1, "end": 1}]}, "segment 1 starts before the recording, at -1.0 s"),
        ({"segments": 5}, "expected a list of segments, got 5"),
        ({"segments": TURNS, "uem": [[1]]}, "regions must be pairs of start and end in seconds, not [[1]]"),
        ({"stm": 5}, "stm must be the path of a file, not int"),
        ({"id": "other", "stm": "../meetings.stm"}, "meetings.stm has no recording 'other'; it has 2: standup, review"),
    ],
)
def test_a_row_that_cannot_be_read_is_rejected_with_a_reason(folder: Path, row: dict[str, Any], reason: str) -> None:
    good = {"id": "good", "audio": "review.flac", "segments": TURNS}
    bad = {"id": "bad", "audio": "none.wav", **row}
    (_, rejected) = make_task(write_rows(folder, good, bad)).samples
    assert isinstance(rejected, RejectedRow)
    assert rejected.reason == reason


def test_a_broken_file_costs_its_row_and_is_named_with_its_line(folder: Path) -> None:
    (folder / "broken.stm").write_text("standup 1 anna 2 1 hi\n")
    (folder / "broken.uem").write_text("standup 1 0\n")
    rows: list[dict[str, Any]] = [
        {"id": "a", "audio": "standup.wav", "stm": "../broken.stm"},
        {"id": "b", "audio": "standup.wav", "stm": "../none.stm"},
        {"id": "c", "audio": "standup.wav", "segments": TURNS, "uem": "../broken.uem"},
        {"id": "d", "audio": "standup.wav", "segments": TURNS},
    ]
    *rejected, sample = make_task(write_rows(folder, *rows)).samples
    reasons = ["broken.stm:1: the end 1 is before the start 2", "No such file: ", "broken.uem:1: expected file"]
    for row, reason in zip(rejected, reasons, strict=True):
        assert isinstance(row, RejectedRow)
        assert reason in row.reason
    assert isinstance(sample, Sample)


@pytest.mark.parametrize(
    ("row", "first"),
    [
        ({"segments": TURNS}, ["cpwer", "tcpwer", "der"]),
        ({"segments": [{"start": 0, "end": 1, "speaker": "a"}]}, ["der", "der_miss", "der_false_alarm"]),
        ({"text": "good morning"}, ["wer", "segment_errors", "wder"]),
    ],
)
def test_the_first_metric_suits_the_references(folder: Path, row: dict[str, Any], first: list[str]) -> None:
    task = make_task(write_rows(folder, {"audio": "standup.wav", **row}))
    assert [metric.name for metric in task.metrics][:3] == first
    assert len(task.metrics) == 14


def test_a_silent_recording_decides_no_metrics_and_counts_in_error_rates(folder: Path) -> None:
    silent = {"id": "silent", "audio": "review.flac", "segments": []}
    task = make_task(write_rows(folder, silent, {"id": "spoken", "audio": "standup.wav", "segments": TURNS}))
    assert task.metrics[0].name == "cpwer"
    (sample, _) = read_samples(task)
    for name in ("cpwer", "wer", "der"):
        metric = find_metric(task, name)
        assert isinstance(metric, Restricted)
        assert metric.applies(sample)


def test_options_are_part_of_the_signatures(folder: Path) -> None:
    task = make_task(
        folder / "meetings.stm", collar=0.25, overlap="skip", convention="md-eval", word_collar=3, language="en"
    )
    assert find_metric(task, "der").signature == "der:2.pooled.collar-0.25-each.overlap-skipped.md-eval"
    assert find_metric(task, "tcpwer").variant.startswith("pooled.collar-3.whisper-en")
    assert find_metric(task, "wer").profile == "whisper-en"


def test_chinese_is_scored_by_character(folder: Path) -> None:
    assert ".mixed." in find_metric(make_task(folder / "meetings.stm", language="zh"), "cpwer").signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"collar": -1}, "Invalid collar -1"),
        ({"overlap": "ignore"}, "one of score, skip"),
        ({"convention": "nist"}, "one of pyannote, md-eval"),
        ({"collars": 1}, "Unknown option of meeting: collars"),
    ],
)
def test_a_wrong_option_is_explained(folder: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make_task(folder / "meetings.stm", **arguments)


def test_texts_are_compared_as_a_whole(folder: Path) -> None:
    task = make_task(folder / "meetings.stm")
    (standup, _), wer = read_samples(task), find_metric(task, "wer")
    for output in (
        Generation(text="good morning hello anna"),
        Generation(text="x 1 b 2 3 hello anna\nx 1 a 0 1 good morning"),
        Generation(text="", segments=(Segment(0.0, 1.0, "Good morning. Hello, Anna!"),)),
    ):
        assert wer.aggregate([wer.score(standup, output)]) == 0.0


def diarise(audio: Audio) -> list[dict[str, Any]]:
    return [{"start": 0, "end": 2, "speaker": "x"}, {"start": 2, "end": 4, "speaker": "y"}]


def transcribe(audio: Audio) -> str:
    return "good morning hello anna"


def write_stm(audio: Audio) -> str:
    return "m 1 x 0 2 good morning\nm 1 y 2 4 hello anna"


def run(folder: Path, model: Any, **arguments: Any) -> Any:
    task_args = {"data": str(folder / "meetings.stm"), "root": str(folder / "audio"), **arguments}
    return evaluate(Spec(task="meeting", task_args=task_args, model=MODELS.add_object(model)), folder / "run")


@pytest.mark.parametrize(
    ("model", "scored", "skipped", "reason"),
    [
        (diarise, "der", "cpwer", "the answer has turns without words"),
        (transcribe, "wer", "der", "line 1: expected RTTM, STM, CTM or a JSON list, got 'good morning hello anna'"),
    ],
)
def test_metrics_that_do_not_suit_the_answers_are_skipped_with_a_reason(
    folder: Path, model: Any, scored: str, skipped: str, reason: str
) -> None:
    require_extra("meetings")
    result = run(folder, model)
    assert result.exit_status == 0
    assert scored in {number.metric for number in result.metrics.overall}
    assert result.metrics.not_computed[skipped] == f"no answer could be scored: {reason}"


def test_a_run_is_scored_again_with_another_collar_though_its_data_is_gone(folder: Path) -> None:
    require_extra("meetings")
    before = run(folder, write_stm)["der"]
    assert before.value == pytest.approx(3 / 6)  # 2 s of false alarm and 1 s of confusion, all in the review
    (folder / "meetings.stm").unlink()
    after = score(folder / "run", task_args={"collar": 0.5})["der"]
    assert "collar-0.5-each" in str(after.signature)
    assert (before.details["reference_speech"], after.details["reference_speech"]) == (6.0, 3.0)
