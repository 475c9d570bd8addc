"""Turn the sound that a synthesiser returns into an output.

A function returns `Audio`, the bytes of a file, samples with their rate as `(samples, rate)` or `(rate, samples)`, or a
dict with `audio` and `sampling_rate`, as pipelines of transformers do. Samples are an array, a tensor or a list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.errors import AudioError, SampleError
from auricle.core.types import Generation
from auricle.media import Audio

RATE_KEYS = ("sampling_rate", "sample_rate", "rate")
SOUND_KEYS = ("audio", "array", "waveform")
MAX_CHANNELS = 2
MAX_RATE = 655_350
"""Highest sample rate of FLAC, in which speech is stored."""


def to_spoken_output(value: Any) -> Generation | None:
    """Return a generation with the sound that a model returned, or None if the value is no sound.

    Raises:
        SampleError: if it is a sound that cannot be used.
    """
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if isinstance(value, Audio):
        return Generation(text="", audio=value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Generation(text="", audio=Audio(data=bytes(value)) if value else None)
    if isinstance(value, tuple) and len(value) == 2 and (pair := _split_pair(*value)):
        return Generation(text="", audio=_make_audio(*pair))
    if isinstance(value, tuple) and any(map(_is_array, value)):
        kinds = ", ".join(type(part).__name__ for part in value)
        raise SampleError(f"the model returned ({kinds}); expected audio as (samples, rate), with a number as rate")
    return None


def _from_mapping(value: Mapping[Any, Any]) -> Generation | None:
    sound = next((value[key] for key in SOUND_KEYS if value.get(key) is not None), None)
    rate = next((value[key] for key in RATE_KEYS if value.get(key) is not None), None)
    text = value.get("text", "")
    if isinstance(sound, Audio):
        audio = sound
    elif _is_array(sound) or (isinstance(sound, (list, tuple)) and rate is not None):
        if rate is None:
            raise SampleError("the model returned audio without 'sampling_rate'")
        audio = _make_audio(sound, rate)
    else:
        return None
    return Generation(text=text if isinstance(text, str) else "", audio=audio)


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0


def _is_rate(value: Any) -> bool:
    number = value.item() if getattr(value, "ndim", None) == 0 else value
    return isinstance(number, (int, float)) and not isinstance(number, bool)


def _split_pair(first: Any, second: Any) -> tuple[Any, Any] | None:
    """Return samples and rate, in whichever order they are."""
    for samples, rate in ((first, second), (second, first)):
        if _is_rate(rate) and (_is_array(samples) or isinstance(samples, list)):
            return samples, rate
    return None


def _make_audio(samples: Any, rate: Any) -> Audio:
    """Return audio of an array, with a first dimension of channels if it is short."""
    if not 1 <= rate <= MAX_RATE:
        raise SampleError(f"the model returned audio with a rate of {rate}; expected Hz, from 1 to {MAX_RATE}")
    if callable(detach := getattr(samples, "detach", None)):  # a tensor, maybe on another device
        samples = detach().cpu().numpy()
    shape: tuple[int, ...] = getattr(samples, "shape", ())
    if len(shape) > 1 and shape[0] <= MAX_CHANNELS < shape[-1]:
        samples = samples.T if len(shape) == 2 else samples.reshape(-1)
    try:
        return Audio.of(samples, rate=int(rate))
    except AudioError as error:
        raise SampleError(f"the model returned audio that cannot be used: {error}") from error
