"""Readings of replies as metrics use them."""

import pytest

from auricle.core.errors import AnswerRefused, Truncated, Unreadable
from auricle.core.types import Generation
from auricle.metrics import readings
from auricle.text import Reading, Strength


def test_replies_are_read_as_by_the_rules() -> None:
    assert readings.read_option("B", ("guitar", "piano")).value == 1
    assert readings.read_label("happy", ("happy", "sad")).value == "happy"
    assert readings.read_number("Score: 4").value == 4.0


def test_a_reply_that_was_read_is_not_read_again() -> None:
    reply = "It is a piano, as the hammers show."
    first = readings.read_option(reply, ("guitar", "piano"))
    assert readings.read_option(reply, ("guitar", "piano")) is first
    assert readings.read_option(reply, ("piano", "guitar")).value == 0


def test_a_value_is_required_with_the_reason_why_there_is_none() -> None:
    hm = Generation(text="hm")
    assert readings.require_value(Reading("x", Strength.STATEMENT), hm, "names no label") == "x"
    with pytest.raises(Unreadable, match=r"^names no label: 'hm'$"):
        readings.require_value(Reading(), hm, "names no label")
    with pytest.raises(AnswerRefused, match=r"^refuses to answer: 'hm'$"):
        readings.require_value(Reading(refused=True), hm, "names no label")
    with pytest.raises(Truncated, match=r"^was cut off before it gave an answer$"):
        readings.require_value(Reading(), Generation(text="hm", finish="length"), "names no label")


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "Answer: B\n\nBecause the rec",
            "The answer is B. The sound",
            '{"answer": "B", "reason": "the',
            "\\boxed{B} as",
        ),
        "<answer>B</answer> The so",
    ],
)
def test_an_answer_that_was_announced_before_a_cut_counts(reply: str) -> None:
    assert readings.read_option(reply, ("guitar", "piano"), is_cut_off=True).value == 1


@pytest.mark.parametrize(
    "reply",
    [
        *("B", "The answer is B", "The answer is B.", "It is a piano. The", "The answer is B. No, the answer is A"),
        *("<think>The answer is B. But", '{"answer": "B', "The options are:\nA. guitar\nB. pia"),
    ],
)
def test_no_answer_is_read_that_the_rest_of_a_reply_could_change(reply: str) -> None:
    assert readings.read_option(reply, ("guitar", "piano"), is_cut_off=True) == Reading()


def test_the_value_becomes_text_and_the_rest_stays() -> None:
    assert readings.as_text(Reading(4.0, Strength.MARKER), "{:g}".format) == Reading("4", Strength.MARKER)
    assert readings.as_text(Reading(refused=True), "{:g}".format) == Reading(refused=True)


def test_joined_readings_are_as_firm_as_the_least_firm() -> None:
    marker, whole, statement = (Reading(name, Strength[name]) for name in ("MARKER", "WHOLE_REPLY", "STATEMENT"))
    assert readings.join_readings([whole, marker]) == Reading("WHOLE_REPLY, MARKER", Strength.WHOLE_REPLY)
    assert readings.join_readings([marker, statement, whole]).strength is Strength.STATEMENT
    assert readings.join_readings([Reading("class score")]) == Reading("class score")


def test_joined_readings_without_a_value_are_refused_if_any_is() -> None:
    assert readings.join_readings([Reading(), Reading(refused=True)]) == Reading(refused=True)
    assert readings.join_readings([]) == Reading()
