"""Log-mel statistics and custom encoders."""

from typing import Any

import numpy as np
import pytest

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.prompts.retrievers.encoders import logmel
from tests.support.few_shot import make_sample, make_samples, make_selector, noise, select_ids


def test_logmel_is_nearly_independent_of_loudness() -> None:
    quiet, loud = (Sample(id="x", inputs={"audio": Audio.of(gain * noise(), rate=16_000)}) for gain in (0.01, 0.5))
    assert logmel([quiet]) == pytest.approx(logmel([loud]), abs=0.01)


def test_logmel_accepts_the_shortest_clip() -> None:
    short = Sample(id="x", inputs={"audio": Audio.of(noise()[:10], rate=16_000)})
    assert np.isfinite(logmel([short])).all()


def test_logmel_refuses_a_pool_without_audio() -> None:
    with pytest.raises(SpecError, match="r0 has no audio"):
        make_selector({"use": "dense", "encoder": "logmel", "k": 1}, make_samples(3)).validate()


def test_encoder_can_be_a_function_in_a_file(encoder: Any) -> None:
    pool = [make_sample("east", "1 0"), make_sample("north", "0 1"), make_sample("west", "-1 0")]
    options = {"use": "dense", "encoder": encoder, "k": 2}
    assert select_ids(options, pool, make_sample("x", "0.2 9")) == ["east", "north"]


@pytest.mark.parametrize(
    ("name", "message"), [("logmle", "Did you mean logmel"), ("text", "needs a model: text:FOLDER")]
)
def test_unknown_encoder_is_refused(name: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as refused:
        make_selector({"use": "dense", "encoder": name, "k": 2}, make_samples(3))
    assert refused.value.location == ("shots", "encoder")
