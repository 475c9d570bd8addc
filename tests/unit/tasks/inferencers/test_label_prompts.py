"""Tests of the inferencer `labels`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from auricle import Audio, Sample, SpecError
from auricle.core.errors import SampleError
from auricle.core.types import Likelihood, Turn
from auricle.tasks.inferencers.label_prompts import LabelPrompts

SAMPLE = Sample(id="1", inputs={"text": "great film"})


def test_each_label_is_asked_with_its_whole_prompt() -> None:
    inferencer = LabelPrompts({"good": "{text}: good", "bad": "{text}: bad"})

    async def ask(request: Any) -> Likelihood:
        assert request.include_context
        return Likelihood(logprobs=(-float(len(request.continuation)),))

    outputs: Any = asyncio.run(inferencer(SAMPLE, ask))
    assert [(output.text, output.conditioned_on) for output in outputs] == [("good", "itself"), ("bad", "itself")]
    assert list(inferencer.prompt_columns.fields) == ["text"]


def test_the_last_message_is_the_continuation_of_the_others() -> None:
    messages = [{"role": "user", "content": "{text}"}, {"role": "assistant", "content": "good"}]
    request = LabelPrompts({"good": messages, "bad": "x"}).build_requests(SAMPLE)["good"]
    assert request.continuation == "good"
    assert request.turns == (Turn("user", ("great film",)),)


def test_two_labels_are_needed() -> None:
    with pytest.raises(SpecError, match="needs `templates`"):
        LabelPrompts({"good": "x"})


def test_a_prompt_that_ends_with_audio_is_rejected() -> None:
    sample = Sample(id="1", inputs={"text": Audio("a.wav")})
    with pytest.raises(SampleError, match="only the likelihood of text"):
        LabelPrompts({"good": "{text}", "bad": "{text}"}).build_requests(sample)
