"""How a sample becomes requests."""

import asyncio

import pytest

from auricle import Audio, Sample
from auricle.core.errors import SampleError, SpecError, Unsupported
from auricle.tasks.inferencers import FirstSupported, Measure, Respond, preview_requests, render, select_inferencer

SOUND = Audio("a.wav")


def test_fields_are_filled_in_order_and_media_stay_parts() -> None:
    assert render("Hear {audio}: {text}.", {"audio": SOUND, "text": "what?"}) == ("Hear ", SOUND, ": what?.")


def test_a_value_is_filled_in_once_and_never_scanned_again() -> None:
    assert render("{text}", {"text": r"{audio} and \boxed{x}", "audio": SOUND}) == (r"{audio} and \boxed{x}",)


def test_braces_that_are_no_field_stay() -> None:
    assert render(r"Write \boxed{} or {a b} {text}", {"text": "x"}) == (r"Write \boxed{} or {a b} x",)


def test_an_optional_field_may_be_absent() -> None:
    assert render("{image?}{audio}", {"audio": [SOUND, SOUND]}) == (SOUND, SOUND)


def test_an_unknown_field_names_those_that_exist() -> None:
    with pytest.raises(SampleError, match=r"wants \{txt\}; the sample has audio, text"):
        render("{txt}", {"audio": SOUND, "text": "x"})


def test_the_target_cannot_reach_a_prompt() -> None:
    sample = Sample(id="1", inputs={"text": "x"}, target="secret", meta={"m": "also"})
    with pytest.raises(SpecError, match="would show the answer"):
        Respond("{target}")
    with pytest.raises(SampleError):
        Respond("{m}").request(sample)


def test_a_system_prompt_comes_first() -> None:
    turns = Respond("{text}", system="be brief").request(Sample(id="1", inputs={"text": "x"})).turns
    assert [(turn.role, turn.parts) for turn in turns] == [("system", ("be brief",)), ("user", ("x",))]


def test_the_first_way_a_model_can_answer_is_taken() -> None:
    ways = FirstSupported((Measure(), Respond("{text}")))
    assert select_inferencer(ways, ["generate"], "t", "m") == Respond("{text}")
    assert select_inferencer(ways, ["predict", "generate"], "t", "m") == Measure()
    with pytest.raises(Unsupported, match="t needs a model that can predict or generate; m can log"):
        select_inferencer(ways, ["loglikelihood"], "t", "m")


def test_a_preview_asks_nobody() -> None:
    sample = Sample(id="1", inputs={"text": "x"})
    (request,) = asyncio.run(preview_requests(Respond("{text}"), sample))
    assert request.turns[0].parts == ("x",)
