"""Tests of the inferencers `measure` and `compare`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from auricle import Audio, Prediction, Sample
from auricle.core.errors import NotFinite, SampleError
from auricle.tasks.inferencers import Compare, Measure
from auricle.tasks.inferencers.measure import require_inputs

OUTPUT = Prediction(values={"mos": 1.0}, scale="continuous")


def inputs_sent(inferencer: Any, **inputs: Any) -> list[dict[str, Any]]:
    sent = []

    async def ask(request: Any) -> Any:
        sent.append(dict(request.inputs))
        return OUTPUT

    asyncio.run(inferencer(Sample(id="1", inputs=inputs), ask))
    return sent


def test_measure_sends_the_first_part_of_each_input() -> None:
    first, second = Audio("a.wav"), Audio("b.wav")
    sent = inputs_sent(Measure(), audio=[first, second], text="x", image=[], choices=["y"])
    assert sent == [{"audio": first, "text": "x"}]


def test_compare_sends_each_candidate_with_the_shared_inputs() -> None:
    first, second = Audio("a.wav"), Audio("b.wav")
    assert inputs_sent(Compare(), a=first, b=second, text="x") == [
        {"text": "x", "audio": first},
        {"text": "x", "audio": second},
    ]


def test_a_missing_input_is_reported() -> None:
    with pytest.raises(SampleError, match="missing input 'b'"):
        require_inputs(("a", "b"), {"a": 1})


def test_the_candidate_of_a_non_finite_score_is_named() -> None:
    async def ask(request: Any) -> Any:
        raise NotFinite("NaN")

    with pytest.raises(NotFinite, match="a: NaN"):
        asyncio.run(Compare()(Sample(id="1", inputs={"a": Audio("a.wav"), "b": Audio("b.wav")}), ask))
