"""Tests of the inferencers that ask for likelihoods."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from auricle import Audio, Generation, Sample, SpecError
from auricle.core.errors import SampleError
from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.data.prompts.example_pool import Example
from auricle.data.prompts.few_shot import FewShotSelector
from auricle.engine.inferencers import preview_requests
from auricle.metrics.catalogue import METRICS
from auricle.tasks.questions.inferencers import Choose, Continue, FirstToken, LabelPrompts

SAMPLE = Sample(id="1", inputs={"question": "Which?", "choices": ["cat", "dog"], "text": "a b"})


def run_inferencer(inferencer: Any, sample: Sample = SAMPLE) -> tuple[list[Any], Any]:
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        return Generation(text="A") if hasattr(request, "max_tokens") else Likelihood(logprobs=(-1.0,))

    return requests, asyncio.run(inferencer(sample, ask))


def test_choose_asks_about_each_option_after_the_prompt() -> None:
    requests, outputs = run_inferencer(Choose("{question}", option=" {letter}. {choice}"))
    assert [request.continuation for request in requests] == [" A. cat", " B. dog"]
    assert [(output.text, output.conditioned_on) for output in outputs] == [
        (" A. cat", "context"),
        (" B. dog", "context"),
    ]


@pytest.mark.parametrize(
    ("prompt", "continuations"),
    [
        ("{question}\nA. cat\nB. dog\nAnswer with the letter.", [" A", " B"]),
        ("(A) cat (B) dog {question}\n", ["A", "B"]),
        ("{question} cat or dog?", [" cat", " dog"]),
        ("A. cat? {question}", [" cat", " dog"]),  # not every option has its letter
        ("{question} (", ["cat", "dog"]),
        ("{question} 答案：", ["cat", "dog"]),
        ([{"role": "user", "content": "{question}"}, {"role": "assistant", "content": "A"}], [" cat", " dog"]),
    ],
)
def test_choose_scores_what_the_prompt_asks_for_with_a_space_where_text_needs_one(
    prompt: Any, continuations: list[str]
) -> None:
    requests, _ = run_inferencer(Choose(prompt))
    assert [request.continuation for request in requests] == continuations


def test_choose_writes_options_as_it_is_set_to() -> None:
    requests, _ = run_inferencer(Choose("A. cat\nB. dog\n{question}", option="{choice}"))
    assert [request.continuation for request in requests] == [" cat", " dog"]


def test_choose_can_also_ask_without_and_including_the_prompt() -> None:
    requests, outputs = run_inferencer(Choose("{question}", unconditional=True, whole=True))
    assert [output.conditioned_on for output in outputs] == ["context"] * 2 + ["nothing"] * 2 + ["itself"] * 2
    assert [len(request.turns) for request in requests] == [1, 1, 0, 0, 1, 1]


def test_first_token_asks_for_one_token() -> None:
    ((request,), _) = run_inferencer(FirstToken("{question}", tokens=5))
    assert (request.max_tokens, request.first_tokens) == (1, 5)


def test_continue_asks_about_the_text_alone_or_after_a_prompt() -> None:
    ((request,), (output,)) = run_inferencer(Continue())
    assert (request.turns, request.continuation, output.conditioned_on) == ((), "a b", "nothing")
    ((request,), (output,)) = run_inferencer(Continue("{question}"))
    assert (len(request.turns), output.conditioned_on) == (1, "context")


def test_the_likelihood_of_audio_cannot_be_asked_for() -> None:
    with pytest.raises(SampleError, match="only the likelihood of text"):
        run_inferencer(Continue(), Sample(id="1", inputs={"text": Audio("a.wav")}))


REVIEW = Sample(id="1", inputs={"text": "great film"})


def test_each_label_is_asked_with_its_whole_prompt() -> None:
    inferencer = LabelPrompts({"good": "{text}: good", "bad": "{text}: bad"})

    async def ask(request: Any) -> Likelihood:
        assert request.include_context
        return Likelihood(logprobs=(-float(len(request.continuation)),))

    outputs: Any = asyncio.run(inferencer(REVIEW, ask))
    assert [(output.text, output.conditioned_on) for output in outputs] == [("good", "itself"), ("bad", "itself")]
    assert list(inferencer.prompt_columns.fields) == ["text"]


def test_the_last_message_is_the_continuation_of_the_others() -> None:
    messages = [{"role": "user", "content": "{text}"}, {"role": "assistant", "content": "good"}]
    request, _ = asyncio.run(preview_requests(LabelPrompts({"good": messages, "bad": "x"}), REVIEW))
    assert isinstance(request, LogLikelihood)
    assert request.continuation == "good"
    assert request.turns == (Turn("user", ("great film",)),)


def test_label_prompts_show_examples_with_their_own_labels() -> None:
    class OneExample:
        def examples_for(self, _sample: Sample) -> tuple[Example, ...]:
            return (Example("x", {"text": "dull film"}, "bad"),)

    template = {"turns": "{examples}{text}: %s", "examples": "{text}: {target}", "separator": "\n"}
    templates = {label: {**template, "turns": template["turns"] % label} for label in ("good", "bad")}
    inferencer = LabelPrompts(templates).with_shots(cast(FewShotSelector, OneExample()))
    requests: Any = asyncio.run(preview_requests(inferencer, REVIEW))
    assert [request.continuation for request in requests] == [
        "dull film: bad\ngreat film: good",
        "dull film: bad\ngreat film: bad",
    ]


def test_two_labels_are_needed() -> None:
    with pytest.raises(SpecError, match="needs `templates`"):
        LabelPrompts({"good": "x"})


def test_a_prompt_that_ends_with_audio_is_rejected() -> None:
    sample = Sample(id="1", inputs={"text": Audio("a.wav")})
    with pytest.raises(SampleError, match="only the likelihood of text"):
        asyncio.run(preview_requests(LabelPrompts({"good": "{text}", "bad": "{text}"}), sample))


@pytest.mark.parametrize(
    "inferencer",
    [
        Choose("{question}", unconditional=True, whole=True),
        FirstToken("{question}"),
        Continue(),
        LabelPrompts({"good": "{text}: good", "bad": "{text}: bad"}),
    ],
)
def test_metrics_of_an_inferencer_are_registered(inferencer: Any) -> None:
    assert inferencer.default_metrics
    assert {*inferencer.default_metrics} <= set(METRICS.builtin)
