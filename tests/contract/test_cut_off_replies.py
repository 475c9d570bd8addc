"""Replies that a server cuts off are counted, and no answer is read that they may not have given."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import RunResult, Spec, api
from auricle.core.types import Outcome
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.testing.fake_server import FakeServer, Script

OPTIONS = ["guitar", "violin", "drum"]
REPLIES: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, Any]]]] = {
    "options": (
        {"task": "mcq"},
        {"choices": OPTIONS},
        [
            ("Based on the audio, the instrument being played appears to be a violin.", "violin"),
            ("A bow moves over strings, so the answer is B. Nothing is plucked.", "violin"),
            ("Answer: C\n\nBecause the recording has no pitch, it is no string instrument.", "drum"),
            ("The options are:\nA. guitar\nB. violin\nC. drum\n\nThe correct answer is **B. violin**.", "violin"),
            ("<think>At first it sounds like A. But it is bowed.</think>The answer is B.", "violin"),
            ("Options:\n\n- A. guitar: not heard\n- B. violin: bowed\n- C. drum: no\n\nSo I'd choose B.", "violin"),
            ("A plucked (guitar) sound is missing; a drum (C) is not heard. It is bowed. Answer: B", "violin"),
            ("I'd say drum... hmm, listening again it's the strings. The answer is B.", "violin"),
            ('{"draft": "A", "reason": "a bow is heard", "answer": "B"}', "violin"),
            ("Draft: A\nReason: a bow is heard\nAnswer: B", "violin"),
        ],
    ),
    "labels": (
        {"task": "classify", "labels": "happy,sad,angry"},
        {},
        [
            ("The speaker sounds flat and slow, without any joy; I would say that she is sad.", "sad"),
            ("The label is angry. The voice is loud, and it is not a happy loudness.", "angry"),
        ],
    ),
    "yes or no": (
        {"task": "classify", "labels": "yes,no"},
        {},
        [
            ("No, there is only a noise in the background, and no dog is barking.", "no"),
            ("I hear a sound that may be a dog. Listening again, the answer is no, it is a fox.", "no"),
        ],
    ),
    "numbers": (
        {"task": "qa", "metrics": "rmse"},
        {},
        [
            ("I would rate the naturalness of this voice 4.5 out of 5, given its odd pauses.", "4.5"),
            ("Rating: 3\nThe voice is clear, but its pauses are odd.", "3"),
        ],
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer(Script()) as running:
        yield running


def run_task(server: FakeServer, tmp_path: Path, data: Path, model: str = "openai", **arguments: Any) -> RunResult:
    """Run a task whose replies are texts of its rows, cut at the `max_tokens` of each."""
    task = arguments.pop("task")
    task_args = {"data": str(data), "prompt": "{reply}", **arguments}
    url = server.url if model != "gemini" else server.url.removesuffix("/v1") + "/v1beta"
    model_args = {"base_url": url, "model": "fake"}
    return api.evaluate(Spec(task=task, task_args=task_args, model=model, model_args=model_args), tmp_path / "run")


@pytest.mark.parametrize("name", REPLIES)
def test_no_reply_is_read_wrongly_however_short_it_is_cut(
    name: str, server: FakeServer, tmp_path: Path, manifest: Any
) -> None:
    arguments, columns, replies = REPLIES[name]
    rows = [
        {**columns, "reply": reply, "answer": answer, "max_tokens": length, "question": "Which?"}
        for reply, answer in replies
        for length in range(1, len(reply.split()) + 1)
    ]
    result = run_task(server, tmp_path, manifest(rows), **arguments)
    number = result.numbers[0]
    lines = list(read_scores(result.path))
    right = 0.0 if name == "numbers" else 1.0
    wrong = [line.id for line in lines if not line.unreadable and line.stats[number.metric] != right]
    assert wrong == []
    assert result.metrics
    assert result.metrics.outcomes.truncated == len(rows) - len(replies)
    assert number.truncated == sum(bool(line.unreadable) for line in lines) > len(rows) / 2
    assert number.read >= len(replies)  # those that are whole, and those that announced the answer before


@pytest.mark.parametrize("model", ["openai", "responses", "gemini", "completions"])
def test_every_protocol_reports_that_a_reply_was_cut_off(
    model: str, server: FakeServer, tmp_path: Path, manifest: Any
) -> None:
    data = manifest([{"choices": OPTIONS, "reply": "The answer is C, or is it?", "answer": "drum", "question": "?"}])
    result = run_task(server, tmp_path, data, model, task="mcq", max_tokens=4)
    (record,) = Run.load(result.path).records()
    assert record.outcome is Outcome.TRUNCATED
    number = result["option_accuracy"]
    assert (number.value, number.truncated, number.unreadable, number.counted_wrong) == (0.0, 1, 0, 1)
    assert (number.unread_wrong, number.unread_right) == (0.0, 1.0)
    assert result.metrics
    assert "1 of 1 replies were cut off at max_tokens=4: raise it." in " ".join(result.metrics.notes)


def test_reasoning_without_an_end_is_truncated_whatever_the_server_states(
    server: FakeServer, tmp_path: Path, manifest: Any
) -> None:
    data = manifest([{"choices": OPTIONS, "reply": "<think>Bowed. Answer: B.", "answer": "violin", "question": "?"}])
    result = run_task(server, tmp_path, data, task="mcq")
    (record,) = Run.load(result.path).records()
    assert record.outcome is Outcome.TRUNCATED
    assert (result["option_accuracy"].value, result["option_accuracy"].truncated) == (0.0, 1)


def test_shards_count_the_same(server: FakeServer, tmp_path: Path, manifest: Any) -> None:
    rows = [
        {"choices": OPTIONS, "reply": "Answer: C\n\nIt has no pitch.", "answer": "drum", "max_tokens": 1 + row % 9}
        for row in range(20)
    ]
    task_args = {"data": str(manifest(rows)), "prompt": "{reply}"}
    spec = Spec(task="mcq", task_args=task_args, model="openai", model_args={"base_url": server.url, "model": "fake"})
    whole, sharded = api.evaluate(spec, tmp_path / "whole"), api.evaluate_shards(spec, tmp_path / "sharded", shards=2)
    fields = ("value", "truncated", "counted_wrong", "unread_wrong", "unread_right", "readings")
    for name in fields:
        assert getattr(sharded["option_accuracy"], name) == getattr(whole["option_accuracy"], name)
    assert whole["option_accuracy"].truncated
    assert whole.metrics
    assert sharded.metrics
    assert sharded.metrics.outcomes == whole.metrics.outcomes


def test_a_transcript_is_scored_and_the_cut_is_counted(server: FakeServer, tmp_path: Path, manifest: Any) -> None:
    data = manifest([{"reply": "one two three four", "answer": "one two three four", "question": "?"}])
    result = run_task(server, tmp_path, data, task="qa", metrics="wer", max_tokens=3)
    assert result.metrics
    assert (result["wer"].value, result["wer"].truncated, result.metrics.outcomes.truncated) == (0.25, 0, 1)


def test_a_model_without_finish_reasons_is_noted_where_answers_are_read(tmp_path: Path, manifest: Any) -> None:
    (tmp_path / "model.py").write_text("def answer(question):\n    return 'The answer is A.'\n")
    data = str(manifest([{"choices": OPTIONS, "answer": "guitar", "question": "?"}]))
    for task, metrics, is_noted in (("mcq", "option_accuracy", True), ("qa", "wer", False)):
        spec = Spec(task=task, task_args={"data": data, "metrics": metrics}, model=f"{tmp_path}/model.py:answer")
        result = api.evaluate(spec, tmp_path / task)
        assert result.metrics
        assert ("without a finish reason" in " ".join(result.metrics.notes)) is is_noted
