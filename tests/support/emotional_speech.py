"""Speech that ships with the package, in several file formats."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

import auricle.tasks
from auricle.core.types import Predict
from auricle.media import Audio

SPOKEN = Path(auricle.tasks.__file__).parent / "demo" / "demo_speech"


def spoken(number: int = 1) -> Any:
    """Return mono samples at 16 kHz without content above 6 kHz, so that resampled copies do not differ."""
    narrow = Audio.of(SPOKEN / f"s{number:02d}-clean.opus").decode(12_000)
    return soxr.resample(narrow, 12_000, 16_000)


def written(path: Any, samples: Any, rate: int = 16_000, channels: int = 1) -> Any:
    """Write a WAV file of these samples, at another rate or with equal channels."""
    samples = soxr.resample(samples, 16_000, rate) if rate != 16_000 else samples
    columns = np.repeat(samples[:, None], channels, axis=1)
    soundfile.write(path, columns, rate, subtype="FLOAT")
    return path


def about(sound: Any) -> Any:
    return Predict(inputs={"audio": Audio.of(sound, rate=16_000)})


def numbers(prediction: Any) -> Any:
    return np.array(list(prediction.values.values()))


def three_requests() -> Any:
    """Return requests for clips of three different lengths."""
    return [about(spoken(number)) for number in (1, 2, 3)]


other_file_formats = pytest.mark.parametrize(("rate", "channels"), [(48_000, 1), (16_000, 2), (48_000, 2)])


def predict_mono_and_copy(model: Any, folder: Path, rate: int, channels: int) -> Any:
    """Return the predictions for a clip and for a copy at another rate or with more channels."""
    original = written(folder / "mono.wav", spoken())
    copy = written(folder / "copy.wav", spoken(), rate, channels)
    return [numbers(prediction) for prediction in model.predict([about(str(original)), about(str(copy))])]
