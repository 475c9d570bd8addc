"""A comparison as text."""

from typing import Any

from auricle import compare
from auricle.report.compare.text import format_p_value, title_sides


def test_a_small_p_value_is_an_upper_bound() -> None:
    assert format_p_value(1e-9).startswith("<")
    assert format_p_value(0.25) == "0.250"


def test_a_title_names_models_or_else_samples(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row1={"question": "something else"}))
    assert title_sides(compare(a, b)) == ("a", "b")
    assert title_sides(compare(a, b, names=("human", "generated"))) == ("human", "generated")
    assert title_sides(compare(a, run("c", quiz(), model="fake-api", reply="no"))) == ("echo", "fake-api")
