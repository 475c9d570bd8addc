"""Position bias, consistency and the share right in every order, by hand."""

from collections.abc import Callable

import pytest

from auricle.studies.listening.answers import ListeningAnswers
from auricle.studies.listening.items import Answer
from auricle.studies.listening.options import compute_order_numbers, compute_positions
from auricle.tasks.labels.metrics import option_accuracy
from tests.support.listeners import make_answers

ORDERS = ("clean", "options:shift=1", "options:shift=2", "options:shift=3")
COUNT = 16


def ask(choose: Callable[[int, int], Answer], orders: tuple[str, ...] = ORDERS) -> ListeningAnswers:
    """Ask about options 0 to 3, which are shifted; the right one of sample n is n modulo 4."""
    answers = {
        order: [choose(sample, int(order.partition("=")[2] or 0)) for sample in range(COUNT)] for order in orders
    }
    stats = {
        order: [float(answer.content == str(index % 4)) for index, answer in enumerate(given)]
        for order, given in answers.items()
    }
    return make_answers(option_accuracy, stats, answers=answers, options=4)


def always_first(sample: int, shift: int) -> Answer:
    return Answer(str((0 - shift) % 4), 0)


def always_right(sample: int, shift: int) -> Answer:
    return Answer(str(sample % 4), (sample + shift) % 4)


def test_model_that_always_answers_a_is_exposed() -> None:
    answers = ask(always_first)
    bias, consistency, robust = compute_order_numbers(answers)
    assert bias.value == pytest.approx(0.75)
    assert (bias.metric, bias.scored) == ("position_bias", 4 * COUNT)
    assert (bias.details["degrees"], bias.details["chi_square"]) == (1, pytest.approx(COUNT))
    assert bias.details["p"] == pytest.approx(6.334e-5, rel=1e-3)  # chi-square of 16 with one degree
    assert (consistency.metric, consistency.value) == ("consistency", 0.0)
    assert (robust.metric, robust.value) == ("robust_accuracy", 0.0)
    shares = {number.group: number.value for number in compute_positions(answers)}
    assert shares == {"A": 0.75, "B": -0.25, "C": -0.25, "D": -0.25}


def test_model_that_answers_by_content_has_no_bias() -> None:
    answers = ask(always_right)
    bias, consistency, robust = compute_order_numbers(answers)
    assert (bias.value, bias.details["p"]) == (0.0, 1.0)
    assert (consistency.value, robust.value) == (1.0, 1.0)
    assert all((number.low or 0) <= 0 <= (number.high or 0) for number in compute_positions(answers))


def test_weak_preference_is_tested_with_samples_as_units() -> None:
    def prefer_first(sample: int, shift: int) -> Answer:
        return always_first(sample, shift) if sample % 4 == shift and sample < 8 else always_right(sample, shift)

    bias, *_ = compute_order_numbers(ask(prefer_first))
    moved = sum(sample % 4 == shift and (sample + shift) % 4 != 0 for sample in range(8) for shift in range(4))
    assert bias.value == pytest.approx(moved / (4 * COUNT))
    assert 0.01 < bias.details["p"] < 0.2


def test_unreadable_answers_have_no_position_and_are_not_consistent() -> None:
    def choose(sample: int, shift: int) -> Answer:
        return Answer() if sample < 4 and shift == 2 else always_right(sample, shift)

    bias, consistency, robust = compute_order_numbers(ask(choose))
    assert bias.scored == 4 * COUNT - 4
    assert (consistency.value, robust.value) == (0.75, 0.75)


def test_one_order_shows_nothing() -> None:
    answers = ask(always_first, ("clean", "no-audio"))
    assert not list(compute_order_numbers(answers))
    assert not list(compute_positions(answers))
