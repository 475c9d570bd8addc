"""Conversations as a task: what is said in each mode, and what is compared."""

import asyncio
from typing import Any

import pytest

from auricle import Generation, Sample, SpecError
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow, Turn
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import Converse, preview_requests

TALK = {
    "id": "t",
    "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "and now?", "audio": "a.wav"},
        {"role": "assistant", "content": "noon"},
    ],
}


def built(path: Any, **options: Any) -> Any:
    return TASKS.get("chat")(data=str(path), **options)


def first(path: Any, **options: Any) -> Any:
    made = built(path, **options)
    return made, next(iter(made.samples))


def asked(made: Any, sample: Any) -> Any:
    """What is said in each request: who, and in which words."""
    requests = asyncio.run(preview_requests(made.inferencer, sample))
    return [[(turn.role, turn.parts[-1]) for turn in each.turns] for each in requests]


def scores(made: Any, sample: Any, *texts: Any) -> Any:
    outputs = [Generation(text=each) for each in texts]
    return {
        metric.name: metric.score(sample, *outputs)
        for metric in made.metrics
        if not metric.applies or metric.applies(sample)
    }


def test_each_turn_is_said_after_the_model_s_own_answers(manifest: Any) -> None:
    made, sample = first(manifest([TALK]))
    assert asked(made, sample) == [[("user", "hello")], [("user", "hello"), ("assistant", "…"), ("user", "and now?")]]
    assert sample.target == ["hi", "noon"]
    assert sample.inputs["turns"][1].parts[0].uri.endswith("/a.wav")
    assert scores(made, sample, "Hi!", "it is noon") == {"exact_match": (0, (1.0, 0.0)), "contains": (0, (1.0, 1.0))}


def test_each_turn_may_be_said_after_the_answers_of_the_data(manifest: Any) -> None:
    made, sample = first(manifest([TALK]), mode="gold")
    assert asked(made, sample) == [[("user", "hello")], [("user", "hello"), ("assistant", "hi"), ("user", "and now?")]]
    assert sample.target == ["hi", "noon"]


def test_only_the_last_turn_may_be_asked(manifest: Any) -> None:
    made, sample = first(manifest([TALK]), mode="last")
    assert asked(made, sample) == [[("user", "hello"), ("assistant", "hi"), ("user", "and now?")]]
    assert sample.target == "noon"
    assert scores(made, sample, "noon") == {"exact_match": 1.0, "contains": 1.0}


@pytest.mark.parametrize("mode", ["every", "last", "gold"])
def test_the_answer_to_the_last_turn_is_never_said(manifest: Any, mode: str) -> None:
    _, sample = first(manifest([TALK]), mode=mode)
    assert "noon" not in repr(sample.inputs)


@pytest.mark.parametrize("mode", ["last", "gold"])
def test_questions_and_answers_in_lists_of_their_own_are_a_conversation(manifest: Any, mode: str) -> None:
    row = {"question": ["hello", "and now?"], "answer": ["hi", "noon"]}
    made, sample = first(manifest([row]), mode=mode)
    assert asked(made, sample)[-1] == [("user", "hello"), ("assistant", "hi"), ("user", "and now?")]
    assert sample.target == ("noon" if mode == "last" else ["hi", "noon"])


def test_a_target_of_the_row_is_that_of_the_last_answer(manifest: Any) -> None:
    _, sample = first(manifest([{"turns": ["hello", "and now?"], "answer": "noon"}]))
    assert sample.target == [None, "noon"]
    _, sample = first(manifest([{"turns": ["now?"], "answers": ["noon", "twelve"]}]))
    assert sample.target == [["noon", "twelve"]]


def test_more_answers_than_turns_are_told_with_both_counts(manifest: Any) -> None:
    _, sample = first(manifest([{"turns": ["a", "b"], "answers": ["1", "2", "3"]}]))
    assert sample == RejectedRow("mine.jsonl:1", "2 user turns, and 3 reference answers")


def test_a_conversation_without_references_is_counted_as_empty_or_not(manifest: Any) -> None:
    made, sample = first(manifest([{"dialogue": ["a", "b"]}]))
    assert sample.target is None
    assert scores(made, sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_under_another_profile_a_metric_is_still_about_rows_with_references(manifest: Any) -> None:
    made, sample = first(manifest([{"dialogue": ["a", "b"]}]))
    assert scores(made.under("none"), sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_empty_answers_are_counted_over_all_turns_where_that_is_asked(manifest: Any) -> None:
    row = {"turns": ["a", "b"], "answer": "x"}
    made, sample = first(manifest([row]), metrics="empty")
    assert scores(made, sample, "", "x") == {"empty": (0, (1.0, 0.0))}


def test_a_sound_and_a_system_of_the_row_stand_where_they_belong(manifest: Any) -> None:
    row = {"audio": "a.wav", "turns": ["what?", "sure?"], "system": "be brief"}
    _, sample = first(manifest([row]))
    system, opening, last = sample.inputs["turns"]
    assert system == Turn("system", ("be brief",))
    assert opening.parts[0].uri.endswith("/a.wav")
    assert opening.parts[1:] == ("what?",)
    assert last.parts == ("sure?",)


def test_a_system_may_be_given_to_all(manifest: Any) -> None:
    made, sample = first(manifest([TALK]), system="be brief", max_tokens=7)
    assert asked(made, sample)[0] == [("system", "be brief"), ("user", "hello")]
    assert made.inferencer == Converse(system="be brief", max_tokens=7)


def test_a_system_given_to_all_stands_in_the_place_of_a_row_s_own(manifest: Any) -> None:
    told = {"role": "system", "content": "be long"}
    made, sample = first(manifest([{"turns": [told, "hello"]}]), system="be brief")
    assert asked(made, sample) == [[("system", "be brief"), ("user", "hello")]]


def test_what_else_a_row_has_is_meta_and_the_conversation_is_not(manifest: Any) -> None:
    _, sample = first(manifest([{**TALK, "topic": "time"}]))
    assert sample.meta == {"topic": "time"}
    assert list(sample.inputs) == ["turns"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": "x"}, "no conversation: one of turns, messages"),
        ({"turns": [{"role": "system", "content": "x"}]}, "the user says nothing"),
        ({"turns": [{"role": "wizard", "content": "x"}]}, "is by 'wizard'"),
    ],
)
def test_a_row_without_a_conversation_is_told_with_its_place(manifest: Any, row: Any, why: str) -> None:
    _, sample = first(manifest([row]))
    assert isinstance(sample, RejectedRow)
    assert why in sample.reason


def test_what_is_meaningless_for_conversations_is_refused(manifest: Any) -> None:
    path = manifest([TALK])
    with pytest.raises(SpecError, match="chat takes no prompt: what is said stands in the data"):
        built(path, prompt="{question}")
    with pytest.raises(SpecError, match="mode should be every, last or gold, not 'all'"):
        built(path, mode="all")


def test_a_way_to_count_may_be_chosen(manifest: Any) -> None:
    made, sample = first(manifest([TALK]), answers="last", metrics="exact_match")
    assert isinstance(sample, Sample)
    assert scores(made, sample, "nothing", "noon") == {"exact_match": 1.0}
    assert made.metrics[0].signature == "exact_match:1.basic:1.last"


def test_a_file_all_of_whose_sounds_are_missing_is_refused(manifest: Any) -> None:
    made = built(manifest([TALK]))
    with pytest.raises(DataError, match="None of the first 1 audio files exist"):
        made.samples.peek()
