"""Samples that changed."""

from typing import Any

import orjson
import pytest

from auricle import compare
from auricle.runs.documents import encode_document
from tests.support.comparisons import find_row

pytestmark = pytest.mark.slow


def test_flipped_samples_have_both_answers(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, wrong=0.05), run("b", data, wrong=0.1)
    comparison = compare(a, b, max_flips=2)
    row = find_row(comparison, "exact_match")
    flips = comparison.flips["exact_match"]
    worse = [flip for flip in flips if flip.became == "worse"]
    assert len(worse) == min(2, row.worse)
    assert all((flip.score_a, flip.score_b) == ("right", "wrong") for flip in worse)
    assert all(flip.answer_a != flip.answer_b and flip.answer_a == flip.target for flip in worse)
    assert comparison.rows[0].right_or_wrong


def test_the_largest_changes_of_an_error_rate_come_first(run: Any, quiz: Any) -> None:
    data = quiz()
    comparison = compare(run("a", data, metrics="wer"), run("b", data, metrics="wer", wrong=0.4))
    changes = [sum(flip.stat_b[:3]) / flip.stat_b[3] for flip in comparison.flips["wer"]]
    assert changes == sorted(changes, reverse=True)
    assert len(changes) == 5


def test_flipped_samples_keep_their_records_which_are_not_part_of_the_document(run: Any, quiz: Any) -> None:
    data = quiz()
    comparison = compare(run("a", data), run("b", data, wrong=0.2), max_flips=1)
    (flip,) = comparison.flips["exact_match"]
    assert [record.sample.id for record in flip.records] == [flip.id, flip.id_b]
    assert flip.answer_b in str(flip.records[1].outputs)
    assert "records" not in orjson.loads(encode_document(flip))
