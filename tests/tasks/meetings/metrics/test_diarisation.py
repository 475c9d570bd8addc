"""Turns compared piece by piece, with answers that can be checked by hand."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from auricle.core.types import Segment
from auricle.tasks.meetings.metrics.diarisation import CONVENTIONS, Comparison, Scoring, Turns, assign, compare_turns
from auricle.tasks.meetings.segment_files import Region


def turns(*values: tuple[float, float, str]) -> Turns:
    return Turns.from_segments([Segment(start, end, "", speaker) for start, end, speaker in values])


REFERENCE = turns((0, 10, "A"), (8, 20, "B"))
HYPOTHESIS = turns((0, 9, "1"), (9, 21, "2"))


def compare(scoring: Scoring = Scoring(), regions: list[Region] | None = None) -> Comparison:  # noqa: B008
    return compare_turns(REFERENCE, HYPOTHESIS, scoring, regions)


def test_errors_are_counted_by_piece() -> None:
    comparison = compare()
    assert comparison.sum_errors() == (2.0, 1.0, 0.0, 22.0)
    assert comparison.scored_seconds() == 21.0
    assert comparison.mapping == {0: 0, 1: 1}


@pytest.mark.parametrize(
    ("scoring", "errors"),
    [
        (Scoring(collar=0.5), (1.0, 0.5, 0.0, 18.0)),
        (Scoring(overlap="skip"), (0.0, 1.0, 0.0, 18.0)),
        (Scoring(convention="md-eval"), (2.0, 0.0, 0.0, 22.0)),  # nothing is scored after the reference
        (Scoring(0.5, "skip"), (0.0, 0.5, 0.0, 16.0)),
    ],
)
def test_collars_overlap_and_convention_decide_what_is_scored(
    scoring: Scoring, errors: tuple[float, float, float, float]
) -> None:
    assert compare(scoring).sum_errors() == errors


def test_a_uem_limits_what_is_scored_under_both_conventions() -> None:
    for convention in CONVENTIONS:
        scoring = Scoring(convention=convention)
        assert compare(scoring, [Region(0, 5), Region(19, 25)]).sum_errors() == (0.0, 1.0, 0.0, 6.0)


def test_ignored_times_are_never_scored() -> None:
    comparison = compare_turns(REFERENCE, HYPOTHESIS, Scoring(), None, [Region(8, 10)])
    assert comparison.sum_errors() == (0.0, 1.0, 0.0, 18.0)


def test_times_are_exact() -> None:
    reference = turns(*((index / 10, (index + 1) / 10, "A") for index in range(1000)))
    hypothesis = turns((0, 100, "x"))
    assert compare_turns(reference, hypothesis, Scoring()).sum_errors() == (0.0, 0.0, 0.0, 100.0)


def test_times_have_nine_decimals() -> None:
    comparison = compare_turns(turns((0, 1.000000003, "A")), turns((0, 1.000000002, "x")), Scoring())
    assert comparison.sum_errors()[0] == 1e-9


def test_equal_overlaps_are_mapped_by_the_jaccard_index() -> None:
    # x and y talk with A for 2 s each; y talks less besides.
    reference, hypothesis = turns((0, 4, "A")), turns((0, 2, "x"), (10, 20, "x"), (2, 4, "y"), (20, 21, "y"))
    comparison = compare_turns(reference, hypothesis, Scoring())
    assert comparison.mapping == {0: 1}
    # B and C are equally long with either; the sum of their indices decides.
    reference = turns((0, 4, "B"), (10, 14, "C"), (20, 26, "C"))
    hypothesis = turns((0, 2, "x"), (10, 12, "x"), (2, 4, "y"), (12, 14, "y"), (20, 26, "z"), (30, 31, "x"))
    assert compare_turns(reference, hypothesis, Scoring()).mapping == {0: 1, 1: 2}


@pytest.mark.parametrize(
    ("scoring", "errors"),
    [
        (Scoring(), (2.0, 0.0, 0.0, 10.0)),
        (Scoring(convention="md-eval"), (0.0, 0.0, 0.0, 8.0)),
        (Scoring(overlap="skip"), (0.0, 0.0, 0.0, 6.0)),
        (Scoring(overlap="skip", convention="md-eval"), (0.0, 0.0, 0.0, 6.0)),
    ],
)
def test_the_convention_decides_whether_overlapping_turns_of_a_speaker_all_count(
    scoring: Scoring, errors: tuple[float, float, float, float]
) -> None:
    comparison = compare_turns(turns((0, 5, "A"), (3, 8, "A")), turns((0, 8, "x")), scoring)
    assert comparison.sum_errors() == errors
    assert comparison.sum_self_overlaps() == (2.0, 0.0)


def test_mapping_may_differ_if_collars_are_taken_out_first() -> None:
    # x talks longer with A in total, and y longer outside of collars.
    reference = turns((0, 4, "A"), (6, 10, "A"))
    hypothesis = turns((0, 1, "x"), (3, 4, "x"), (6, 7, "x"), (1.5, 3, "y"), (7.5, 8.4, "y"))
    scoring = {name: Scoring(1.0, "score", name) for name in CONVENTIONS}
    mappings = {name: compare_turns(reference, hypothesis, value).mapping for name, value in scoring.items()}
    assert mappings == {"pyannote": {0: 1}, "md-eval": {0: 0}}


def test_without_reference_turns_everything_is_a_false_alarm() -> None:
    assert compare_turns(turns(), HYPOTHESIS, Scoring()).sum_errors() == (0.0, 21.0, 0.0, 0.0)
    assert compare_turns(turns(), turns(), Scoring()).sum_errors() == (0.0, 0.0, 0.0, 0.0)


def test_turns_without_duration_are_left_out() -> None:
    assert len(turns((1, 1, "A"), (1, 2, "B")).starts) == 1
    comparison = compare_turns(turns((5, 5, "A"), (1, 2, "B")), turns((1, 2, "x")), Scoring(collar=0.25))
    assert comparison.sum_errors() == (0.0, 0.0, 0.0, 0.5)


def test_jaccard_errors_are_those_of_reference_speakers() -> None:
    assert compare().jaccard_errors() == pytest.approx([0.1, 2 / 13])
    assert compare_turns(REFERENCE, turns(), Scoring()).jaccard_errors() == [1.0, 1.0]
    assert compare_turns(turns(), HYPOTHESIS, Scoring()).jaccard_errors() == []


def test_collars_count_in_jaccard_errors_under_the_convention_of_md_eval() -> None:
    in_region = compare(Scoring(1.0, convention="md-eval")).jaccard_errors()
    assert in_region == pytest.approx([0.1, 1 / 12])  # nothing after 20 s is in the region
    assert compare(Scoring(1.0)).jaccard_errors() == pytest.approx([0.0, 0.0])


def test_the_order_and_names_of_speakers_do_not_matter() -> None:
    rng = random.Random(3)
    for _ in range(50):
        sides = [
            [(start := rng.randrange(20) / 2, start + rng.randrange(1, 8) / 2, rng.choice("ABC")) for _ in range(6)]
            for _ in range(2)
        ]
        names = dict(zip("ABC", rng.sample("xyz", 3), strict=True))
        renamed = [[(start, end, names[name]) for start, end, name in rng.sample(side, 6)] for side in sides]
        first, second = (
            compare_turns(turns(*reference), turns(*hypothesis), Scoring(0.25))
            for reference, hypothesis in (sides, renamed)
        )
        assert first.sum_errors() == second.sum_errors()
        assert sorted(first.jaccard_errors()) == pytest.approx(sorted(second.jaccard_errors()))


def test_an_assignment_has_the_largest_sum() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows, columns = rng.integers(0, 5, size=2)
        weights = rng.integers(0, 9, size=(rows, columns)).astype(np.float64)
        pairs = assign(weights)
        assert len(pairs) == min(rows, columns)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
        wide = weights if rows <= columns else weights.T
        choices = itertools.permutations(range(wide.shape[1]), wide.shape[0])
        best = max(sum(wide[row, column] for row, column in enumerate(choice)) for choice in choices)
        assert sum(weights[pair] for pair in pairs) == best


def test_the_conventions_are_part_of_the_variant() -> None:
    assert Scoring(0.25, "skip", "md-eval").variant == "collar-0.25-each.overlap-skipped.md-eval"
    assert Scoring().variant == "collar-0-each.overlap-scored.pyannote"
