"""Tests of attaching context to requests."""

from __future__ import annotations

import asyncio
from typing import Any

from auricle import Generation, Prediction, Sample
from auricle.tasks.inferencers import Measure, Respond, with_context
from auricle.tasks.inferencers.context import WithContext


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


def test_requests_for_scores_are_passed_on_unchanged() -> None:
    output = Prediction(values={"mos": 1.0}, scale="continuous")
    assert requests_of(WithContext(Measure(), {"name": "t"}), output) == requests_of(Measure(), output)
