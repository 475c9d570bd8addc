"""What a recogniser hears of a request."""

from __future__ import annotations

from auricle.audio import Audio
from auricle.errors import SampleError
from auricle.types import Request, media


def the_sound(request: Request) -> Audio:
    """The one sound of a request; a recogniser can do nothing with none, and not with two."""
    sounds = [part for part in media(request) if isinstance(part, Audio)]
    if len(sounds) != 1:
        raise SampleError(f"a recogniser hears one sound a request, this one has {len(sounds)}")
    return sounds[0]


def pcm(sound: Audio, rate: int) -> bytes:
    """Samples of 16 bits, which is what the older engines take."""
    samples = sound.decode(rate).clip(-1.0, 1.0) * 32_767
    return samples.astype("<i2").tobytes()
