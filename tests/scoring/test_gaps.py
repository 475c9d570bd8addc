"""Tests of gaps between groups: what they show, and how often they are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from auricle.core.types import Sample
from auricle.metrics.base import Array, Metric, mean
from auricle.report.gap_text import format_gaps
from auricle.scoring.gaps import Gap, compute_gaps
from auricle.scoring.grouped_stats import GroupedStats
from auricle.scoring.sound_slices import Grouping

SIZES = (2, 3, 5)
"""Values of the fields of simulated runs."""


def refuse_to_score(_: Sample, __: object) -> float:
    raise NotImplementedError


ACCURACY = Metric("accuracy", refuse_to_score, mean, title="Accuracy", unit="share")


def simulate_gaps(rng: np.random.Generator, gap: float = 0.0, size: int = 600) -> list[Gap]:
    """Return the gaps of a run with three fields; the first group of the second is worse by `gap`."""
    groupings = {
        f"field{count}": Grouping(tuple(map(str, range(count))), rng.integers(0, count, size)) for count in SIZES
    }
    share = 0.7 - gap * (groupings["field3"].codes == 0)
    return compute_gaps(make_stats((rng.random(size) < share).astype(float), groupings))


def make_stats(stats: Array, groupings: dict[str, Grouping]) -> GroupedStats:
    return GroupedStats(ACCURACY, stats, np.arange(len(stats)), groupings)


@pytest.mark.thorough
def test_without_a_gap_few_tables_show_one() -> None:
    rng = np.random.default_rng(11)
    alarms = sum(any(gap.is_significant for gap in simulate_gaps(rng)) for _ in range(300))
    assert alarms / 300 <= 0.07


@pytest.mark.thorough
def test_gap_of_the_detectable_size_is_detected_in_four_of_five_cases() -> None:
    rng = np.random.default_rng(12)
    size = 0.145
    rows = [next(gap for gap in simulate_gaps(rng, size) if gap.field == "field3") for _ in range(200)]
    assert np.mean([gap.detectable for gap in rows]) == pytest.approx(size, abs=0.01)
    assert np.mean([gap.is_significant for gap in rows]) == pytest.approx(0.8, abs=0.1)


def test_two_groups_are_one_test_with_mirrored_rows() -> None:
    stats = (np.random.default_rng(1).random(400) < 0.5).astype(float)
    codes = np.arange(400) % 2
    one, two = compute_gaps(make_stats(stats, {"gender": Grouping(("f", "m"), codes)}))
    assert (one.group, two.group, one.n, two.n) == ("f", "m", 200, 200)
    assert (two.value, two.difference, two.low, two.high) == (one.others, -one.difference, -one.high, -one.low)
    assert one.adjusted == one.p == two.adjusted  # not twice as large


def test_samples_without_a_value_are_not_among_the_others() -> None:
    stats, codes = np.repeat([1.0, 0.0, 1.0], 40), np.repeat([0, 1, -1], 40)
    stats[:4], stats[40:44] = 0.0, 1.0
    gap, _ = compute_gaps(make_stats(stats, {"accent": Grouping(("a", "b"), codes)}))
    assert (gap.value, gap.others) == (0.9, 0.1)


def test_field_with_one_or_too_many_values_is_left_out() -> None:
    single, many = Grouping(("a",), np.zeros(500, np.int64)), Grouping(tuple(map(str, range(25))), np.arange(500) % 25)
    assert compute_gaps(make_stats(np.ones(500), {"single": single, "many": many})) == []


def test_speaker_is_compared_by_samples_though_samples_are_clustered_by_speaker() -> None:
    codes = np.repeat(np.arange(4), 50)
    stats = (np.random.default_rng(2).random(200) < np.where(codes == 0, 0.2, 0.9)).astype(float)
    speakers = Grouping(("s1", "s2", "s3", "s4"), codes)
    grouped = GroupedStats(ACCURACY, stats, np.arange(200), {"speaker": speakers}, "speaker", codes)
    first = compute_gaps(grouped)[0]
    assert first.is_significant
    assert first.is_worse
    assert first.cluster == ""


def test_table_names_the_groups_that_differ_and_those_that_are_too_small() -> None:
    codes = np.repeat([0, 1, 2], [100, 100, 5])
    stats = (np.random.default_rng(3).random(205) < np.where(codes == 0, 0.4, 0.95)).astype(float)
    text = "\n".join(format_gaps(compute_gaps(make_stats(stats, {"mic": Grouping(("far", "near", "worn"), codes)}))))
    assert "mic=far is worse than the others by" in text
    assert "mic=worn" in text
    assert "too few for a test, which needs 20 samples" in text


def test_run_without_groups_is_explained() -> None:
    assert format_gaps([]) == ["No groups to compare: no metadata field has 2 to 20 values."]
