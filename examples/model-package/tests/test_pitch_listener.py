"""The model does what Auricle relies on, and hears the direction of a step."""

import auricle
import numpy as np
import pytest
from auricle import Prediction
from auricle.testing import check_model

from auricle_pitch_listener import PitchListener

RATE = 8_000


def test_model_does_what_auricle_relies_on() -> None:
    check_model(PitchListener)


@pytest.mark.parametrize("semitones", [-12, -3, -1, 1, 3, 12])
def test_direction_of_a_step_is_heard(semitones: int) -> None:
    seconds = np.arange(RATE // 4) / RATE
    tones = [np.sin(2 * np.pi * pitch * seconds) for pitch in (330.0, 330.0 * 2 ** (semitones / 12))]
    with auricle.load_model("pitch-listener") as model:
        prediction = model.ask(np.concatenate(tones), rate=RATE)
    assert isinstance(prediction, Prediction)
    assert prediction.values["higher"] == pytest.approx(1.0 if semitones > 0 else 0.0, abs=0.01)
    assert sum(prediction.values.values()) == pytest.approx(1.0)
