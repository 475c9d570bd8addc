"""A comparison as text."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import compare
from auricle.report.comparison_text import (
    describe_row,
    format_comparison,
    format_p_value,
    select_headline_rows,
    title_sides,
)
from tests.support.gates import make_row

ALL_SPEEDS = ("characters_per_second", "words_per_second", "synthesis_rtf", "synthesis_rtfx")


def test_a_small_p_value_is_an_upper_bound() -> None:
    assert format_p_value(1e-9).startswith("<")
    assert format_p_value(0.25) == "0.250"


def test_a_title_names_models_or_else_samples(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row1={"question": "something else"}))
    assert title_sides(compare(a, b)) == ("a", "b")
    assert title_sides(compare(a, b, names=("human", "generated"))) == ("human", "generated")
    assert title_sides(compare(a, run("c", quiz(), model="fake-api", reply="no"))) == ("echo", "fake-api")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "start_bias: B is worse by 0.1 (0.09 … 0.11)."),
        ({"optimum": "none"}, "start_bias: B is higher by 0.1 (0.09 … 0.11)."),
        ({"optimum": "zero"}, "start_bias: B is higher by 0.1 (0.09 … 0.11)."),
        ({"optimum": "zero", "closer": True}, "start_bias: B is better (closer to zero) by 0.1 (0.09 … 0.11)."),
        ({"optimum": "zero", "closer": False}, "start_bias: B is worse (further from zero) by 0.1 (0.09 … 0.11)."),
    ],
)
def test_a_change_is_better_or_worse_only_if_the_metric_has_a_direction(fields: Any, sentence: str) -> None:
    row = make_row(0.1, metric="start_bias", unit="s", value_a=-0.1, value_b=0.0, adjusted=0.001, **fields)
    assert describe_row(row) == sentence


def test_a_short_table_has_the_metric_on_which_all_others_depend(run: Any, quiz: Any) -> None:
    names = ("speech_failures", "speech_silence", "speech_clipping", "speech_duration", *ALL_SPEEDS)
    rows = tuple(make_row(0.0 if name == names[0] else 0.1, metric=name) for name in names)
    comparison = replace(compare(run("a", quiz()), run("b", quiz(), reply="no")), rows=rows)
    shown = [row.metric for row in select_headline_rows(comparison)]
    assert shown == ["speech_failures", "speech_silence", "synthesis_rtfx"]


def test_tasks_of_one_name_are_named_with_their_data(run: Any, tmp_path: Path) -> None:
    folders = []
    for language in ("en", "de"):
        data = tmp_path / language / "test.jsonl"
        data.parent.mkdir()
        data.write_text(f'{{"id": "1", "question": "{language}", "answer": "{language}"}}\n')
        folders.append(run(language + "-run", data))
    lines = list(format_comparison(compare(*folders)))
    assert "qa-test (en/test.jsonl) × echo" in lines[0]
    assert "qa-test (de/test.jsonl) × echo" in lines[1]
    assert any("qa-test (en/test.jsonl) / qa-test (de/test.jsonl)" in line for line in lines[2:])
