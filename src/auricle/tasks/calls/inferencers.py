"""Inferencers for session models: `hold-call` lets a scripted caller talk, `stream-audio` sends a recording live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import orjson

from auricle.core.calls import CallRecording, Step
from auricle.core.errors import SampleError
from auricle.core.types import Ability, Ask, Call, Generation, Output, Sample, list_parts
from auricle.media import Audio
from auricle.tasks.calls.call_scripts import CallScript
from auricle.tasks.calls.simulated_caller import CallerModel, CallerPrompt, SimulatedCaller


@dataclass(frozen=True)
class HoldCall:
    """Holds one call per sample, whose input `script` has what the caller does; see `CallScript`.

    A sample with an input `caller` continues after the script with a caller that a language model plays.
    """

    caller_model: CallerModel | None = None
    needs: ClassVar[Ability] = "call"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(self.request(sample)),)

    def request(self, sample: Sample) -> Call:
        """Return the call of a sample."""
        script = sample.inputs.get("script")
        if not isinstance(script, str):
            raise SampleError("no conversation: the sample has no input 'script'")
        return CallScript(script, tuple(_list_clips(sample, "clips"))).to_call(self._make_caller(sample))

    def _make_caller(self, sample: Sample) -> SimulatedCaller | None:
        prompt = sample.inputs.get("caller")
        if not isinstance(prompt, str):
            return None
        if self.caller_model is None:
            raise SampleError("no model to play the caller: give the task `caller` with the name of a model")
        return SimulatedCaller(self.caller_model.load(), CallerPrompt(**orjson.loads(prompt)), seed=sample.id)

    async def close(self) -> None:
        """Release the language model of the callers."""
        if self.caller_model:
            await self.caller_model.close()


@dataclass(frozen=True)
class StreamAudio:
    """Sends a recording, unchanged, at the pace at which it was spoken; the answer is what the model understood.

    The answer is text with the recording of the call beside it, so that the metrics of recognition apply to it as well
    as those of streaming.
    """

    audio: str = "audio"
    """Name of the input with the recording."""
    language: str = ""
    response_timeout: float = 10.0
    """Longest time to wait for the last text after the end of the recording."""
    needs: ClassVar[Ability] = "call"
    further_metrics: ClassVar = ("streaming",)
    """Metrics beside those of the task kind; that one applies to no sample is no failure."""

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        recording = cast(CallRecording, await ask(self.request(sample)))
        return (Generation(text=recording.understood, call=recording),)

    def request(self, sample: Sample) -> Call:
        """Return the call of a sample; several recordings are sent one after the other."""
        clips = _list_clips(sample, self.audio)
        if not clips:
            raise SampleError(f"no recording to stream: the sample has no input {self.audio!r} with audio")
        seconds = sum(clip.seconds for clip in clips)
        return Call(
            steps=(Step(kind="say", audio=tuple(clips), trim=False),),
            mode="transcribe",
            language=self.language or str(sample.meta.get("language") or ""),
            max_seconds=seconds + self.response_timeout + 5.0,
            response_timeout=self.response_timeout,
        )


def _list_clips(sample: Sample, name: str) -> list[Audio]:
    return [part for part in list_parts(sample.inputs.get(name, ())) if isinstance(part, Audio)]
