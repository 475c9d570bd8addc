"""Audio has the members of both forms that Hugging Face's datasets return."""

from typing import Any

import numpy as np
import pytest

from auricle.frameworks.lmms.media import LazyAudioDict
from auricle.frameworks.lmms.sounds import AudioDict
from auricle.media import Audio


@pytest.fixture(params=["decoded", "lazy"])
def sound(request: pytest.FixtureRequest, tone: Any) -> Any:
    audio = Audio.of(tone("a.wav", seconds=0.1, rate=8_000))
    if request.param == "lazy":
        return LazyAudioDict(audio)
    return AudioDict(path=None, array=audio.decode(), sampling_rate=8_000)


def test_a_sound_has_the_keys_of_a_dict_and_the_same_attributes(sound: Any) -> None:
    assert (len(sound["array"]), sound["sampling_rate"]) == (800, 8_000)
    assert sound.array is sound["array"]
    assert sound.sampling_rate == sound._desired_sample_rate == 8_000


def test_a_sound_is_decoded_like_an_audio_decoder(sound: Any) -> None:
    samples = sound.get_all_samples()
    assert (samples.sample_rate, samples.duration_seconds, samples.pts_seconds) == (8_000, 0.1, 0.0)
    assert samples.data.shape == (1, 800)
    for array in (samples.data.cpu().numpy(), samples.data.detach().cpu().numpy(), np.array(samples.data)):
        assert np.array_equal(array[0], sound["array"])


def test_samples_can_be_converted_to_another_type(sound: Any) -> None:
    assert np.asarray(sound.get_all_samples().data, dtype=np.float64).dtype == np.float64
    assert not hasattr(sound.get_all_samples().data, "__no_such__")
