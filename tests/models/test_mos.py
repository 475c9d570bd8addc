"""Speech quality by the networks of speechmos, as the package's own code has it."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("mos")

import soundfile

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Predict
from auricle.media import Audio
from auricle.models import abilities
from auricle.models.mos import Dnsmos, Plcmos, split_windows
from tests.support.emotional_speech import about, spoken

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def plcmos() -> Any:
    return Plcmos()


@pytest.fixture(scope="module")
def dnsmos() -> Any:
    return Dnsmos()


def noisy(samples: Any, level: float = 0.05) -> Any:
    return samples + np.random.default_rng(0).normal(0, level, len(samples)).astype(np.float32)


def rated(model: Any, samples: Any) -> Any:
    (answer,) = model.predict([about(samples)])
    return answer.values


def test_models_support_only_predict() -> None:
    assert abilities(Plcmos) == abilities(Dnsmos) == ["predict"]


def test_noise_lowers_the_score(plcmos: Any, dnsmos: Any) -> None:
    clean, dirty = spoken(), noisy(spoken())
    assert rated(plcmos, clean)["plcmos"] > rated(plcmos, dirty)["plcmos"] + 0.5
    better, worse = rated(dnsmos, clean), rated(dnsmos, dirty)
    assert list(better) == ["ovrl_mos", "sig_mos", "bak_mos", "p808_mos"]
    assert all(better[name] > worse[name] for name in better)


def test_the_same_raters_rate_every_clip_and_every_run(plcmos: Any) -> None:
    first = rated(plcmos, spoken())
    rated(plcmos, spoken(2))
    assert rated(plcmos, spoken()) == first == rated(Plcmos(), spoken())
    assert rated(Plcmos(seed=1), spoken()) != first


def test_plcmos_equals_the_package_with_the_same_raters(plcmos: Any) -> None:
    """The package draws raters from numpy's own generator; many of them agree with ours."""
    drawn = np.random.default_rng(0).normal(size=(15, 64)).astype(np.float32)
    from speechmos.plcmos import PLCMOS

    package = PLCMOS()
    features = np.asarray(package.stft_transform(spoken()), dtype=np.float32)[np.newaxis, np.newaxis]
    requests = ({"degraded_audio": features, "rater_embed": item[None]} for item in drawn)
    expected = np.mean([package.session.run(None, item)[0].item() for item in requests])
    assert rated(plcmos, spoken())["plcmos"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("personalized", "seconds"), [(False, 10.5), (True, 5.0)])
def test_dnsmos_equals_the_package(personalized: bool, seconds: float) -> None:
    require_extra("emotion2vec")  # brings librosa, which the package's own code imports
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # librosa's and numba's, not ours
        from speechmos import dnsmos as package

        kind = "dnsmos_personalized" if personalized else "dnsmos"
        samples = np.resize(spoken(), round(seconds * 16_000))
        expected = package.run(samples, 16_000, model_type=kind)
    result = rated(Dnsmos(personalized=personalized), samples)
    assert result == pytest.approx({name: float(item) for name, item in expected.items()}, abs=1e-5)


@pytest.mark.parametrize(("seconds", "count"), [(1.0, 7), (9.01, 1), (10.5, 1), (12.0, 3)])
def test_windows_start_at_every_second(seconds: float, count: int) -> None:
    result = split_windows(np.zeros(round(seconds * 16_000)))
    assert [len(item) for item in result] == [int(9.01 * 16_000)] * count


def test_audio_beyond_full_scale_is_clipped(plcmos: Any) -> None:
    loud = 2.5 * spoken()
    assert rated(plcmos, loud) == rated(plcmos, loud.clip(-1, 1))


def test_only_the_crop_is_rated(tmp_path: Path) -> None:
    samples = spoken()
    soundfile.write(tmp_path / "a.wav", samples, 16_000, subtype="FLOAT")
    model = Plcmos(crop=0.5)
    (answer,) = model.predict([Predict(inputs={"audio": Audio.of(tmp_path / "a.wav")})])
    assert answer.values == rated(Plcmos(), samples[:8_000])


def test_reference_audio_is_ignored(plcmos: Any) -> None:
    sound = Audio.of(spoken(), rate=16_000)
    request = Predict(inputs={"audio": sound, "ref_audio": sound, "text": "a voice"})
    assert plcmos.predict([request])[0].values == rated(plcmos, spoken())


def test_too_short_clip_fails(plcmos: Any, dnsmos: Any) -> None:
    for model in (plcmos, dnsmos):
        with pytest.raises(SampleError, match=r"the clip has 0\.010 s; at least 0\.1 s are needed"):
            rated(model, np.zeros(160, np.float32))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"raters": 0}, "raters must be a whole number of at least 1"), ({"crop": -1}, "crop must be")],
)
def test_invalid_argument_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Plcmos(**arguments)


@pytest.mark.parametrize("model", [Plcmos, Dnsmos])
def test_missing_package_error_names_the_extra(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.mos.find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"auricle\[mos\]"):
        model()
