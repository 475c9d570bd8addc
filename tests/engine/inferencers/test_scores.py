"""Tests of the inferencers that ask for scores, ratings and preferences."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from auricle import Audio, Generation, Prediction, Sample
from auricle.core.errors import NotFinite, SampleError
from auricle.engine.inferencers import Appraise, Compare, Measure, Prefer, Rate, RateOrPrefer
from auricle.engine.inferencers.scores import require_inputs

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


A, B, ONE, REFERENCE = (Audio(f"{name}.wav") for name in ("a", "b", "one", "reference"))
PAIR = Sample(id="1", inputs={"a": A, "b": B, "text": "a waltz"}, target={"musicality": "b"})
SINGLE = Sample(id="2", inputs={"audio": ONE, "lyrics": "la", "ref_audio": REFERENCE}, target=4.0)


def run_inferencer(inferencer: Any, sample: Any, answer: Any = None) -> Any:
    """Return the requests for a sample and the outputs."""
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        return answer or Generation(text="A")

    outputs = asyncio.run(inferencer(sample, ask))
    return requests, outputs


def parts(request: Any) -> Any:
    return request.turns[0].parts


def text(request: Any) -> Any:
    return "".join(part for part in parts(request) if isinstance(part, str))


def test_a_reward_model_receives_one_recording_at_a_time_with_its_context() -> None:
    prediction = Prediction(values={"musicality": 1.0}, scale="continuous")
    requests, outputs = run_inferencer(Appraise(), PAIR, prediction)
    assert [dict(request.inputs) for request in requests] == [
        {"audio": A, "text": "a waltz"},
        {"audio": B, "text": "a waltz"},
    ]
    assert outputs == (prediction, prediction)
    (request,), _ = run_inferencer(Appraise(), SINGLE, prediction)
    assert dict(request.inputs) == {"audio": ONE, "lyrics": "la", "ref_audio": REFERENCE}


@pytest.mark.parametrize("inferencer", [Appraise(), Rate(("How good?",)), Prefer(("Which?",))])
def test_a_missing_candidate_is_reported(inferencer: Any) -> None:
    with pytest.raises(SampleError, match="missing input 'b'"):
        run_inferencer(inferencer, Sample(id="1", inputs={"a": A}))


@pytest.mark.parametrize("inferencer", [Appraise(), Rate(("How good?",))])
def test_a_sample_without_audio_is_rejected(inferencer: Any) -> None:
    with pytest.raises(SampleError, match="missing input 'audio'"):
        run_inferencer(inferencer, Sample(id="1", inputs={"text": "a waltz"}))


def test_a_non_finite_score_is_reported_with_its_candidate() -> None:
    async def ask(request: Any) -> Any:
        if request.inputs["audio"] == B:
            raise NotFinite("the model gave nan as musicality")
        return Prediction(values={"musicality": 1.0}, scale="continuous")

    with pytest.raises(NotFinite, match="b: the model gave nan as musicality"):
        asyncio.run(Appraise()(PAIR, ask))


def test_a_rating_prompt_contains_the_context_and_the_scale() -> None:
    (request,), _ = run_inferencer(Rate(("How good?",), 0, 10), SINGLE)
    assert [part for part in parts(request) if isinstance(part, Audio)] == [REFERENCE, ONE]
    assert "Lyrics: la" in text(request)
    assert text(request).endswith("How good?\nAnswer with one number from 0 to 10.")


def test_missing_context_is_left_out_of_the_prompt() -> None:
    (request,), _ = run_inferencer(Rate(("How good?",)), Sample(id="1", inputs={"audio": ONE}))
    assert "Lyrics" not in text(request)
    assert "Reference" not in text(request)


def test_a_preference_is_asked_in_both_orders_for_each_question() -> None:
    requests, outputs = run_inferencer(Prefer(("Which fits?", "Which is better?")), PAIR)
    orders = [[part for part in parts(request) if isinstance(part, Audio)] for request in requests]
    assert orders == [[A, B], [B, A]] * 2
    assert ["fits" in text(request) for request in requests] == [True, True, False, False]
    assert len(outputs) == 4


def test_swap_off_asks_in_one_order() -> None:
    assert len(run_inferencer(Prefer(("Which?",), swap=False), PAIR)[0]) == 1


def test_both_candidates_can_be_rated() -> None:
    requests, _ = run_inferencer(Rate(("How good?", "How fitting?")), PAIR)
    assert [parts(request)[1] for request in requests] == [A, B, A, B]


def test_a_prompt_never_contains_the_target() -> None:
    for sample in (PAIR, SINGLE):
        requests, _ = run_inferencer(RateOrPrefer(Rate(("How good?",)), Prefer(("Which?",))), sample)
        assert "4.0" not in text(requests[0])
        assert "musicality" not in text(requests[0])
