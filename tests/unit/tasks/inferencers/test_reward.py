"""Asking how good a sound is, and which of two is better."""

import asyncio
from typing import Any

import pytest

from auricle import Audio, Generation, Prediction, Sample
from auricle.core.errors import NotFinite, SampleError
from auricle.tasks.inferencers import Appraise, Prefer, Rate, RateOrPrefer

A, B, ONE, REFERENCE = (Audio(f"{name}.wav") for name in ("a", "b", "one", "reference"))
PAIR = Sample(id="1", inputs={"a": A, "b": B, "text": "a waltz"}, target={"musicality": "b"})
SINGLE = Sample(id="2", inputs={"audio": ONE, "lyrics": "la", "ref_audio": REFERENCE}, target=4.0)


def asked(inferencer: Any, sample: Any, answer: Any = None) -> Any:
    """What is asked about a sample, and what becomes of the answers."""
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


def test_numbers_are_asked_for_one_sound_at_a_time_with_all_it_was_made_from() -> None:
    told = Prediction(values={"musicality": 1.0}, scale="continuous")
    requests, outputs = asked(Appraise(), PAIR, told)
    assert [dict(each.inputs) for each in requests] == [
        {"audio": A, "text": "a waltz"},
        {"audio": B, "text": "a waltz"},
    ]
    assert outputs == (told, told)
    (request,), _ = asked(Appraise(), SINGLE, told)
    assert dict(request.inputs) == {"audio": ONE, "lyrics": "la", "ref_audio": REFERENCE}


@pytest.mark.parametrize("inferencer", [Appraise(), Rate(("How good?",)), Prefer(("Which?",))])
def test_a_side_that_is_missing_is_named(inferencer: Any) -> None:
    with pytest.raises(SampleError, match="there is no b to compare"):
        asked(inferencer, Sample(id="1", inputs={"a": A}))


@pytest.mark.parametrize("inferencer", [Appraise(), Rate(("How good?",))])
def test_a_sample_without_a_sound_is_refused(inferencer: Any) -> None:
    with pytest.raises(SampleError, match="there is no audio to rate"):
        asked(inferencer, Sample(id="1", inputs={"text": "a waltz"}))


def test_a_number_that_is_none_is_told_with_its_side() -> None:
    async def ask(request: Any) -> Any:
        if request.inputs["audio"] == B:
            raise NotFinite("the model gave nan as musicality")
        return Prediction(values={"musicality": 1.0}, scale="continuous")

    with pytest.raises(NotFinite, match="b: the model gave nan as musicality"):
        asyncio.run(Appraise()(PAIR, ask))


def test_a_rating_is_asked_for_on_a_scale_beside_what_the_sound_was_made_from() -> None:
    (request,), _ = asked(Rate(("How good?",), 0, 10), SINGLE)
    assert [part for part in parts(request) if isinstance(part, Audio)] == [REFERENCE, ONE]
    assert "Lyrics: la" in text(request)
    assert text(request).endswith("How good?\nAnswer with one number from 0 to 10.")


def test_what_is_absent_is_not_spoken_of() -> None:
    (request,), _ = asked(Rate(("How good?",)), Sample(id="1", inputs={"audio": ONE}))
    assert "Lyrics" not in text(request)
    assert "Reference" not in text(request)


def test_a_choice_is_asked_for_in_both_orders_question_by_question() -> None:
    requests, outputs = asked(Prefer(("Which fits?", "Which is better?")), PAIR)
    orders = [[part for part in parts(each) if isinstance(part, Audio)] for each in requests]
    assert orders == [[A, B], [B, A]] * 2
    assert ["fits" in text(each) for each in requests] == [True, True, False, False]
    assert len(outputs) == 4


def test_one_order_is_enough_where_that_is_said() -> None:
    assert len(asked(Prefer(("Which?",), swap=False), PAIR)[0]) == 1


def test_sides_may_be_rated_instead() -> None:
    requests, _ = asked(Rate(("How good?", "How fitting?")), PAIR)
    assert [parts(each)[1] for each in requests] == [A, B, A, B]


def test_no_truth_reaches_a_prompt() -> None:
    for sample in (PAIR, SINGLE):
        requests, _ = asked(RateOrPrefer(Rate(("How good?",)), Prefer(("Which?",))), sample)
        assert "4.0" not in text(requests[0])
        assert "musicality" not in text(requests[0])
