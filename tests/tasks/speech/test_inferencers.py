"""Requests to speak a text."""

from __future__ import annotations

import asyncio

from auricle import Audio, Generate, Generation, Sample, Turn
from auricle.core.types import Output, Request
from auricle.tasks.speech.inferencers import Speak

CLONING = Sample(
    id="1", inputs={"text": "Good morning.", "prompt_audio": Audio("voice.wav"), "prompt_text": "Hello."}, target=""
)


def test_the_request_is_the_text() -> None:
    request = Speak().request(Sample(id="1", inputs={"text": "Say {this} aloud."}))
    assert request.turns == (Turn("user", ("Say {this} aloud.",)),)


def test_a_voice_to_imitate_is_an_earlier_answer_so_that_its_text_is_not_spoken() -> None:
    request = Speak().request(CLONING)
    assert request.turns == (Turn("assistant", (Audio("voice.wav"), "Hello.")), Turn("user", ("Good morning.",)))
    assert request.text == "Good morning."


def test_a_voice_comes_after_the_system_prompt_and_needs_no_text() -> None:
    sample = Sample(id="1", inputs={"text": "Yes.", "prompt_audio": Audio("voice.wav")})
    request = Speak(system="Read aloud.").request(sample)
    assert [turn.role for turn in request.turns] == ["system", "assistant", "user"]
    assert request.turns[1].parts == (Audio("voice.wav"),)


def test_repetitions_have_seeds_of_their_own_without_a_temperature() -> None:
    requests: list[Request] = []

    async def ask(request: Request) -> Output:
        requests.append(request)
        return Generation(text="")

    asyncio.run(Speak(samples=3)(CLONING, ask))
    seeds = [request.seed for request in requests if isinstance(request, Generate)]
    assert seeds == [0, 1, 2]
