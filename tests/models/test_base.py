"""Base classes of models."""

import asyncio
from collections.abc import Sequence

import pytest

from auricle.core.errors import Unsupported
from auricle.core.types import Generate, Generation, Predict, Prediction, Turn
from auricle.models import AsyncModel, BatchModel, abilities
from auricle.models.base import answer_in_groups

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


def test_answers_of_groups_keep_the_order_of_the_items() -> None:
    calls: list[tuple[bool, list[int]]] = []

    def answer(is_odd: bool, items: list[int]) -> list[str]:
        calls.append((is_odd, items))
        return [str(item) for item in items]

    assert answer_in_groups([2, 1, 4, 3], [False, True, False, True], answer) == ["2", "1", "4", "3"]
    assert calls == [(False, [2, 4]), (True, [1, 3])]
