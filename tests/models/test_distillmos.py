"""DistillMOS, with a network in place of that of the package, which is not installed for tests."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("speakers")

import torch

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Predict
from auricle.media import Audio
from auricle.models import abilities
from auricle.models.distillmos import Distillmos
from auricle.models.listing import ModelListing

pytestmark = pytest.mark.slow


class Network(torch.nn.Module):  # type: ignore[misc]  # torch is not typed here
    """Rates a batch of one waveform by its loudness, and refuses what the real one would not be given."""

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        assert not self.training
        assert waveform.dtype == torch.float32
        assert waveform.shape[0] == 1
        return 1 + 4 * waveform.abs().mean(dim=1, keepdim=True)


@pytest.fixture
def distillmos(monkeypatch: pytest.MonkeyPatch) -> Any:
    package = ModuleType("distillmos")
    package.ConvTransformerSQAModel = Network  # type: ignore[attr-defined]  # a package made here
    monkeypatch.setitem(sys.modules, "distillmos", package)
    monkeypatch.setattr(ModelListing, "is_installed", True)
    return Distillmos(device="cpu")


def rate(model: Any, samples: Any, rate: int = 16_000) -> Any:
    (answer,) = model.predict([Predict(inputs={"audio": Audio.of(samples.astype(np.float32), rate=rate)})])
    return answer


def test_the_rating_has_the_name_of_the_predictor(distillmos: Any) -> None:
    answer = rate(distillmos, np.full(16_000, 0.5))
    assert answer.values == pytest.approx({"distillmos": 3.0})
    assert answer.scale == "continuous"
    assert abilities(Distillmos) == ["predict"]


def test_clips_are_resampled_and_clipped_to_full_scale(distillmos: Any) -> None:
    assert rate(distillmos, np.full(8_000, 2.0), rate=8_000).values["distillmos"] == pytest.approx(5.0, abs=1e-2)


def test_a_clip_that_is_too_short_is_not_rated(distillmos: Any) -> None:
    with pytest.raises(SampleError, match=r"at least 0\.1 s are needed"):
        rate(distillmos, np.full(100, 0.5))


def test_without_the_package_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelListing, "is_installed", False)
    with pytest.raises(MissingExtra, match="distillmos"):
        Distillmos()


def test_a_package_that_cannot_be_imported_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distillmos", ModuleType("distillmos"))
    monkeypatch.setattr(ModelListing, "is_installed", True)
    with pytest.raises(SpecError, match="distillmos cannot be imported: cannot import name"):
        Distillmos()
