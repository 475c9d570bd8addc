"""What a recogniser hears of a request."""

from __future__ import annotations

import math

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Request, list_media


def get_single_audio(request: Request) -> Audio:
    """The one sound of a request; a recogniser can do nothing with none, and not with two."""
    sounds = [part for part in list_media(request) if isinstance(part, Audio)]
    if len(sounds) != 1:
        raise SampleError(f"a recogniser hears one sound a request, this one has {len(sounds)}")
    return sounds[0]


def get_candidate_audio(request: Predict) -> Audio:
    """The sound that is to be rated, whatever stands beside it."""
    sound = request.inputs.get("audio")
    if not isinstance(sound, Audio):
        given = ", ".join(request.inputs) or "nothing"
        raise SampleError(f"there is no sound under `audio` to rate; given: {given}")
    return sound


def to_pcm16(sound: Audio, rate: int) -> bytes:
    """Samples of 16 bits, which is what the older engines take."""
    samples = sound.decode(rate).clip(-1.0, 1.0) * 32_767
    return samples.astype("<i2").tobytes()


def parse_crop(model_name: str, crop: object) -> float | None:
    """How many seconds of each sound a model is to hear; None for all of them."""
    if crop is None:
        return None
    if isinstance(crop, bool) or not isinstance(crop, (int, float)) or not 0 < crop < math.inf:
        raise SpecError(f"{model_name}: crop should be seconds above 0, not {crop!r}.")
    return float(crop)


def crop_audio(sound: Audio, crop: float | None) -> Audio:
    """The first `crop` seconds of a sound, if it has more."""
    return sound if crop is None or sound.seconds <= crop else sound.segment(end=crop)
