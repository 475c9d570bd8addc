"""The types of the fields in a response."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from auricle.models.http.fields import (
    InvalidField,
    as_count,
    as_list,
    as_number,
    as_object,
    as_text,
    describe_shape,
    first_object,
)


@pytest.mark.parametrize(
    ("convert", "value"),
    [(as_object, {"a": 1}), (as_list, [1]), (as_text, "a"), (as_number, -1.5), (as_number, 2), (first_object, [{}, 1])],
)
def test_value_of_the_right_type_is_returned(convert: Callable[[Any], Any], value: Any) -> None:
    assert convert(value) == (value[0] if convert is first_object else value)


WRONG: list[tuple[Callable[[Any], Any], Any]] = [
    *((convert, None) for convert in (as_object, as_list, as_text, as_number, first_object)),
    *((as_number, value) for value in (True, "1", math.inf, math.nan)),
    (first_object, []),
    (first_object, [1]),
    (first_object, {}),
    (as_text, 5),
    (as_list, {}),
    (as_object, []),
]


@pytest.mark.parametrize(("convert", "value"), WRONG)
def test_value_of_another_type_is_invalid(convert: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(InvalidField, match="expected"):
        convert(value)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (3, 3),
        (2.0, 2),
        (0, 0),
        *((value, None) for value in (None, "3", True, -1, 1e30, 2**70, math.inf, math.nan, ["a"])),
    ],
)
def test_count_that_makes_no_sense_is_unknown(value: Any, count: int | None) -> None:
    assert as_count(value) == count


def test_shape_of_a_document_is_described_without_its_content() -> None:
    assert describe_shape({"id": "secret", "a b": 1}) == "an object with id, …"
    assert describe_shape({}) == "an object with no fields"
    assert describe_shape([1]) == "a non-object"
