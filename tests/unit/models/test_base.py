"""Base classes of models."""

import asyncio
from collections.abc import Sequence

import pytest

from auricle.core.errors import Unsupported
from auricle.core.types import Generate, Generation, Predict, Prediction, Turn
from auricle.models import AsyncModel, BatchModel, abilities

REQUEST = Generate(turns=(Turn("user", ("hello",)),))


class Scorer(BatchModel):
    first_tokens = True

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values={"mos": 3.0}, scale="continuous") for _ in batch]


class Writer(AsyncModel):
    async def generate(self, request: Generate) -> Generation:
        return Generation(text="hello")


def test_abilities_are_the_overridden_methods() -> None:
    assert abilities(Writer) == ["generate"]
    assert abilities(Scorer) == ["predict", "first_tokens"]
    assert abilities(BatchModel) == abilities(AsyncModel) == []


def test_unsupported_requests_raise() -> None:
    with pytest.raises(Unsupported, match="Scorer does not support text generation"):
        Scorer().generate([REQUEST])
    with pytest.raises(Unsupported, match="Writer does not support predictions"):
        asyncio.run(Writer().predict(Predict(inputs={})))
    with pytest.raises(Unsupported, match="Writer does not support streaming"):
        Writer().stream(REQUEST)
