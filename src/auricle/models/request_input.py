"""Read the audio, the video frames and the text of a request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Request, Turn
from auricle.media import Audio, Image, Video
from auricle.media.video import FrameSampling

SPEECH_RATE = 16_000


class VoicePrompt(NamedTuple):
    """A voice to imitate: a recording, and what is spoken in it (empty if unknown)."""

    audio: Audio
    text: str


def get_voice_prompt(request: Request) -> VoicePrompt | None:
    """Return the voice that a synthesiser should imitate: audio in an assistant turn before the text to speak."""
    turns = getattr(request, "turns", ())
    spoken = next((turn for turn in turns if turn.role == "assistant" and has_sound(turn)), None)
    if spoken is None:
        return None
    audio = next(part for part in spoken.parts if isinstance(part, Audio))
    return VoicePrompt(audio, "".join(part for part in spoken.parts if isinstance(part, str)))


def has_sound(turn: Turn) -> bool:
    """Return whether a turn contains audio."""
    return any(isinstance(part, Audio) for part in turn.parts)


def get_single_audio(request: Request) -> Audio:
    """Return the only audio clip of a request."""
    clips = request.audios
    if len(clips) != 1:
        raise SampleError(f"expected exactly one audio clip in the request, got {len(clips)}")
    return clips[0]


def get_candidate_audio(request: Predict) -> Audio:
    """Return the clip to rate, from the input `audio`."""
    audio = request.inputs.get("audio")
    if not isinstance(audio, Audio):
        input_names = ", ".join(request.inputs) or "none"
        raise SampleError(f"no audio under the input `audio`; inputs: {input_names}")
    return audio


def to_pcm16(audio: Audio, rate: int) -> bytes:
    """Return the samples as 16-bit little-endian PCM."""
    samples = audio.decode(rate).clip(-1.0, 1.0) * 32_767
    return samples.astype("<i2").tobytes()


def parse_crop(model_name: str, crop: object) -> float | None:
    """Return the maximum seconds per clip, or None for the whole clip."""
    if crop is None:
        return None
    if isinstance(crop, bool) or not isinstance(crop, (int, float)) or not 0 < crop < math.inf:
        raise SpecError(f"{model_name}: crop must be a number of seconds above 0, not {crop!r}.")
    return float(crop)


def crop_audio(audio: Audio, crop: float | None) -> Audio:
    """Return the first `crop` seconds of a clip."""
    return audio if crop is None or audio.seconds <= crop else audio.segment(end=crop)


def parse_frame_sampling(model_name: str, frames: int | None, fps: float | None) -> FrameSampling | None:
    """Return how frames of videos are sampled, or None if neither option is set."""
    if frames is None and fps is None:
        return None
    try:
        return FrameSampling(frames, fps)
    except ValueError as error:
        raise SpecError(f"{model_name}: {error}. Set -M frames=8 or -M fps=1.") from error


def sample_frames(video: Video, sampling: FrameSampling) -> list[Image]:
    """Return frames of a video as images."""
    return video.frames(sampling.count, fps=sampling.fps)


def turn_text(turn: Turn) -> str:
    """Return the text of a turn; raise `SampleError` if it contains audio, images or video."""
    for part in turn.parts:
        if not isinstance(part, str):
            raise SampleError(f"this model accepts only text, not {type(part).__name__}")
    return "".join(str(part) for part in turn.parts)


def join_turns(turns: Sequence[Turn]) -> str:
    """Join the text of all turns, one per line, without role names."""
    return "\n".join(turn_text(turn) for turn in turns)
