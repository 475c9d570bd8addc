"""Tests of the comparison of a group with all other samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auricle.metrics.base import Array, Mask, mean, ratio
from auricle.metrics.group_gaps import MIN_CLUSTERS, MIN_SAMPLES, GroupDifference, compare_group
from auricle.metrics.intervals import compare_paired
from auricle.metrics.unpaired import compare_unpaired

RNG = np.random.default_rng(5)


def compare(values: Array, members: Array | Mask, clusters: Array | None = None) -> GroupDifference:
    codes = None if clusters is None else clusters.astype(np.int64)
    comparison = compare_group(values, members.astype(bool), mean, codes)
    assert comparison
    return comparison


def test_groups_without_a_common_cluster_are_compared_as_independent() -> None:
    values, clusters = RNG.normal(size=400), np.repeat(np.arange(40.0), 10)
    members = clusters < 15
    ours = compare(values, members, clusters).difference
    codes = (clusters[~members] - 15).astype(np.int64), clusters[members].astype(np.int64)
    expected = compare_unpaired(values[~members], values[members], mean, codes)
    assert (ours.difference, ours.method) == (expected.difference, expected.method)
    assert ours.high - ours.low == pytest.approx(expected.high - expected.low, rel=0.1)


def test_what_the_samples_of_a_cluster_have_in_common_cancels_out() -> None:
    speakers = np.repeat(RNG.normal(0, 5, 30), 2)
    noise = np.tile([0.0, 1.0], 30)
    values = speakers + 0.5 * noise + RNG.normal(0, 0.1, 60)
    ours = compare(values, noise, np.repeat(np.arange(30.0), 2)).difference
    pairs = values.reshape(-1, 2)
    expected = compare_paired(pairs[:, 0], pairs[:, 1], mean)
    assert ours.method == "cluster-paired-t"
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high))
    assert ours.p == pytest.approx(expected.p)


def test_ratios_are_compared_too() -> None:
    stats = np.stack([RNG.poisson(2.0, 200), np.full(200, 10.0)], axis=1)
    comparison = compare_group(stats, np.arange(200) < 50, ratio)
    assert comparison
    assert comparison.difference.difference == pytest.approx(stats[:50, 0].mean() / 10 - stats[50:, 0].mean() / 10)


@pytest.mark.parametrize(("size", "is_tested"), [(MIN_SAMPLES - 1, False), (MIN_SAMPLES, True)])
def test_group_with_too_few_samples_is_not_tested(size: int, is_tested: bool) -> None:
    values = RNG.random(200)
    assert (compare_group(values, np.arange(200) < size, mean) is not None) == is_tested
    assert (compare_group(values, np.arange(200) >= size, mean) is not None) == is_tested


@pytest.mark.parametrize(("size", "is_tested"), [(MIN_CLUSTERS - 1, False), (MIN_CLUSTERS, True)])
def test_group_with_too_few_clusters_is_not_tested(size: int, is_tested: bool) -> None:
    clusters = np.repeat(np.arange(40), 20)
    assert (compare_group(RNG.random(800), clusters < size, mean, clusters) is not None) == is_tested


def test_undefined_number_is_not_compared() -> None:
    stats = np.stack([np.ones(100), np.where(np.arange(100) < 50, 0.0, 2.0)], axis=1)
    assert compare_group(stats, np.arange(100) < 50, ratio) is None


def test_more_tests_need_a_larger_gap() -> None:
    comparison = compare(RNG.random(400), np.arange(400) < 100)
    single = comparison.difference.detectable
    assert comparison.find_detectable(1) == pytest.approx(single, rel=0.02)
    assert comparison.find_detectable(1) < comparison.find_detectable(10) < 2 * single
    assert not math.isnan(single)
