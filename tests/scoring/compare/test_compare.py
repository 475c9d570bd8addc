"""Two runs beside each other: what is paired, what is left out, and what cannot be compared."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import auricle as package
from auricle import SpecError, compare
from auricle.report import comparison_text as compare_text
from auricle.runs.documents import encode_document
from tests.support.comparisons import find_row


@pytest.mark.slow
def test_a_worse_model_is_found_worse(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer"), run("b", data, metrics="wer", wrong=0.3)
    comparison = compare(a, b)
    row = find_row(comparison, "wer")
    assert row.difference > 0.1
    assert row.low > 0
    assert row.p < 0.01
    assert (row.better, comparison.pairs.count) == (0, 40)
    assert compare_text.describe_row(comparison.rows[0]).startswith("wer: B is worse by")


@pytest.mark.slow
def test_values_are_those_of_the_runs_where_all_samples_are_paired(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer", wrong=0.2), run("b", data, metrics="wer", wrong=0.4)
    row = find_row(compare(a, b), "wer")
    known = [package.summary(each)[0].value for each in (a, b)]
    assert [row.value_a, row.value_b] == pytest.approx(known)


def test_a_run_beside_itself_differs_in_nothing(run: Any, quiz: Any) -> None:
    a = run("a", quiz(), wrong=0.2)
    comparison = compare(a, a)
    row = find_row(comparison, "exact_match")
    assert (row.difference, row.p, row.better, row.worse) == (0.0, 1.0, 0, 0)
    assert "A and B are the same run." in comparison.notes
    assert not any(comparison.flips.values())
    output = compare_text.describe_row(comparison.rows[0])
    assert re.search(r"all pairs score the same; one of .* or more would have been detected with 80 % power", output)


def test_runs_without_a_common_sample_are_explained(run: Any, quiz: Any, manifest: Any) -> None:
    other = manifest([{"id": f"x{at}", "question": "q", "answer": "q"} for at in range(3)], "o.jsonl")
    comparison = compare(run("a", quiz()), run("b", other))
    assert comparison.pairs.count == 0
    assert find_row(comparison, "exact_match").samples == (40, 3)
    assert any("No sample is in both runs" in note for note in comparison.notes)


def test_a_field_no_sample_has_is_the_users_move(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    with pytest.raises(SpecError, match="No sample has the metadata field 'accent'"):
        compare(a, a, by="accent")


def test_a_run_that_was_never_scored_is_scored_first(run: Any, quiz: Any, tmp_path: Path) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, wrong=0.2)
    for name in ("metrics.json", "scores.jsonl"):
        (b / name).unlink()
    assert compare(a, b).pairs.count == 40


def test_data_that_is_gone_is_no_obstacle(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, wrong=0.2)
    data.unlink()
    assert compare(a, b).pairs.count == 40


def test_undefined_numbers_are_null_in_json(run: Any, quiz: Any) -> None:
    a = run("a", quiz(count=1))
    assert json.loads(encode_document(compare(a, a)))["rows"][0]["p"] is None
