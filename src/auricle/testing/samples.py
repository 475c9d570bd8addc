"""Sounds and requests for tests of models: ordinary ones, and those that models often get wrong."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.calls import Step
from auricle.core.types import Call, Generate, LogLikelihood, Part, Predict, Request, Turn
from auricle.media import Audio, Image
from auricle.tasks.demo.kinds import FOLDER as DEMO_FOLDER

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

ORDINARY_SOUNDS = ("speech", "other_speech", "tone", "noise")
"""Sounds of different content and length that every model that takes audio should answer."""
LABELS = ("angry", "happy", "neutral", "sad")
INSTRUCTIONS = (
    "Please transcribe the spoken content into written text.",
    "What do you hear?",
    "Describe the sound in one sentence, and name its source.",
    "Who speaks?",
)
CONTINUATIONS = ("yes", "it is a voice", "a tone that does not change", "someone speaks")
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mM4oKAARAwQCgAejgQBf4ruEwAAAABJRU5ErkJggg=="
)
"""An image of two by two pixels."""


def sample_sounds(
    folder: str | PathLike[str], *, rate: int = 16_000, max_seconds: float | None = None, long_seconds: float = 60.0
) -> dict[str, Audio]:
    """Write sounds for tests as files and return them by name.

    `speech` and `other_speech` are sentences of the demo task, `tone` and `noise` are artificial, `silent` is a second
    of zeros, `short` has 10 milliseconds, `long` repeats the speech, `stereo` has two channels at 44.1 kHz, `telephone`
    has 8 kHz, `empty` is a file without samples, and `damaged` ends in the middle.

    Args:
        folder: Where the files are written.
        rate: Sample rate of the files whose rate is not part of their purpose.
        max_seconds: Length to which all files but `long` are cut.
        long_seconds: Length of `long`.

    Examples:
        >>> import tempfile
        >>> sounds = sample_sounds(tempfile.mkdtemp())
        >>> sounds["silent"].seconds, sounds["stereo"].info().channels
        (1.0, 2)
    """
    import numpy as np

    speech = _read_speech("s01-clean", rate)
    seconds = {"tone": np.arange(round(1.5 * rate)) / rate, "stereo": np.arange(44_100) / 44_100}
    tones = {name: (0.3 * np.sin(2 * np.pi * 440 * times)).astype(np.float32) for name, times in seconds.items()}
    waveforms: dict[str, tuple[NDArray[float32], int]] = {
        "speech": (speech, rate),
        "other_speech": (_read_speech("s02-clean", rate), rate),
        "tone": (tones["tone"], rate),
        "noise": (np.random.default_rng(0).normal(0, 0.1, 2 * rate).astype(np.float32), rate),
        "silent": (np.zeros(rate, np.float32), rate),
        "short": (speech[rate : rate + rate // 100], rate),
        "stereo": (np.stack([tones["stereo"], -0.5 * tones["stereo"]], axis=1), 44_100),
        "telephone": (_read_speech("s01-clean", 8_000), 8_000),
        "empty": (np.zeros(0, np.float32), rate),
        "damaged": (speech, rate),
    }
    cut = {
        name: (values if max_seconds is None else values[: int(max_seconds * file_rate)], file_rate)
        for name, (values, file_rate) in waveforms.items()
    }
    return _write_sounds(Path(folder), {**cut, "long": (np.resize(speech, round(long_seconds * rate)), rate)})


def _read_speech(name: str, rate: int) -> NDArray[float32]:
    return Audio(str(DEMO_FOLDER / f"{name}.opus")).decode(rate)


def _write_sounds(folder: Path, waveforms: Mapping[str, tuple[NDArray[float32], int]]) -> dict[str, Audio]:
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    sounds = {}
    for name, (values, rate) in waveforms.items():
        path = folder / f"{name}.{'flac' if name == 'damaged' else 'wav'}"
        soundfile.write(path, values, rate, subtype="PCM_16")
        if name == "damaged":  # its header is intact, so that only decoding fails
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2])
        sounds[name] = Audio(str(path))
    return sounds


def sample_requests(sounds: Mapping[str, Audio]) -> dict[str, Request]:
    """Return requests of every kind by name, for tests of models.

    Args:
        sounds: Sounds from `sample_sounds`.

    Examples:
        >>> import tempfile
        >>> requests = sample_requests(sample_sounds(tempfile.mkdtemp()))
        >>> requests["transcribe"].audio.path.name, requests["predict"].labels
        ('speech.wav', ('angry', 'happy', 'neutral', 'sad'))
    """
    speech, other = sounds["speech"], sounds["other_speech"]
    transcribe = make_request(Generate, speech)
    assert isinstance(transcribe, Generate)
    return {
        "transcribe": transcribe,
        "text": _ask("What is the capital of Italy?"),
        "question": _ask(speech, "Who speaks?"),
        "several_sounds": _ask(speech, other, "Which recording is longer?"),
        "image": _ask(Image(data=PNG), "Which colour is this?"),
        "conversation": add_turns(transcribe),
        "first_tokens": replace(_ask(speech, "Is this speech? Answer yes or no."), max_tokens=1, first_tokens=5),
        "loglikelihood": make_request(LogLikelihood, speech),
        "predict": make_request(Predict, speech),
        "reward": Predict(inputs={"audio": speech, "text": "A sentence, read calmly.", "ref_audio": other}),
    }


def _ask(*parts: Part) -> Generate:
    return Generate(turns=(Turn("user", parts),))


def make_request(kind: type[Request], audio: Audio | None, variant: int = 0) -> Request:
    """Return an ordinary request of a kind; variants differ in their text."""
    parts: tuple[Part, ...] = (*([audio] if audio else []), INSTRUCTIONS[variant])
    if kind is LogLikelihood:
        return LogLikelihood(turns=(Turn("user", parts),), continuation=CONTINUATIONS[variant])
    if kind is Predict:
        inputs: dict[str, Part] = {"audio": audio} if audio else {"text": INSTRUCTIONS[variant]}
        return Predict(inputs=inputs, labels=LABELS)
    return _ask(*parts)


def add_turns(request: Generate) -> Generate:
    """Return the request as a conversation of several turns that ends with another question."""
    return replace(
        request,
        turns=(
            Turn("system", ("Answer briefly.",)),
            *request.turns,
            Turn("assistant", ("Two goats wandered off.",)),
            Turn("user", ("Are you sure? Answer once more.",)),
        ),
    )


def replace_sounds(request: Request, audio: Audio) -> Request:
    """Return the request with another sound in the place of each of its own."""
    return map_parts(request, lambda part: audio if isinstance(part, Audio) else part)


def map_parts(request: Request, change: Callable[[Part], Part | None]) -> Request:
    """Return the request with changed parts; those that become None are left out."""

    def changed(parts: Iterable[Part]) -> tuple[Part, ...]:
        return tuple(result for part in parts if (result := change(part)) is not None)

    if isinstance(request, Call):
        return replace(request, steps=tuple(_change_step(step, change) for step in request.steps))
    if isinstance(request, Predict):
        inputs: dict[str, Any] = {name: change(part) for name, part in request.inputs.items()}
        return replace(request, inputs={name: part for name, part in inputs.items() if part is not None})
    turns = tuple(replace(turn, parts=changed(turn.parts)) for turn in request.turns)
    return replace(request, turns=turns)


def _change_step(step: Step, change: Callable[[Part], Part | None]) -> Step:
    parts = (change(part) if isinstance(part, Audio) else part for part in step.audio)
    return replace(step, audio=tuple(part for part in parts if isinstance(part, (Audio, float))))
