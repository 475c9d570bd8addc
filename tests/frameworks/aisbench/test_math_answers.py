"""Answers to mathematical questions are compared by AISBench's rules; see tests/oracle for its own results."""

from __future__ import annotations

import pytest

from auricle.core.errors import Unreadable
from auricle.frameworks.aisbench.math_answers import are_equivalent, find_boxed, normalise_final_answer


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"\boxed{1} then \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        (r"\boxed{{5}}", "{5}"),
        (r"\boxed{5", None),
        ("no box", None),
    ],
)
def test_the_last_box_is_found_with_its_braces(text: str, content: str | None) -> None:
    assert find_boxed(text) == content


def test_double_braces_are_removed_on_request() -> None:
    assert find_boxed(r"\boxed{{5}}", unwrap_braces=True) == "5"


@pytest.mark.parametrize("text", [r"\fbox{5}", r"\boxed 5 {x}"])
def test_another_kind_of_box_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match="not written as"):
        find_boxed(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the final answer is $5$ dollars", "5"),
        (r"\text{(A)}", "A"),
        ("10,000", "10000"),
        ("rac12", r"\frac{1}{2}"),
        (r"\sqrt3", r"\sqrt{3}"),
    ],
)
def test_a_final_answer_is_reduced_to_its_value(text: str, value: str) -> None:
    assert normalise_final_answer(text) == value


@pytest.mark.parametrize(
    ("answer", "reference", "versions"),
    [
        ("1/2", r"\frac12", {"v1", "v2"}),
        ("0.5", r"\frac{1}{2}", {"v1"}),
        ("3j", "3i", {"v2"}),
        ("x=5", "5", {"v1", "v2"}),
        ("5.00", "5", {"v2"}),
        ("1/2", "2/1", set()),
        (None, None, {"v1", "v2"}),
        (None, "5", set()),
        (5, "5", {"v2"}),
        (r"\sqrt", r"\sqrt", {"v1", "v2"}),
        (r"1\text{ a }\text{ b }", "1", {"v2"}),
    ],
)
def test_two_answers_are_equal_in_some_versions(answer: object, reference: object, versions: set[str]) -> None:
    assert {version for version in ("v1", "v2") if are_equivalent(answer, reference, version)} == versions
