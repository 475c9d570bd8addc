"""Tests of choosing an inferencer, previewing its requests and attaching context to them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from auricle import Generation, Prediction, Sample
from auricle.core.errors import Unsupported
from auricle.core.types import Ability, Ask, Generate, Output, Predict, Request, Turn
from auricle.engine.inferencers import (
    FirstSupported,
    Measure,
    Respond,
    preview_requests,
    select_inferencer,
    with_context,
)
from auricle.engine.inferencers.base import (
    WithContext,
    adapt_to_load_test,
    list_seeds,
    refuse_in_preview,
    with_seed,
    within_limits,
)


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


@dataclass(frozen=True)
class SendsItself:
    """Asks the model once, then sends a request itself."""

    is_load_test: bool = False
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        answer = await ask(Generate(turns=(Turn("user", ("first",)),), max_tokens=8))
        refuse_in_preview("sends the second request itself")
        return (answer, answer)

    def adapt_to_load_test(self) -> SendsItself:
        return replace(self, is_load_test=True)


def test_a_preview_ends_where_an_inferencer_sends_a_request_itself() -> None:
    sample = Sample(id="1", inputs={})
    assert len(asyncio.run(preview_requests(SendsItself(), sample))) == 1

    async def ask(request: Request) -> Output:
        return Generation(text="yes")

    assert len(asyncio.run(SendsItself()(sample, ask))) == 2


def test_an_inferencer_is_adapted_to_a_load_test_within_its_context() -> None:
    adapted = adapt_to_load_test(WithContext(SendsItself(), {}))
    assert isinstance(adapted, WithContext)
    assert adapted.inner == SendsItself(is_load_test=True)
    assert adapt_to_load_test(Respond("{text}")) == Respond("{text}")


class Curious:
    wants_context = True


SAMPLE = Sample(id="7", inputs={"q": "x"}, meta={"speaker": "a"})


def requests_of(inferencer: Any, output: Any) -> Any:
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        return output

    asyncio.run(inferencer(SAMPLE, ask))
    return requests


def test_only_models_that_want_context_receive_it() -> None:
    respond = Respond("{q}")
    assert with_context(respond, object, {}) is respond
    assert with_context(respond, Curious, {"name": "t"}) == WithContext(respond, {"name": "t"})


def test_the_context_contains_task_and_sample() -> None:
    (request,) = requests_of(WithContext(Respond("{q}"), {"name": "t"}), Generation(text="a"))
    assert request.context == {"task": {"name": "t"}, "id": "7", "meta": {"speaker": "a"}}


def test_requests_for_scores_have_the_context_too() -> None:
    output = Prediction(values={"mos": 1.0}, scale="continuous")
    (request,) = requests_of(WithContext(Measure(), {"name": "t"}), output)
    assert request.context["id"] == "7"


def test_a_model_gets_the_values_that_it_wants_by_name() -> None:
    class Named:
        wants_inputs = ("speaker", "q", "mood")

    inferencer = with_context(Respond("{q}"), Named, {"name": "t"})
    (request,) = requests_of(inferencer, Generation(text="a"))
    assert request.context == {"speaker": "a", "q": "x"}
    assert repr(inferencer) == repr(Respond("{q}"))  # runs of models with other parameters have the same prompt


class ShortClips:
    max_seconds = 30.0


def test_the_seed_of_a_run_is_added_to_that_of_each_request() -> None:
    sample = Sample(id="1", inputs={"text": "x"})
    several = Respond("{text}", samples=3, temperature=0.7)
    wrapped = within_limits(with_seed(several, 5), ShortClips, "")
    requests = asyncio.run(preview_requests(wrapped, sample))
    assert [request.seed for request in requests if isinstance(request, Generate)] == [5, 6, 7]
    assert list_seeds(wrapped, 5) == (5, 6, 7)
    assert (repr(wrapped), with_seed(several, 0)) == (repr(several), several)


def test_predictions_have_the_seed_of_the_run() -> None:
    sample = Sample(id="1", inputs={"text": "x"})
    (request,) = asyncio.run(preview_requests(with_seed(Measure(), 5), sample))
    assert isinstance(request, Predict)
    assert request.seed == 5
    assert list_seeds(Measure(), 5) == (5,)
