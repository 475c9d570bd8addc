"""Streaming recognisers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import auricle.tasks
from auricle import load_model
from auricle.core.calls import CallRecording, EventKind, SessionEvent
from auricle.core.errors import SpecError, Unsupported
from auricle.core.types import Call
from auricle.media import Audio
from auricle.models.sessions.pcm import to_int16
from auricle.models.sessions.recognisers import MoonshineLines, MoonshineStream, StreamingRecogniser, VoskSegments
from auricle.tasks.calls.live.driver import hold_call
from tests.support.extras import require_extra
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import step


class Counter(StreamingRecogniser):
    """Writes the number of samples that it has taken."""

    def open_stream(self) -> Any:
        return CountingStream()


class CountingStream:
    def __init__(self) -> None:
        self.total = 0

    def accept(self, samples: Any) -> list[SessionEvent]:
        self.total += len(samples)
        return [SessionEvent(kind=EventKind.PARTIAL, item="1", text=str(self.total))]

    def finish(self) -> list[SessionEvent]:
        return [SessionEvent(kind=EventKind.FINAL, item="1", text=f"{self.total} samples")]


def hold(model: StreamingRecogniser, **options: Any) -> CallRecording:
    return run_in_virtual_time(hold_call(model, Call(steps=(step("say", 1.05),), mode="transcribe", **options)))


def test_audio_is_recognised_in_chunks_and_nothing_is_lost() -> None:
    recording = hold(Counter(chunk_seconds=0.1))
    frames = 53  # the last one is filled with silence
    assert recording.understood == f"{frames * 320} samples"
    partials = recording.select(EventKind.PARTIAL)
    assert [event.text for event in partials[:2]] == ["1600", "3200"]
    assert partials[0].at == pytest.approx(0.1)
    assert recording.select(EventKind.FINAL)[0].at == pytest.approx(1.06)


def test_a_recogniser_does_not_converse() -> None:
    with pytest.raises(Unsupported, match="does not speak"):
        run_in_virtual_time(hold_call(Counter(), Call(steps=())))


def test_options_are_checked() -> None:
    with pytest.raises(SpecError, match="chunk_seconds"):
        Counter(chunk_seconds=0.0)


class ScriptedKaldi:
    """Has the methods of Vosk's recogniser: a text grows by a word per block, and three blocks are a segment."""

    def __init__(self) -> None:
        self.blocks = 0

    def _words(self, count: int) -> list[dict[str, Any]]:
        return [{"word": f"w{k}", "start": float(k), "end": k + 0.5, "conf": 1.0} for k in range(count)]

    def AcceptWaveform(self, content: bytes) -> bool:  # noqa: N802
        self.blocks += 1
        return self.blocks % 3 == 0

    def Result(self) -> str:  # noqa: N802
        return json.dumps({"text": "w0 w1 w2", "result": self._words(3)})

    def PartialResult(self) -> str:  # noqa: N802
        words = self._words(self.blocks % 3)
        return json.dumps({"partial": " ".join(word["word"] for word in words), "partial_result": words})

    def FinalResult(self) -> str:  # noqa: N802
        return json.dumps({"text": "w0" if self.blocks % 3 else ""})


def test_vosk_returns_segments_with_the_times_of_words() -> None:
    segments = VoskSegments(ScriptedKaldi())
    block = np.zeros(1600, np.int16)
    events = [event for _ in range(4) for event in segments.accept(block)] + segments.finish()
    assert [(event.kind, event.item, event.text) for event in events] == [
        (EventKind.PARTIAL, "1", "w0"),
        (EventKind.PARTIAL, "1", "w0 w1"),
        (EventKind.FINAL, "1", "w0 w1 w2"),
        (EventKind.PARTIAL, "2", "w0"),
        (EventKind.FINAL, "2", "w0"),
    ]
    assert events[1].words == (("w0", 0.0, 0.5), ("w1", 1.0, 1.5))
    assert events[4].words is None


def test_vosk_has_no_empty_segment_at_the_end() -> None:
    segments = VoskSegments(ScriptedKaldi())
    for _ in range(3):
        segments.accept(np.zeros(1600, np.int16))
    assert segments.finish() == []


class ScriptedMoonshine:
    """Has the methods of Moonshine's stream: the last word is right only if silence follows it."""

    def __init__(self) -> None:
        self.audio: list[float] = []

    def add_listener(self, listener: Any) -> None:
        self.listener = listener

    def start(self) -> None:
        pass

    def add_audio(self, samples: list[float], rate: int) -> None:
        self.audio += samples

    def stop(self) -> None:
        text = "by the giga" if any(self.audio[-4800:]) else "by the gate"
        line = SimpleNamespace(line_id=1, text=text, is_complete=True, words=[])
        self.listener(SimpleNamespace(line=line))

    def close(self) -> None:
        pass


def test_moonshine_gets_silence_after_the_last_word() -> None:
    lines = MoonshineLines(ScriptedMoonshine())
    assert lines.accept(np.full(1600, 900, np.int16)) == []
    (final,) = lines.finish()
    assert (final.kind, final.text) == (EventKind.FINAL, "by the gate")


@pytest.mark.slow
def test_moonshine_recognises_speech_while_it_is_sent() -> None:
    require_extra("demo")
    clip = Path(auricle.tasks.__file__).parent / "demo" / "demo_speech" / "s01-clean.opus"
    samples = to_int16(Audio(str(clip)).decode(16_000))
    stream = MoonshineStream().open_stream()
    events = [event for start in range(0, len(samples), 3200) for event in stream.accept(samples[start : start + 3200])]
    assert "Two goats wandered off" in [event.text for event in events][-1]
    assert {event.kind for event in events} == {EventKind.PARTIAL}
    (final,) = stream.finish()
    assert final.kind is EventKind.FINAL
    assert final.text.startswith("Two goats wandered off and nibbled the hydrangeas")
    assert final.item == events[-1].item


def test_a_missing_model_of_vosk_is_named() -> None:
    require_extra("vosk")
    with pytest.raises(SpecError, match="vosk: model folder not found"):
        load_model("vosk-stream", model="/nowhere")
