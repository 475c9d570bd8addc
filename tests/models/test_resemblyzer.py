"""Resemblyzer, with the numbers of the package's own code."""

import warnings
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("speakers")

from auricle import Audio, Predict
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.models.listing import ModelListing
from auricle.models.resemblyzer import Resemblyzer
from tests.support.emotional_speech import spoken

pytestmark = pytest.mark.slow

LARGEST = {45: 0.25212, 148: 0.22114, 197: 0.1982, 102: 0.196367}
"""Largest numbers of the embedding of `spoken(1)`, from the package's own code with librosa's spectra."""


@pytest.fixture(scope="module")
def model() -> Any:
    return Resemblyzer(device="cpu")


def clip(samples: Any) -> Audio:
    return Audio.of(np.asarray(samples, dtype=np.float32), rate=16_000)


def test_embeddings_equal_those_of_the_package(model: Any) -> None:
    (vector,) = model.embed([clip(spoken())])
    assert {index: float(vector[index]) for index in np.argsort(-vector)[:4].tolist()} == pytest.approx(
        LARGEST, abs=2e-6
    )


def test_a_recording_has_the_same_embedding_in_any_batch(model: Any) -> None:
    together = model.embed([clip(spoken(1)), clip(spoken(2)), clip(spoken(3)[:8_000])])
    alone = [model.embed([clip(samples)])[0] for samples in (spoken(1), spoken(2), spoken(3)[:8_000])]
    assert np.abs(np.array(together) - np.array(alone)).max() < 1e-6


def test_a_raised_voice_scores_lower_than_the_rest_of_the_sentence(model: Any) -> None:
    first, rest = np.array_split(spoken(), 2)
    raised = np.interp(np.arange(0, len(rest), 1.35), np.arange(len(rest)), rest)
    requests = [Predict(inputs={"a": clip(first), "b": clip(samples)}) for samples in (rest, raised)]
    same, other = (answer.values["score"] for answer in model.predict(requests))
    assert same > other + 0.1


def test_silence_is_not_embedded(model: Any) -> None:
    with pytest.raises(SampleError, match="the recording is silent"):
        model.embed([clip(np.zeros(16_000))])
    with pytest.raises(SampleError, match="no speech was detected"):
        model.embed([clip(np.r_[0.5, np.zeros(15_999)])])


def test_pauses_are_kept_without_voice_activity_detection(model: Any) -> None:
    padded = clip(np.concatenate([np.zeros(80_000), spoken(), np.zeros(80_000)]))
    untrimmed = Resemblyzer(vad=False, device="cpu")
    (trimmed_vector,), (whole_vector,) = model.embed([padded]), untrimmed.embed([padded])
    (reference,) = model.embed([clip(spoken())])
    assert trimmed_vector @ reference > whole_vector @ reference + 0.01


def test_loading_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Resemblyzer(device="cpu").close()


def test_wrong_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="crop must be a number of seconds above 0"):
        Resemblyzer(crop=-1)
    monkeypatch.setattr(Resemblyzer, "listing", ModelListing(extra="speakers", packages=("no_such_package",)))
    with pytest.raises(MissingExtra, match="speakers"):
        Resemblyzer()
