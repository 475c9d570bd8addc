"""Callers that a language model plays."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import AsyncModel, Generate, Generation
from auricle.core.calls import Step, Utterance
from auricle.core.errors import SpecError
from auricle.media import Audio
from auricle.tasks.calls import simulated_caller
from auricle.tasks.calls.simulated_caller import (
    GAP_LIMITS,
    MEDIAN_GAP,
    SILENCE,
    CallerModel,
    CallerPrompt,
    SimulatedCaller,
)

GREETING = Utterance("agent", "Good morning.")


class Beeper:
    signature = "beeper 1"

    def synthesise(self, text: str) -> Audio:
        return Audio.of(np.full(80 * len(text), 0.5, np.float32), rate=8000)


@pytest.fixture(autouse=True)
def _voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(simulated_caller, "find_voice", lambda *_: Beeper())


class Scripted(AsyncModel):
    """Answers with the given texts, and keeps what it is asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.requests: list[Generate] = []

    async def generate(self, request: Generate) -> Generation:
        self.requests.append(request)
        return Generation(text=self.texts.pop(0))


def ask(caller: SimulatedCaller, *dialogue: Utterance) -> Step | None:
    return asyncio.run(caller.next_step(dialogue))


def test_the_caller_speaks_what_the_model_answers_until_it_ends_the_call() -> None:
    model = Scripted("A table\nfor four, please.", "Thank you. [hang up]")
    caller = SimulatedCaller(model, CallerPrompt(prompt="You want a table."))
    step = ask(caller, GREETING)
    assert step is not None
    assert (step.kind, step.text, step.start) == ("say", "A table for four, please.", "agent_end")
    assert isinstance(step.audio[0], Audio)
    last = ask(caller, GREETING, Utterance("caller", step.text), Utterance("agent", "Booked."))
    assert last is not None
    assert last.text == "Thank you."
    assert ask(caller) is None
    assert len(model.requests) == 2


def test_the_agent_is_the_user_of_the_model_and_both_alternate() -> None:
    settings = CallerPrompt(prompt="You want a table.", stop="BYE")
    turns = settings.list_turns(
        [GREETING, Utterance("agent", "Hello?"), Utterance("caller", "Hi."), Utterance("caller", "Still there?")]
    )
    assert [turn.role for turn in turns] == ["system", "user", "assistant", "user"]
    assert [turn.parts[0] for turn in turns[1:]] == ["Good morning. Hello?", "Hi. Still there?", SILENCE]
    assert str(turns[0].parts[0]).startswith("You want a table.\n\n")
    assert "answer with BYE" in str(turns[0].parts[0])
    assert [turn.role for turn in settings.list_turns([])] == ["system", "user"]


@pytest.mark.parametrize("reply", ["[hang up]", " "])
def test_a_model_that_has_nothing_to_say_ends_the_call(reply: str) -> None:
    assert ask(SimulatedCaller(Scripted(reply), CallerPrompt(prompt="x")), GREETING) is None


def test_the_call_ends_after_the_maximum_number_of_turns() -> None:
    caller = SimulatedCaller(Scripted("One.", "Two.", "Three."), CallerPrompt(prompt="x", max_turns=2))
    assert [step and step.text for step in (ask(caller), ask(caller), ask(caller))] == ["One.", "Two.", None]


def test_natural_gaps_are_drawn_from_a_seed() -> None:
    def list_gaps(seed: str, **fields: Any) -> list[float]:
        caller = SimulatedCaller(
            Scripted(*["Yes."] * 200), CallerPrompt(prompt="x", max_turns=200, **fields), seed=seed
        )
        steps = [ask(caller, GREETING) for _ in range(200)]
        return [step.delay for step in steps if step]

    gaps = list_gaps("call.1")
    assert gaps == list_gaps("call.1")
    assert gaps != list_gaps("call.2")
    assert np.median(gaps) == pytest.approx(MEDIAN_GAP, rel=0.2)
    assert min(gaps) >= GAP_LIMITS[0]
    assert max(gaps) <= GAP_LIMITS[1]
    assert set(list_gaps("call.1", gap=0.3)) == {0.3}


def test_a_caller_waits_for_the_end_of_speech_only_if_there_was_any() -> None:
    steps = [ask(SimulatedCaller(Scripted("Hi."), CallerPrompt(prompt="x")), *before) for before in ([], [GREETING])]
    assert [step and step.start for step in steps] == ["previous", "agent_end"]


def test_local_weights_can_play_the_caller() -> None:
    model = CallerModel("echo", {"reply": "Hello."})
    step = ask(SimulatedCaller(model.load(), CallerPrompt(prompt="x")))
    assert step is not None
    assert step.text == "Hello."
    asyncio.run(model.close())


def test_a_model_is_loaded_once_and_closed() -> None:
    caller_model = CallerModel("echo", {"reply": "Hello."})
    model: Any = caller_model.load()
    assert caller_model.load() is model
    asyncio.run(caller_model.close())
    assert caller_model.load() is not model


def test_wrong_arguments_of_the_model_are_reported() -> None:
    with pytest.raises(SpecError, match=r"Cannot build the model 'echo' of the caller: .*colour"):
        CallerModel("echo", {"colour": "red"}).load()


def test_a_model_without_text_cannot_play_a_caller() -> None:
    with pytest.raises(SpecError, match="Model 'fake-reward' cannot be part of a voice agent"):
        CallerModel("fake-reward").load()
