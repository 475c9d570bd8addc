"""What a model returns is normalised, or refused by name."""

import math
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.core.errors import NotFinite, SampleError
from auricle.core.serialization import decode_record, encode_record
from auricle.core.types import (
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Predict,
    Prediction,
    Record,
    Request,
    Sample,
    Segment,
)
from auricle.engine.outputs import MAX_INTEGER, normalise_output
from auricle.media import Audio

GENERATE, SCORE, PREDICT = Generate(turns=()), LogLikelihood(turns=(), continuation="x"), Predict(inputs={})


def generation(**fields: Any) -> Generation:
    return Generation(**{"text": "hi", **fields})


def test_usual_outputs_are_not_copied() -> None:
    for tokens, input_tokens in ((3, 7), (0, 0), (2**63 - 1, 2**63 - 1), (None, None)):
        output = generation(tokens=tokens, input_tokens=input_tokens, finish="stop")
        assert normalise_output(GENERATE, output) is output


def test_text_alone_is_a_generation() -> None:
    output = normalise_output(Generate(turns=()), np.str_("hi"))
    assert output == Generation(text="hi")
    assert isinstance(output, Generation)
    assert type(output.text) is str


def test_numpy_values_become_those_of_python() -> None:
    output = generation(
        text=np.str_("hi"), tokens=np.int64(3), logprobs=np.array([-0.5, -1]), first_token_logprobs={np.str_("a"): -1}
    )
    normalised = normalise_output(GENERATE, output)
    assert normalised == generation(tokens=3, logprobs=(-0.5, -1.0), first_token_logprobs={"a": -1})
    assert isinstance(normalised, Generation)
    assert type(normalised.text) is str
    assert type(normalised.tokens) is int
    assert normalised.logprobs
    assert {type(value) for value in normalised.logprobs} == {float}


def test_times_of_numpy_become_those_of_python() -> None:
    start: Any = np.float32(0.5)
    end: Any = np.int64(1)
    segment = Segment(start, end, np.str_("hi"), score=np.float64(0.25))
    normalised = normalise_output(GENERATE, generation(segments=[segment]))
    assert isinstance(normalised, Generation)
    assert normalised.segments == (Segment(0.5, 1, "hi", score=0.25),)
    assert {type(normalised.segments[0].start), type(normalised.segments[0].score)} == {float}


def test_probabilities_of_a_scikit_learn_classifier_are_accepted() -> None:
    classes, probabilities = np.array(["happy", "sad"]), np.array([0.75, 0.25], np.float32)
    values: Any = dict(zip(classes, probabilities, strict=True))
    normalised = normalise_output(PREDICT, Prediction(values=values, scale="probability"))
    assert isinstance(normalised, Prediction)
    assert normalised.values == {"happy": 0.75, "sad": 0.25}
    assert {type(item) for pair in normalised.values.items() for item in pair} == {str, float}
    numbered: Any = {np.int64(0): 0.75, 1: 0.25}
    normalised = normalise_output(PREDICT, Prediction(values=numbered, scale="probability"))
    assert isinstance(normalised, Prediction)
    assert normalised.values == {"0": 0.75, "1": 0.25}


@pytest.mark.parametrize(
    ("request_", "output", "message"),
    [
        (GENERATE, generation(text=None), "returned NoneType instead of text for 'text'"),
        (GENERATE, generation(text=b"hi"), "returned bytes instead of text for 'text'"),
        (GENERATE, generation(tokens=2**63), "returned a huge number for 'tokens', which is not a number of tokens"),
        (GENERATE, generation(tokens=1 - 2**63), "returned -9223372036854775807 for 'tokens'"),
        (GENERATE, generation(tokens=-(2**63)), "returned a huge number for 'tokens'"),
        (GENERATE, generation(text="x" * 1_000_001), "returned 1,000,001 characters; .* at most 1,000,000"),
        (GENERATE, generation(input_tokens=10**400), "returned a huge number for 'input_tokens'"),
        (GENERATE, generation(tokens=-1), "returned -1 for 'tokens'"),
        (GENERATE, generation(tokens=1.5), r"returned 1\.5 for 'tokens'"),
        (GENERATE, generation(tokens="3"), "returned str instead of a number for 'tokens'"),
        (GENERATE, generation(tokens=np.zeros(2)), "returned ndarray instead of a number for 'tokens'"),
        (GENERATE, generation(finish=3), "returned int instead of text for 'finish'"),
        (GENERATE, generation(audio=b"RIFF"), "returned bytes instead of Audio for 'audio'"),
        (GENERATE, generation(logprobs=3), "returned int instead of a list for 'logprobs'"),
        (GENERATE, generation(segments=3), "returned int instead of a list for 'segments'"),
        (GENERATE, generation(segments=[(0, 1)]), "returned tuple instead of Segment for 'segments'"),
        (GENERATE, generation(segments=[Segment("0", 1)]), "returned str instead of a number for 'start'"),  # type: ignore[arg-type]
        (GENERATE, generation(segments=[Segment(0, math.nan)]), r"non-finite value \(nan\) for 'end'"),
        (
            GENERATE,
            generation(segments=[Segment(0, 1)] * 1_000_001),
            "returned 1,000,001 segments; .* at most 1,000,000",
        ),
        (GENERATE, generation(first_token_logprobs=[1]), "returned list instead of a mapping"),
        (SCORE, Likelihood(logprobs=(None,)), "returned NoneType instead of a number for 'logprobs'"),  # type: ignore[arg-type]
        (PREDICT, Prediction(values={"a": "b"}, scale="logit"), "returned str instead of a number for 'a'"),  # type: ignore[dict-item]
        (PREDICT, Prediction(values={(1,): 1.0}, scale="logit"), "label of type tuple"),  # type: ignore[dict-item]
        (PREDICT, Prediction(values={"a": 10**400}, scale="logit"), "more than 300 digits for 'a'"),
        (SCORE, generation(), "returned Generation instead of Likelihood"),
    ],
)
def test_what_cannot_be_stored_is_refused(request_: Request, output: Output, message: str) -> None:
    with pytest.raises(SampleError, match=message):
        normalise_output(request_, output)


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float32("nan")])
def test_non_finite_numbers_are_refused(value: float) -> None:
    for request, output in (
        (PREDICT, Prediction(values={"valence": value}, scale="continuous")),
        (SCORE, Likelihood(logprobs=(value,))),
    ):
        with pytest.raises(NotFinite, match="non-finite value"):
            normalise_output(request, output)


def test_numbers_above_the_limit_of_integers_become_floats() -> None:
    values = {"a": 2**63 - 1, "b": 2**63, "c": 1 - 2**63, "d": -(2**63)}
    normalised = normalise_output(PREDICT, Prediction(values=values, scale="logit"))
    assert isinstance(normalised, Prediction)
    assert [type(value) for value in normalised.values.values()] == [int, float, int, float]
    assert normalised.values == pytest.approx(values)


def test_limits_are_inclusive() -> None:
    assert normalise_output(GENERATE, generation(text="x" * 1_000_000)) == generation(text="x" * 1_000_000)
    assert normalise_output(GENERATE, generation(tokens=MAX_INTEGER)) == generation(tokens=MAX_INTEGER)
    assert normalise_output(GENERATE, generation(tokens=0, audio=Audio("x.wav"))).audio == Audio("x.wav")  # type: ignore[union-attr]


def test_impossible_token_has_minus_infinity_also_after_storing() -> None:
    output = Likelihood(logprobs=(-1.0, -math.inf))
    assert normalise_output(SCORE, output) == output
    record = Record(sample=Sample(id="a", inputs={}), row=0, outputs=(output,))
    assert decode_record(orjson.loads(encode_record(record))) == record


@pytest.mark.parametrize("number_type", [int, np.int64])
def test_the_largest_count_of_tokens_is_accepted(number_type: type) -> None:
    output = normalise_output(Generate(turns=()), Generation(text="x", tokens=number_type(2**63 - 1)))
    assert isinstance(output, Generation)
    assert output.tokens == 2**63 - 1
    with pytest.raises(SampleError, match="a huge number"):
        normalise_output(Generate(turns=()), Generation(text="x", tokens=2**63))
