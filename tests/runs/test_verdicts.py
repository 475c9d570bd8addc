"""The file of judge replies."""

import json
import math
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generate, Generation, Sample, SampleError, Turn, Unreadable
from auricle.core.checked_lines import add_checksum
from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Failure, Predict, Prediction, Record
from auricle.metrics.base import Metric, mean
from auricle.runs.metrics import JudgeFacts
from auricle.runs.usage import VerdictUsage
from auricle.runs.verdicts import (
    Judge,
    JudgeRequest,
    Verdict,
    VerdictIndex,
    build_judge_requests,
    encode_judges,
    merge_judges,
    read_last_judges,
)
from auricle.tasks.speech.roles import QUALITY

JUDGE = Judge.from_arguments("judge", {"model": "big", "api_key": "sk-1", "timeout": 5})
RECORD = Record(sample=Sample(id="s1", inputs={}), row=0, outputs=(Generation(text="an answer"),))


def build_metric(votes: int = 1) -> Metric:
    def ask(sample: Sample, output: Generation) -> tuple[Generate, ...]:
        return (Generate(turns=(Turn("user", (output.text,)),)),) * votes

    def score(sample: Sample, *outputs: Generation, verdicts: tuple[str, ...]) -> float:
        return float(len(verdicts))

    return Metric("judged", score, mean, judge_requests=ask)


def write_verdicts(path: Path, requests: list[JudgeRequest], **fields: Any) -> None:
    values: dict[str, Any] = {"reply": Generation(text="yes", tokens=2), "error": None, "seconds": 0.1, **fields}
    verdicts = [Verdict(request, JUDGE.name, **values) for request in requests]
    path.write_bytes(encode_judges([JUDGE]) + b"".join(verdict.to_json_line() for verdict in verdicts))


def test_judge_has_no_secrets_or_transport_arguments() -> None:
    assert JUDGE.arguments == {"model": "big"}
    assert re.fullmatch("judge#[0-9a-f]{4}", JUDGE.name)


@pytest.mark.parametrize(
    ("model", "name"),
    [("/long/mine.py:J", "mine.py:J"), ("package.module:J", "package.module:J"), ("mine.py", "mine.py")],
)
def test_judge_is_named_without_folders(model: str, name: str) -> None:
    assert Judge(model, {}).name == name


def test_tokens_that_are_unknown_count_as_none(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD), reply=Generation(text="yes"))
    with VerdictIndex(path, JUDGE) as index:
        index.read_replies(metric, RECORD)
        assert (index.to_facts().tokens, index.to_facts().input_tokens) == (0, 0)


def test_repeated_requests_are_separate_votes() -> None:
    requests = build_judge_requests(JUDGE, build_metric(votes=3), RECORD)
    assert len({request.key for request in requests}) == 3
    assert all(re.fullmatch("[0-9a-f]{32}", request.key) for request in requests)
    numbered = [request.request for request in requests if isinstance(request.request, Generate)]
    assert [(request.answer_index, request.seed) for request in numbered] == [(0, 0), (1, 1), (2, 2)]
    assert {(request.sample_id, request.metric_name) for request in requests} == {("s1", "judged")}


def test_another_judge_has_other_keys() -> None:
    other = Judge.from_arguments("judge", {"model": "small"})
    keys = {build_judge_requests(judge, build_metric(), RECORD)[0].key for judge in (JUDGE, other)}
    assert len(keys) == 2


def test_an_answer_too_long_to_be_scored_is_not_judged() -> None:
    with pytest.raises(SampleError, match="longer than 1,000,000 characters"):
        build_judge_requests(JUDGE, build_metric(), replace(RECORD, outputs=(Generation(text="x" * 1_000_001),)))


@pytest.mark.parametrize(
    ("raised", "expected"),
    [(SampleError("no question"), SampleError("no question")), (ValueError("odd"), Unreadable("ValueError: odd"))],
)
def test_error_while_asking_a_judge_is_that_of_the_sample(raised: Exception, expected: Exception) -> None:
    def ask(sample: Sample, output: Generation) -> tuple[Generate, ...]:
        raise raised

    metric = build_metric().replace(judge_requests=ask)
    with pytest.raises(type(expected), match=f"^{expected}"):
        build_judge_requests(JUDGE, metric, RECORD)


def test_replies_are_read_and_counted_once(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD))
    with VerdictIndex(path, JUDGE) as index:
        for _ in range(2):
            assert index.read_replies(metric, RECORD) == ("yes",)
        assert (index.to_facts().verdicts, index.to_facts().tokens) == (1, 2)
    assert read_last_judges(path) == (JUDGE,)


@pytest.mark.parametrize(
    ("text", "finish", "is_read"),
    [
        ("It is good.\nScore: 1", "length", False),  # it may have become 10
        ("It is good.\nScore: 1\n", "length", True),
        ('{"score": 1}', "length", True),
        ("<think>It is good.\nScore: 1\n", "stop", False),
        ("It is good.\nScore: 1", "stop", True),
    ],
)
def test_a_reply_that_was_cut_off_needs_a_whole_verdict(text: str, finish: str, is_read: bool, tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD), reply=Generation(text=text, finish=finish))
    with VerdictIndex(path, JUDGE) as index:
        if is_read:
            assert index.read_replies(metric, RECORD) == (text,)
        else:
            with pytest.raises(Unreadable, match="the judge's reply was cut off before the end of its verdict"):
                index.read_replies(metric, RECORD)


def test_failed_verdict_is_unreadable_and_has_no_reply(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    (request,) = build_judge_requests(JUDGE, metric, RECORD)
    write_verdicts(path, [request], reply=None, error=Failure("Transient", "HTTP 503"))
    assert "text" not in json.loads(path.read_text().splitlines()[1])
    with VerdictIndex(path, JUDGE) as index:
        assert not index.has_reply(request.key)
        for _ in range(2):
            with pytest.raises(Unreadable, match="the judge failed: Transient: HTTP 503"):
                index.read_replies(metric, RECORD)
        assert index.to_facts() == JudgeFacts(JUDGE.name, "judge", {"model": "big"}, verdicts=0, failed=1, missing=0)


def test_long_error_of_a_judge_is_cut_at_two_hundred_characters(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD), reply=None, error=Failure("Rejected", "x" * 201))
    with (
        VerdictIndex(path, JUDGE) as index,
        pytest.raises(Unreadable, match=f"the judge failed: Rejected: {'x' * 200}$"),
    ):
        index.read_replies(metric, RECORD)


def test_the_file_is_closed_with_the_index(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.touch()
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        VerdictIndex(path, JUDGE).close()
    assert unclosed == []


def test_a_later_line_replaces_an_earlier_one(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    (request,) = build_judge_requests(JUDGE, metric, RECORD)
    failure, reply = Failure("Transient", "HTTP 503"), Generation(text="yes", tokens=2, input_tokens=5)
    lines = [Verdict(request, JUDGE.name, None, failure, 0.1), Verdict(request, JUDGE.name, reply, None, 0.1)]
    for order in (1, -1):
        path.write_bytes(b"".join(line.to_json_line() for line in lines[::order]))
        with VerdictIndex(path, JUDGE) as index:
            assert index.has_reply(request.key) is (order == 1)
    path.write_bytes(lines[1].to_json_line())
    with VerdictIndex(path, JUDGE) as index:
        index.read_replies(metric, RECORD)
        assert (index.to_facts().tokens, index.to_facts().input_tokens) == (2, 5)
    with VerdictIndex(path, Judge.from_arguments("judge", {"model": "small"})) as index:
        assert not index.has_reply(request.key)


def test_a_record_that_was_not_judged_is_missing(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD))
    other = replace(RECORD, outputs=(Generation(text="another answer"),))
    with VerdictIndex(path, JUDGE) as index:
        with pytest.raises(Unreadable, match="not judged yet"):
            index.read_replies(metric, other)
        assert (index.to_facts().missing, index.to_facts().verdicts) == (1, 0)


def test_damaged_lines_are_named_and_not_read(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_metric()
    write_verdicts(path, build_judge_requests(JUDGE, metric, RECORD))
    path.write_bytes(b"damaged\n" + path.read_bytes() + b'{"key": 3}\n')
    with VerdictIndex(path, JUDGE) as index:
        assert [(line.line, line.file) for line in index.damaged] == [(1, "verdicts.jsonl"), (4, "verdicts.jsonl")]
        assert index.read_replies(metric, RECORD) == ("yes",)


def test_missing_file_has_no_verdicts(tmp_path: Path) -> None:
    with VerdictIndex(tmp_path / "missing.jsonl", JUDGE) as index:
        with pytest.raises(Unreadable, match="not judged yet"):
            index.read_replies(build_metric(), RECORD)
        assert (index.to_facts().missing, index.to_facts().verdicts, index.to_facts().failed) == (1, 0, 0)
    assert read_last_judges(tmp_path / "missing.jsonl") == ()


def test_judges_that_read_replies_are_stored_with_the_others(tmp_path: Path) -> None:
    judges = (JUDGE, Judge.from_arguments("reader", {}, role=JudgeRole.UNREAD))
    (tmp_path / "verdicts.jsonl").write_bytes(encode_judges(judges))
    assert read_last_judges(tmp_path / "verdicts.jsonl") == judges


def test_judges_of_one_kind_do_not_replace_those_of_the_other() -> None:
    scoring, reading = Judge("a", {}), Judge("b", {}, role=JudgeRole.UNREAD)
    assert merge_judges([scoring, reading], []) == (scoring, reading)
    assert merge_judges([scoring], [reading]) == (reading, scoring)
    assert merge_judges([scoring, reading], [Judge("c", {})]) == (Judge("c", {}), reading)


def test_judges_that_were_stored_before_there_were_roles_are_read(tmp_path: Path) -> None:
    lines = b'{"judges":[{"model":"a","arguments":{}},{"model":"b","arguments":{},"reads_unread":true}]}'
    (tmp_path / "verdicts.jsonl").write_bytes(add_checksum(lines + b"\n"))
    judges = read_last_judges(tmp_path / "verdicts.jsonl")
    assert judges == (Judge("a", {}), Judge("b", {}, JudgeRole.UNREAD))


def test_quality_models_replace_only_themselves() -> None:
    dnsmos, plcmos = (Judge(name, {}, QUALITY) for name in ("dnsmos", "plcmos"))
    cropped = replace(dnsmos, arguments={"crop": 5})
    assert merge_judges([dnsmos], [plcmos]) == (plcmos, dnsmos)
    assert merge_judges([dnsmos, plcmos], [cropped]) == (cropped, plcmos)


# --- models that score spoken answers ------------------------------------------------------------

CLIP = Audio.of(np.zeros(1600, dtype=np.float32), rate=800)
RATER = Judge("rater", {}, QUALITY, "1.2")


def build_rated_metric(level: float = 0.0) -> Metric:
    audio = Audio.of(np.full(1600, level, dtype=np.float32), rate=800)

    def ask(sample: Sample, output: Generation) -> tuple[Predict, ...]:
        return (Predict(inputs={"audio": audio}),) * 2

    return Metric("rated", lambda *_, verdicts: len(verdicts), mean, judge_requests=ask, judge_role=QUALITY)


def test_numbers_are_stored_and_read_again(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_rated_metric()
    requests = build_judge_requests(RATER, metric, RECORD)
    assert [request.request.seed for request in requests] == [0, 1]
    replies = [Prediction(values={"a": 1.5, "b": value}, scale="continuous") for value in (2.0, math.nan)]
    verdicts = [
        Verdict(request, RATER.name, reply, None, 0.1) for request, reply in zip(requests, replies, strict=True)
    ]
    path.write_bytes(encode_judges([RATER]) + b"".join(verdict.to_json_line() for verdict in verdicts))
    line = json.loads(path.read_text().splitlines()[1])
    assert (line["values"], line["audio_seconds"]) == ({"a": 1.5, "b": 2.0}, 2.0)
    with VerdictIndex(path, RATER) as index:
        first, second = index.read_replies(metric, RECORD)
        assert index.to_facts().verdicts == 2
    assert first == {"a": 1.5, "b": 2.0}
    assert isinstance(second, dict)
    assert math.isnan(second["b"])
    assert read_last_judges(path) == (RATER,)


def test_failure_of_another_model_than_a_judge_names_its_role(tmp_path: Path) -> None:
    path, metric = tmp_path / "verdicts.jsonl", build_rated_metric()
    requests = build_judge_requests(RATER, metric, RECORD)
    lines = (Verdict(request, RATER.name, None, Failure("SampleError", "too short"), 0.1) for request in requests)
    path.write_bytes(b"".join(line.to_json_line() for line in lines))
    with (
        VerdictIndex(path, RATER) as index,
        pytest.raises(Unreadable, match=r"^the quality model failed: SampleError: too short$"),
    ):
        index.read_replies(metric, RECORD)


def test_another_version_or_another_sound_has_other_keys() -> None:
    keys = [
        build_judge_requests(judge, build_rated_metric(level), RECORD)[0].key
        for judge, level in ((RATER, 0.0), (replace(RATER, version="1.3"), 0.0), (RATER, 0.5))
    ]
    assert len(set(keys)) == 3
    assert (RATER.name, RATER.identity) == ("rater", "rater@1.2")


def test_key_of_a_judge_is_the_same_as_ever() -> None:
    (request,) = build_judge_requests(JUDGE, build_metric(), RECORD)
    assert request.key == "e21254d9356a39b11d49a5f27e9a3aae"


def test_judges_serve_metrics_of_their_role_and_of_their_name() -> None:
    metric = build_rated_metric()
    assert RATER.serves(metric)
    assert not Judge("rater", {}).serves(metric)
    assert not RATER.serves(metric.replace(judge_requests=None))
    mine = Judge("/folder/mine.py:Rater", {"x": 1}, QUALITY)
    assert mine.serves(metric.replace(judge_models=("mine.py:Rater",)))
    assert not RATER.serves(metric.replace(judge_models=("mine.py:Rater",)))


def test_duration_of_unreadable_audio_is_unknown(tmp_path: Path) -> None:
    request = JudgeRequest("k", "s", "rated", Predict(inputs={"audio": Audio(str(tmp_path / "missing.wav"))}))
    assert request.audio_seconds is None
    assert Verdict(request, "rater", None, None, 0.0).usage == VerdictUsage(None, None, None)
    text = JudgeRequest("k", "s", "judged", Generate(turns=(Turn("user", ("hello",)),)))
    assert text.audio_seconds == 0.0
