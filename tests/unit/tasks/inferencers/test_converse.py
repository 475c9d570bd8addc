"""Conversations: turns of the data in three modes, and rounds that a function makes up."""

import asyncio
import functools
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Sample
from auricle.core.errors import SampleError, SpecError, Transient
from auricle.core.types import Turn
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import Converse, Respond, Rounds

SOUND = Audio("a.wav")
TALK = [
    Turn("user", (SOUND, "what?")),
    Turn("assistant", ("a cat",)),
    Turn("user", ("sure?",)),
    Turn("assistant", ("yes",)),
    Turn("user", ("why?",)),
]


def talk(turns: Any = TALK, target: Any = None, **meta: Any) -> Any:
    return Sample(id="t", inputs={"turns": turns}, target=target, meta=meta)


def held(inferencer: Any, sample: Any) -> Any:
    """What was asked; the model says `answer 1`, `answer 2` and so on."""
    asked = []

    async def ask(request: Any) -> Any:
        asked.append(request)
        return Generation(text=f"answer {len(asked)}")

    outputs = asyncio.run(inferencer(sample, ask))
    return asked, [each.text for each in outputs]


def words(request: Any) -> Any:
    return [turn.parts[-1] for turn in request.turns]


def test_a_conversation_goes_on_from_the_model_s_own_answers() -> None:
    asked, answers = held(Converse(), talk())
    assert answers == ["answer 1", "answer 2", "answer 3"]
    assert words(asked[2]) == ["what?", "answer 1", "sure?", "answer 2", "why?"]


def test_a_conversation_may_go_on_from_reference_answers() -> None:
    asked, answers = held(Converse(mode="gold"), talk())
    assert len(answers) == 3
    assert words(asked[2]) == ["what?", "a cat", "sure?", "yes", "why?"]


def test_of_a_conversation_only_the_last_turn_may_be_asked() -> None:
    (asked,), answers = held(Converse(mode="last"), talk())
    assert answers == ["answer 1"]
    assert words(asked) == ["what?", "a cat", "sure?", "yes", "why?"]


@pytest.mark.parametrize("mode", ["every", "gold", "last"])
def test_sounds_of_earlier_turns_are_heard_again(mode: str) -> None:
    asked, _ = held(Converse(mode=mode), talk())
    assert all(SOUND in request.turns[0].parts for request in asked)


def test_a_turn_that_nobody_answers_cannot_be_gone_on_from() -> None:
    turns = [Turn("user", ("a",)), Turn("user", ("b",))]
    with pytest.raises(SampleError, match="no reference answer to go on from"):
        held(Converse(mode="gold"), talk(turns))


def test_what_stands_after_the_last_user_turn_is_not_said() -> None:
    asked, _ = held(Converse(mode="last"), talk([*TALK, Turn("assistant", ("secret",))]))
    assert "secret" not in repr(asked)


@pytest.mark.parametrize(
    ("limit", "wanted"), [([5, 6, 7], [5, 6, 7]), ([5, 6], [5, 6, 6]), (9, [9, 9, 9]), ("9", [9, 9, 9])]
)
def test_every_turn_has_its_own_limit(limit: Any, wanted: Any) -> None:
    asked, _ = held(Converse(), talk(max_tokens=limit))
    assert [request.max_tokens for request in asked] == wanted
    asked, _ = held(Converse(), talk(max_out_len=limit))
    assert [request.max_tokens for request in asked] == wanted


def test_a_limit_that_is_none_is_told() -> None:
    with pytest.raises(SampleError, match="max_tokens should be a whole number from 1, not 0"):
        held(Converse(), talk(max_tokens=[5, 0]))


def test_a_system_of_the_task_stands_first_every_time() -> None:
    asked, _ = held(Converse(system="be brief"), talk())
    assert [words(request)[0] for request in asked] == ["be brief"] * 3


def test_a_sample_without_the_conversation_says_what_it_has() -> None:
    with pytest.raises(SampleError, match="no conversation in 'turns'; the sample has question"):
        held(Converse(), Sample(id="1", inputs={"question": "x"}))


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SpecError, match="every, last or gold, not 'all'"):
        Converse(mode="all")


# --- several answers ---------------------------------------------------------------------


def test_each_of_several_answers_is_a_request_of_its_own() -> None:
    asked, answers = held(Respond("{q}", samples=3, temperature=0.7), question())
    assert [request.nth for request in asked] == [0, 1, 2]
    assert len(answers) == 3


def test_several_answers_at_temperature_0_would_all_be_one() -> None:
    with pytest.raises(SpecError, match="5 answers to the same question would all be one"):
        Respond("{q}", samples=5)


# --- rounds --------------------------------------------------------------------------------


def question(**more: Any) -> Any:
    return Sample(id="1", inputs={"q": "x"}, **more)


def twenty(sample: Any, turn: Any, answers: Any) -> Any:
    """Go on until something was said twice."""
    return f"round {turn} after {list(answers)}" if turn < 2 else None


def test_a_function_says_what_is_said_next_until_it_says_nothing() -> None:
    asked, answers = held(Rounds(twenty), question())
    assert answers == ["answer 1", "answer 2"]
    assert words(asked[1]) == ["round 0 after []", "answer 1", "round 1 after ['answer 1']"]


def test_without_memory_each_round_is_said_alone() -> None:
    asked, _ = held(Rounds(twenty, memory=False), question())
    assert words(asked[1]) == ["round 1 after ['answer 1']"]


def test_a_round_may_have_sounds_or_be_a_whole_turn() -> None:
    said = [[SOUND, "what?"], Turn("user", ("sure?",)), None]
    asked, _ = held(Rounds(lambda sample, turn, answers: said[turn]), question())
    assert asked[1].turns[0].parts == (SOUND, "what?")
    assert asked[1].turns[-1].parts == ("sure?",)


def test_whoever_says_the_next_round_is_not_told_the_answer() -> None:
    seen = []

    def look(sample: Any, turn: Any, answers: Any) -> Any:
        seen.append(sample.target)
        return None if turn else "x"

    held(Rounds(look), question(target="secret"))
    assert seen == [None, None]


def test_rounds_without_an_end_are_a_failure_of_the_sample() -> None:
    with pytest.raises(SampleError, match="not done after 3 rounds"):
        held(Rounds(lambda sample, turn, answers: "more", most=3), question())


def test_as_many_rounds_as_there_may_be_are_not_too_many() -> None:
    asked, _ = held(Rounds(twenty, most=2), question())
    assert len(asked) == 2


def test_a_function_that_says_nothing_at_first_is_told() -> None:
    with pytest.raises(SampleError, match="the first round already says nothing"):
        held(Rounds(lambda sample, turn, answers: None), question())


def test_every_round_has_its_own_limit() -> None:
    asked, _ = held(Rounds(twenty), question(meta={"max_tokens": [3, 4]}))
    assert [request.max_tokens for request in asked] == [3, 4]


def test_the_signature_is_the_function_s_name_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def ask_on(sample, turn, answers):\n    return None\n")
    code = (
        "from auricle.core.registry import import_object\n"
        "from auricle.tasks.inferencers import Rounds\n"
        "print(repr(Rounds(import_object('mine.py:ask_on'))))"
    )
    told = {subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True) for _ in range(2)}
    (signature,) = told
    assert "ask_on" in signature
    assert "0x" not in signature


def test_a_function_without_a_name_must_be_given_one() -> None:
    nameless = functools.partial(twenty)
    with pytest.raises(SpecError, match="has no name of its own; give it one"):
        Rounds(nameless)
    assert "name='mine'" in repr(Rounds(nameless, name="mine"))


def test_a_function_that_breaks_is_the_sample_s_failure_told_with_its_line(tmp_path: Path) -> None:
    from auricle.api import NullObserver
    from auricle.engine.retry import Settings
    from auricle.engine.run_loop import RunLoop
    from auricle.testing.models import FakeApi

    def breaks(sample: Any, turn: Any, answers: Any) -> Any:
        if sample.id == "1":
            raise ValueError("no idea")
        return None if turn else "x"

    samples = [question(), Sample(id="2", inputs={"q": "y"})]
    with Run.open(tmp_path / "run", {"identity": {}}) as run:
        once = RunLoop(Rounds(breaks), FakeApi(), run, Settings(), NullObserver())
        asyncio.run(once.run(samples, asyncio.Event()))
        found = {record.sample.id: record for record in run.records()}
    assert found["1"].error.kind == "ValueError"
    assert found["1"].error.message.startswith("no idea (test_converse.py:")
    assert [output.text for output in found["2"].outputs] == ["x"]


def test_a_turn_that_fails_ends_the_conversation() -> None:
    calls = []

    async def ask(request: Any) -> Any:
        calls.append(len(request.turns))
        if len(calls) == 2:
            raise Transient("busy")
        return Generation(text="a")

    with pytest.raises(Transient):
        asyncio.run(Converse()(talk(), ask))
    assert calls == [1, 3]
