"""Tables as CSV, in which no text is a formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.core.csv_text import FORMULA_PREFIXES, escape_formula, read_escaped, render_csv, render_records

FORMULA = '=cmd|" /C calc"!A0'


@given(st.lists(st.lists(st.text(max_size=6) | st.just(FORMULA), min_size=1), max_size=4))
def test_no_cell_begins_like_a_formula_and_every_text_is_restored(rows: list[list[str]]) -> None:
    cells = [*csv.reader(io.StringIO(render_csv(rows, "\r\n"), newline=""))]
    assert not [cell for row in cells for cell in row if cell.startswith(FORMULA_PREFIXES) and not is_number(cell)]
    assert [[read_escaped(cell) for cell in row] for row in cells] == [
        [read_escaped(text) for text in row] for row in rows
    ]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("value", [-1, -0.5, "-0.5", "+3", "-inf", "1e-3", "a=b", "", None, True])
def test_numbers_and_ordinary_text_stay_as_they_are(value: object) -> None:
    assert escape_formula(value) == value


def test_records_have_the_given_columns_and_titles_are_escaped() -> None:
    text = render_records(["a", "=b"], [{"a": 1, "c": 2}, {"=b": None, "a": "@x"}])
    assert text == "a,'=b\n1,\n'@x,\n"
