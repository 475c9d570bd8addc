"""Tests of choosing an inferencer and previewing its requests."""

from __future__ import annotations

import asyncio

import pytest

from auricle import Sample
from auricle.core.errors import Unsupported
from auricle.core.types import Generate
from auricle.tasks.inferencers import FirstSupported, Measure, Respond, preview_requests, select_inferencer


def test_the_first_inferencer_a_model_supports_is_selected() -> None:
    inferencer = FirstSupported((Measure(), Respond("{text}")))
    assert select_inferencer(inferencer, ["generate"], "t", "m") == Respond("{text}")
    assert select_inferencer(inferencer, ["predict", "generate"], "t", "m") == Measure()
    with pytest.raises(Unsupported, match="t needs a model that can predict or generate; m can log"):
        select_inferencer(inferencer, ["loglikelihood"], "t", "m")


def test_a_preview_returns_the_requests() -> None:
    sample = Sample(id="1", inputs={"text": "x"})
    (request,) = asyncio.run(preview_requests(Respond("{text}"), sample))
    assert isinstance(request, Generate)
    assert request.turns[0].parts == ("x",)
