"""Tests of the task kind `chat`: the turns sent in each mode, and the scored references."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from auricle import Generation, Sample, SpecError
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow, Turn
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers import Converse, preview_requests
from auricle.metrics.capabilities import Restricted

TALK = {
    "id": "t",
    "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "and now?", "audio": "a.wav"},
        {"role": "assistant", "content": "noon"},
    ],
}


def build(path: Any, **options: Any) -> Any:
    return TASKS.get("chat")(data=str(path), **options)


def build_first(path: Any, **options: Any) -> Any:
    task = build(path, **options)
    return task, next(iter(task.samples))


def sent_turns(task: Any, sample: Any) -> Any:
    """Return the role and the text of each turn of each request."""
    requests: Any = asyncio.run(preview_requests(task.inferencer, sample))
    return [[(turn.role, turn.parts[-1]) for turn in request.turns] for request in requests]


def scores(task: Any, sample: Any, *texts: Any) -> Any:
    outputs = [Generation(text=text) for text in texts]
    return {
        metric.name: metric.score(sample, *outputs)
        for metric in task.metrics
        if not isinstance(metric, Restricted) or metric.applies(sample)
    }


def test_every_mode_continues_from_the_models_answers(manifest: Any) -> None:
    task, sample = build_first(manifest([TALK]))
    assert sent_turns(task, sample) == [
        [("user", "hello")],
        [("user", "hello"), ("assistant", "…"), ("user", "and now?")],
    ]
    assert sample.target == ["hi", "noon"]
    assert sample.inputs["turns"][1].parts[0].uri.endswith("/a.wav")
    assert scores(task, sample, "Hi!", "it is noon") == {"exact_match": (0, (1.0, 0.0)), "contains": (0, (1.0, 1.0))}


def test_gold_mode_continues_from_the_reference_answers(manifest: Any) -> None:
    task, sample = build_first(manifest([TALK]), mode="gold")
    assert sent_turns(task, sample) == [
        [("user", "hello")],
        [("user", "hello"), ("assistant", "hi"), ("user", "and now?")],
    ]
    assert sample.target == ["hi", "noon"]


def test_last_mode_asks_only_the_last_turn(manifest: Any) -> None:
    task, sample = build_first(manifest([TALK]), mode="last")
    assert sent_turns(task, sample) == [[("user", "hello"), ("assistant", "hi"), ("user", "and now?")]]
    assert sample.target == "noon"
    assert scores(task, sample, "noon") == {"exact_match": 1.0, "contains": 1.0}


@pytest.mark.parametrize("mode", ["every", "last", "gold"])
def test_the_answer_to_the_last_turn_is_never_sent(manifest: Any, mode: str) -> None:
    _, sample = build_first(manifest([TALK]), mode=mode)
    assert "noon" not in repr(sample.inputs)


@pytest.mark.parametrize("mode", ["last", "gold"])
def test_lists_of_questions_and_answers_form_a_conversation(manifest: Any, mode: str) -> None:
    row = {"question": ["hello", "and now?"], "answer": ["hi", "noon"]}
    task, sample = build_first(manifest([row]), mode=mode)
    assert sent_turns(task, sample)[-1] == [("user", "hello"), ("assistant", "hi"), ("user", "and now?")]
    assert sample.target == ("noon" if mode == "last" else ["hi", "noon"])


def test_a_target_column_is_the_reference_of_the_last_turn(manifest: Any) -> None:
    _, sample = build_first(manifest([{"turns": ["hello", "and now?"], "answer": "noon"}]))
    assert sample.target == [None, "noon"]
    _, sample = build_first(manifest([{"turns": ["now?"], "answers": ["noon", "twelve"]}]))
    assert sample.target == [["noon", "twelve"]]


def test_more_answers_than_turns_reject_the_row(manifest: Any) -> None:
    _, sample = build_first(manifest([{"turns": ["a", "b"], "answers": ["1", "2", "3"]}]))
    assert sample == RejectedRow("mine.jsonl:1", "2 user turns but 3 reference answers", meta={"turns": ["a", "b"]})


def test_without_references_only_empty_answers_are_counted(manifest: Any) -> None:
    task, sample = build_first(manifest([{"dialogue": ["a", "b"]}]))
    assert sample.target is None
    assert scores(task, sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_another_profile_keeps_metrics_restricted_to_rows_with_references(manifest: Any) -> None:
    task, sample = build_first(manifest([{"dialogue": ["a", "b"]}]))
    assert scores(task.with_profile("none"), sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_the_metric_empty_can_be_requested_for_rows_with_references(manifest: Any) -> None:
    row = {"turns": ["a", "b"], "answer": "x"}
    task, sample = build_first(manifest([row]), metrics="empty")
    assert scores(task, sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_audio_and_system_columns_are_added_to_the_turns(manifest: Any) -> None:
    row = {"audio": "a.wav", "turns": ["what?", "sure?"], "system": "be brief"}
    _, sample = build_first(manifest([row]))
    system, opening, last = sample.inputs["turns"]
    assert system == Turn("system", ("be brief",))
    assert opening.parts[0].uri.endswith("/a.wav")
    assert opening.parts[1:] == ("what?",)
    assert last.parts == ("sure?",)


def test_the_system_option_applies_to_all_rows(manifest: Any) -> None:
    task, sample = build_first(manifest([TALK]), system="be brief", max_tokens=7)
    assert sent_turns(task, sample)[0] == [("system", "be brief"), ("user", "hello")]
    assert task.inferencer == Converse(system="be brief", max_tokens=7)


def test_the_system_option_replaces_system_turns_of_the_data(manifest: Any) -> None:
    system_turn = {"role": "system", "content": "be long"}
    task, sample = build_first(manifest([{"turns": [system_turn, "hello"]}]), system="be brief")
    assert sent_turns(task, sample) == [[("system", "be brief"), ("user", "hello")]]


def test_other_columns_become_metadata(manifest: Any) -> None:
    _, sample = build_first(manifest([{**TALK, "topic": "time"}]))
    assert sample.meta == {"topic": "time"}
    assert list(sample.inputs) == ["turns"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "x"}, "no conversation: expected one of the columns turns, messages"),
        ({"turns": [{"role": "system", "content": "x"}]}, "the conversation has no user turn"),
        ({"turns": [{"role": "wizard", "content": "x"}]}, "the role 'wizard'"),
    ],
)
def test_a_row_without_a_conversation_is_rejected(manifest: Any, row: Any, reason: str) -> None:
    _, sample = build_first(manifest([row]))
    assert isinstance(sample, RejectedRow)
    assert reason in sample.reason


def test_options_that_do_not_apply_are_rejected(manifest: Any) -> None:
    path = manifest([TALK])
    with pytest.raises(SpecError, match="Option 'prompt' does not apply to chat"):
        build(path, prompt="{question}")
    with pytest.raises(SpecError, match="Invalid mode 'all': expected every, last or gold"):
        build(path, mode="all")


def test_an_aggregation_can_be_selected(manifest: Any) -> None:
    task, sample = build_first(manifest([TALK]), answers="last", metrics="exact_match")
    assert isinstance(sample, Sample)
    assert scores(task, sample, "nothing", "noon") == {"exact_match": 1.0}
    assert task.metrics[0].signature == "exact_match:1.basic:2.last"


def test_validation_fails_if_all_audio_files_are_missing(manifest: Any) -> None:
    task = build(manifest([TALK]))
    with pytest.raises(DataError, match="None of the first 1 audio files exist"):
        task.samples.validate()
