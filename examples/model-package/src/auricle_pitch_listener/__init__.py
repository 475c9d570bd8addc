"""The model `pitch-listener` for Auricle."""

import math
from collections.abc import Sequence

import numpy as np
from auricle import BatchModel, Predict, Prediction, SampleError
from numpy.typing import NDArray

COMPARED_SHARE = 0.4
"""Share of a recording that counts as its beginning, and as its end."""
LOWEST_PITCH = 40.0


class PitchListener(BatchModel):
    """Hear whether the pitch of a recording rises or falls."""

    batch_size = 16
    sample_rate = 8_000  # audio is decoded to this rate before the call
    modalities = ("text", "audio")

    def __init__(self, sharpness: float = 8.0) -> None:
        self.sharpness = sharpness

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [self._compare(request) for request in batch]

    def _compare(self, request: Predict) -> Prediction:
        if request.audio is None:
            raise SampleError("the request has no recording")
        waveform = request.audio.decode(self.sample_rate)
        length = int(COMPARED_SHARE * len(waveform))
        pitches = [self._estimate_pitch(part) for part in (waveform[:length], waveform[len(waveform) - length :])]
        semitones = 12 * math.log2(pitches[1] / pitches[0])
        rising = 1 / (1 + math.exp(-max(-30.0, min(30.0, self.sharpness * semitones))))
        return Prediction(values={"higher": rising, "lower": 1 - rising}, scale="probability")

    def _estimate_pitch(self, waveform: NDArray[np.float32]) -> float:
        """Return the frequency with the most energy, or the lowest pitch if there is no sound."""
        if not waveform.any():
            return LOWEST_PITCH
        padded_length = 8 * len(waveform)  # finer steps between frequencies
        spectrum = np.abs(np.fft.rfft(waveform * np.hanning(len(waveform)), padded_length))
        return max(LOWEST_PITCH, float(spectrum.argmax()) * self.sample_rate / padded_length)
