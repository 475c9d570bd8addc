"""Models that answer recorded speech, as voice agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Call
from auricle.media import Audio
from auricle.models.sessions.half_duplex import HalfDuplex
from auricle.tasks.calls.live.driver import hold_call
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import clip, step

AGENT = """
from auricle import Generation
from tests.support.voice_agents import clip

class Speaker:
    async def generate(self, request):
        return Generation(text=f"{request.audio.seconds:.1f} s", audio=clip(2.0))

class Writer:
    def generate(self, batch):
        return [f"{len(request.turns)} turns" for request in batch]
"""


class Beeper:
    """A voice that beeps for a tenth of a second per letter."""

    signature = "beeper"

    def synthesise(self, text: str) -> Audio:
        return clip(len(text) / 10)


@pytest.fixture
def agent(tmp_path: Path) -> str:
    path = tmp_path / "agent.py"
    path.write_text(AGENT)
    return str(path)


def hold(model: HalfDuplex, *seconds: float, **options: Any) -> CallRecording:
    steps = tuple(step("say", length, start="agent_end" if k else "previous") for k, length in enumerate(seconds))
    return run_in_virtual_time(hold_call(model, Call(steps=steps, **options)))


def test_a_spoken_answer_is_played(agent: str) -> None:
    recording = hold(HalfDuplex(f"{agent}:Speaker", vad="energy", stop_seconds=0.5), 1.0)
    assert recording.agent[0].start == pytest.approx(1.5, abs=0.03)
    assert recording.agent[0].seconds == pytest.approx(2.0)
    assert recording.text == "1.5 s"


def test_a_voice_speaks_written_answers(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.sessions.half_duplex.find_voice", lambda name: Beeper())
    recording = hold(HalfDuplex(f"{agent}:Writer", voice="beeper", vad="energy"), 1.0, 1.0, instructions="Be brief.")
    assert recording.text == "2 turns 4 turns"
    assert [span.seconds for span in recording.agent] == [pytest.approx(0.7), pytest.approx(0.7)]


def test_a_written_answer_without_a_voice_drops_the_call(agent: str) -> None:
    recording = hold(HalfDuplex(f"{agent}:Writer", vad="energy"), 1.0)
    assert recording.is_dropped
    assert "returned no speech" in recording.select(EventKind.DROPPED)[0].text


def test_calls_can_be_transcribed(agent: str) -> None:
    recording = hold(HalfDuplex(f"{agent}:Writer", vad="energy"), 1.0, mode="transcribe")
    assert recording.understood == "1 turns"
