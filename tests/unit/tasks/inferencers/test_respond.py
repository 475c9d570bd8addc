"""Tests of the inferencer `respond`."""

from __future__ import annotations

import pytest

from auricle import Audio, Sample
from auricle.core.errors import SampleError, SpecError
from auricle.tasks.inferencers import Respond, render
from tests.support.inferencers import make_question, run_inferencer

AUDIO = Audio("a.wav")


def test_fields_are_filled_in_and_audio_stays_a_part() -> None:
    assert render("Hear {audio}: {text}.", {"audio": AUDIO, "text": "what?"}) == ("Hear ", AUDIO, ": what?.")


def test_fields_inside_a_value_are_not_filled_in() -> None:
    assert render("{text}", {"text": r"{audio} and \boxed{x}", "audio": AUDIO}) == (r"{audio} and \boxed{x}",)


def test_braces_that_are_not_fields_stay() -> None:
    assert render(r"Write \boxed{} or {a b} {text}", {"text": "x"}) == (r"Write \boxed{} or {a b} x",)


def test_an_optional_field_may_be_absent() -> None:
    assert render("{image?}{audio}", {"audio": [AUDIO, AUDIO]}) == (AUDIO, AUDIO)


def test_an_unknown_field_is_reported_with_the_available_ones() -> None:
    with pytest.raises(SampleError, match=r"\{txt\}.*audio, text"):
        render("{txt}", {"audio": AUDIO, "text": "x"})


def test_a_prompt_cannot_contain_the_target() -> None:
    sample = Sample(id="1", inputs={"text": "x"}, target="secret", meta={"m": "also"})
    with pytest.raises(SpecError, match="would show the answer"):
        Respond("{target}")
    with pytest.raises(SampleError):
        Respond("{m}").request(sample)


def test_a_system_prompt_comes_first() -> None:
    turns = Respond("{text}", system="be brief").request(Sample(id="1", inputs={"text": "x"})).turns
    assert [(turn.role, turn.parts) for turn in turns] == [("system", ("be brief",)), ("user", ("x",))]


def test_each_of_several_answers_is_a_separate_request() -> None:
    requests, answers = run_inferencer(Respond("{q}", samples=3, temperature=0.7), make_question())
    assert [request.answer_index for request in requests] == [0, 1, 2]
    assert len(answers) == 3


def test_several_answers_need_a_temperature() -> None:
    with pytest.raises(SpecError, match="samples=5 needs a temperature"):
        Respond("{q}", samples=5)
