"""Tests of the inferencers `respond`, `converse` and `rounds`."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from auricle import Audio, Generation, Sample
from auricle.core.errors import SampleError, SpecError, Transient
from auricle.core.types import Turn
from auricle.engine.inferencers import Converse, Respond, Rounds, render
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from tests.support.inferencers import make_question, run_inferencer

AUDIO = Audio("a.wav")


def test_fields_are_filled_in_and_audio_stays_a_part() -> None:
    assert render("Hear {audio}: {text}.", {"audio": AUDIO, "text": "what?"}) == ("Hear ", AUDIO, ": what?.")


def test_fields_inside_a_value_are_not_filled_in() -> None:
    assert render("{text}", {"text": r"{audio} and \boxed{x}", "audio": AUDIO}) == (r"{audio} and \boxed{x}",)


def test_braces_that_are_not_fields_stay() -> None:
    assert render(r"Write \boxed{} or {a b} {text}", {"text": "x"}) == (r"Write \boxed{} or {a b} x",)


def test_an_optional_field_may_be_absent() -> None:
    assert render("{image?}{audio}", {"audio": [AUDIO, AUDIO]}) == (AUDIO, AUDIO)


def test_an_unknown_field_is_reported_with_the_available_ones() -> None:
    with pytest.raises(SampleError, match=r"\{txt\}.*audio, text"):
        render("{txt}", {"audio": AUDIO, "text": "x"})


def test_a_prompt_cannot_contain_the_target() -> None:
    sample = Sample(id="1", inputs={"text": "x"}, target="secret", meta={"m": "also"})
    with pytest.raises(SpecError, match="would show the answer"):
        Respond("{target}")
    with pytest.raises(SampleError):
        Respond("{m}").request(sample)


def test_a_system_prompt_comes_first() -> None:
    turns = Respond("{text}", system="be brief").request(Sample(id="1", inputs={"text": "x"})).turns
    assert [(turn.role, turn.parts) for turn in turns] == [("system", ("be brief",)), ("user", ("x",))]


def test_each_of_several_answers_is_a_separate_request() -> None:
    requests, answers = run_inferencer(Respond("{q}", samples=3, temperature=0.7), make_question())
    assert [(request.answer_index, request.seed) for request in requests] == [(0, 0), (1, 1), (2, 2)]
    assert len(answers) == 3


def test_several_answers_need_a_temperature() -> None:
    with pytest.raises(SpecError, match="samples=5 needs a temperature"):
        Respond("{q}", samples=5)


AUDIO = Audio("a.wav")
TURNS = [
    Turn("user", (AUDIO, "what?")),
    Turn("assistant", ("a cat",)),
    Turn("user", ("sure?",)),
    Turn("assistant", ("yes",)),
    Turn("user", ("why?",)),
]


def make_conversation(turns: Any = TURNS, target: Any = None, **meta: Any) -> Any:
    return Sample(id="t", inputs={"turns": turns}, target=target, meta=meta)


def texts(request: Any) -> Any:
    return [turn.parts[-1] for turn in request.turns]


def test_every_mode_continues_from_the_models_answers() -> None:
    requests, answers = run_inferencer(Converse(), make_conversation())
    assert answers == ["answer 1", "answer 2", "answer 3"]
    assert texts(requests[2]) == ["what?", "answer 1", "sure?", "answer 2", "why?"]


@pytest.mark.parametrize(("temperature", "seeds"), [(0.0, [0, 0, 0]), (0.7, [0, 1, 2])])
def test_each_sampled_turn_has_its_own_seed(temperature: float, seeds: list[int]) -> None:
    requests, _ = run_inferencer(Converse(temperature=temperature), make_conversation())
    assert [request.seed for request in requests] == seeds
    rounds = Rounds(
        lambda _sample, index, _answers: "more" if index < 3 else None, name="three", temperature=temperature
    )
    assert [request.seed for request in run_inferencer(rounds, make_question())[0]] == seeds


def test_gold_mode_continues_from_the_reference_answers() -> None:
    requests, answers = run_inferencer(Converse(mode="gold"), make_conversation())
    assert len(answers) == 3
    assert texts(requests[2]) == ["what?", "a cat", "sure?", "yes", "why?"]


def test_last_mode_asks_only_the_last_turn() -> None:
    (requests,), answers = run_inferencer(Converse(mode="last"), make_conversation())
    assert answers == ["answer 1"]
    assert texts(requests) == ["what?", "a cat", "sure?", "yes", "why?"]


@pytest.mark.parametrize("mode", ["every", "gold", "last"])
def test_audio_of_earlier_turns_is_sent_again(mode: Any) -> None:
    requests, _ = run_inferencer(Converse(mode=mode), make_conversation())
    assert all(AUDIO in request.turns[0].parts for request in requests)


def test_gold_mode_needs_an_answer_to_every_earlier_turn() -> None:
    turns = [Turn("user", ("a",)), Turn("user", ("b",))]
    with pytest.raises(SampleError, match="an earlier user turn has no reference answer"):
        run_inferencer(Converse(mode="gold"), make_conversation(turns))


def test_turns_after_the_last_user_turn_are_not_sent() -> None:
    requests, _ = run_inferencer(Converse(mode="last"), make_conversation([*TURNS, Turn("assistant", ("secret",))]))
    assert "secret" not in repr(requests)


@pytest.mark.parametrize(
    ("limit", "wanted"), [([5, 6, 7], [5, 6, 7]), ([5, 6], [5, 6, 6]), (9, [9, 9, 9]), ("9", [9, 9, 9])]
)
def test_each_turn_may_have_its_own_token_limit(limit: Any, wanted: Any) -> None:
    requests, _ = run_inferencer(Converse(), make_conversation(max_tokens=limit))
    assert [request.max_tokens for request in requests] == wanted
    requests, _ = run_inferencer(Converse(), make_conversation(max_out_len=limit))
    assert [request.max_tokens for request in requests] == wanted


def test_an_invalid_token_limit_is_rejected() -> None:
    with pytest.raises(SampleError, match="invalid max_tokens 0: expected a positive integer"):
        run_inferencer(Converse(), make_conversation(max_tokens=[5, 0]))


def test_the_system_prompt_comes_first_in_every_request() -> None:
    requests, _ = run_inferencer(Converse(system="be brief"), make_conversation())
    assert [texts(request)[0] for request in requests] == ["be brief"] * 3


def test_a_sample_without_a_conversation_is_rejected() -> None:
    with pytest.raises(SampleError, match=r"the sample has no input 'turns' \(inputs: question\)"):
        run_inferencer(Converse(), Sample(id="1", inputs={"question": "x"}))


def test_an_unknown_mode_is_rejected() -> None:
    with pytest.raises(SpecError, match="Invalid mode 'all'"):
        Converse(mode=cast(Any, "all"))


def two_rounds(sample: Any, turn: Any, answers: Any) -> Any:
    """Return two rounds that show the earlier answers."""
    return f"round {turn} after {list(answers)}" if turn < 2 else None


def test_rounds_continue_until_the_function_returns_none() -> None:
    requests, answers = run_inferencer(Rounds(two_rounds), make_question())
    assert answers == ["answer 1", "answer 2"]
    assert texts(requests[1]) == ["round 0 after []", "answer 1", "round 1 after ['answer 1']"]


def test_without_memory_each_round_is_sent_alone() -> None:
    requests, _ = run_inferencer(Rounds(two_rounds, memory=False), make_question())
    assert texts(requests[1]) == ["round 1 after ['answer 1']"]


def test_a_round_may_contain_audio_or_be_a_turn() -> None:
    rounds: list[Any] = [[AUDIO, "what?"], Turn("user", ("sure?",)), None]
    requests, _ = run_inferencer(Rounds(lambda sample, turn, answers: rounds[turn]), make_question())
    assert requests[1].turns[0].parts == (AUDIO, "what?")
    assert requests[1].turns[-1].parts == ("sure?",)


def test_the_function_does_not_receive_the_target() -> None:
    seen = []

    def look(sample: Any, turn: Any, answers: Any) -> Any:
        seen.append(sample.target)
        return None if turn else "x"

    run_inferencer(Rounds(look), make_question(target="secret"))
    assert seen == [None, None]


def test_too_many_rounds_fail_the_sample() -> None:
    with pytest.raises(SampleError, match="did not end after 3 rounds"):
        run_inferencer(Rounds(lambda sample, turn, answers: "more", most=3), make_question())


def test_the_maximum_number_of_rounds_is_allowed() -> None:
    requests, _ = run_inferencer(Rounds(two_rounds, most=2), make_question())
    assert len(requests) == 2


def test_a_function_without_a_first_round_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="returned no first turn"):
        run_inferencer(Rounds(lambda sample, turn, answers: None), make_question())


def test_each_round_may_have_its_own_token_limit() -> None:
    requests, _ = run_inferencer(Rounds(two_rounds), make_question(meta={"max_tokens": [3, 4]}))
    assert [request.max_tokens for request in requests] == [3, 4]


@pytest.mark.slow
def test_the_signature_is_the_same_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def ask_on(sample, turn, answers):\n    return None\n")
    code = (
        "from auricle.core.registry import import_object\n"
        "from auricle.engine.inferencers import Rounds\n"
        "print(repr(Rounds(import_object('mine.py:ask_on'))))"
    )
    (signature,) = {subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True) for _ in range(2)}
    assert "ask_on" in signature
    assert "0x" not in signature


def test_a_function_without_a_name_needs_one() -> None:
    nameless = functools.partial(two_rounds)
    with pytest.raises(SpecError, match=r"has no name\. Set `name`"):
        Rounds(nameless)
    assert "name='mine'" in repr(Rounds(nameless, name="mine"))


def test_an_exception_in_the_function_fails_its_sample_with_the_line(tmp_path: Path) -> None:
    from auricle.engine.observer import Observer
    from auricle.engine.run_loop import RunLoop
    from auricle.engine.settings import Settings
    from auricle.testing.models import FakeApi

    def breaks(sample: Any, turn: Any, answers: Any) -> Any:
        if sample.id == "1":
            raise ValueError("no idea")
        return None if turn else "x"

    samples = [make_question(), Sample(id="2", inputs={"q": "y"})]
    with Run.open(tmp_path / "run", RunSpec(identity={}, spec={})) as run:
        loop = RunLoop(Rounds(breaks), samples, run, Settings(), Observer())
        asyncio.run(loop.run(FakeApi(), asyncio.Event()))
        records = {record.sample.id: record for record in run.records()}
    error = records["1"].error
    assert error is not None
    assert error.kind == "ValueError"
    assert error.message.startswith("no idea (test_generate.py:")
    assert [output.text for output in records["2"].outputs if isinstance(output, Generation)] == ["x"]


def test_a_failed_turn_ends_the_conversation() -> None:
    calls = []

    async def ask(request: Any) -> Any:
        calls.append(len(request.turns))
        if len(calls) == 2:
            raise Transient("busy")
        return Generation(text="a")

    with pytest.raises(Transient):
        asyncio.run(Converse()(make_conversation(), ask))
    assert calls == [1, 3]
