"""The tables of a listening test: systems before and after screening, differences, ranks and agreement."""

import math
from typing import Any

import numpy as np
import pytest

from auricle.metrics.intervals import compute_interval
from auricle.studies.people.analysis import AgreementAggregator, Ratings, rank_range
from auricle.studies.people.scores import TestFacts

MOS = TestFacts("mos", ("a", "b"), 1, 5)


def complete_ratings(offsets: dict[int, float], excluded: tuple[int, ...] = ()) -> list[Any]:
    """Return ratings of two systems, of which a is one point better, by listeners with offsets."""
    values = {0: 4.0, 1: 3.0}
    return [
        (
            values[system] + offset + 0.1 * ((listener + item + system) % 3),
            listener,
            item,
            system,
            -1,
            listener in excluded,
        )
        for listener, offset in offsets.items()
        for item in range(6)
        for system in values
    ]


def get_tables(facts: TestFacts, stats: Any) -> dict[str, Any]:
    tables: dict[str, Any] = AgreementAggregator(facts).plot_data(stats)["listening_test"]
    return tables


def test_systems_have_numbers_before_and_after_screening() -> None:
    stats = complete_ratings({1: 0.0, 2: 0.0, 3: -2.0}, excluded=(3,))
    tables = get_tables(MOS, stats)
    (a, b) = tables["systems"]
    assert a["value"] == pytest.approx(4.1)
    assert a["before"]["value"] == pytest.approx(4.1 - 2 / 3)
    assert (a["n"], a["before"]["n"]) == (12, 18)
    assert (a["ranks"], b["ranks"]) == ((1, 1), (2, 2))
    assert tables["excluded"] == ["L03"]
    assert [row["is_excluded"] for row in tables["listener_table"]] == [False, False, True]


def test_a_difference_does_not_depend_on_how_generous_listeners_are() -> None:
    narrow = get_tables(MOS, complete_ratings({1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0}))["differences"][0]
    wide = get_tables(MOS, complete_ratings({1: -1.0, 2: 1.0, 3: 0.5, 4: -0.5}))["differences"][0]
    assert (narrow["low"], narrow["high"]) == pytest.approx((wide["low"], wide["high"]))
    assert wide["adjusted_p"] < 0.001


def test_the_centred_mean_corrects_listeners_who_heard_only_one_system() -> None:
    stats = [row for row in complete_ratings({1: 0.0, 2: 0.0}) if row[1] == 1 or row[3] == 0]
    a = get_tables(MOS, stats)["systems"][0]
    assert a["centred"] != pytest.approx(a["value"])


def test_mushra_differences_are_tested_with_signed_ranks_over_listeners() -> None:
    facts = TestFacts("mushra", ("a", "b"), 0, 100)
    stats = complete_ratings(dict.fromkeys(range(1, 7), 0.0))
    difference = get_tables(facts, stats)["differences"][0]
    assert difference["p"] == pytest.approx(2 / 2**6)
    assert "Wilcoxon" in difference["test"]


def test_pairs_have_counts_a_sign_test_and_strengths() -> None:
    facts = TestFacts("ab", ("a", "b"), 0, 1)
    stats = [(1.0 if item else 0.0, listener, item, 0, 1, 0) for listener in range(1, 9) for item in range(4)]
    tables = get_tables(facts, stats)
    pair = tables["differences"][0]
    assert (pair["wins"], pair["losses"], pair["listeners_first"]) == (24, 8, 8)
    assert pair["p"] == pytest.approx(2 / 2**8)
    assert tables["systems"][0]["value"] == pytest.approx(math.log(3) / 2)


def test_an_abx_pair_has_dprime_and_no_strengths() -> None:
    stats = [(float(item > 0), listener, item, 0, 1, 0) for listener in range(1, 5) for item in range(5)]
    tables = get_tables(TestFacts("abx", ("a", "b"), 0, 1), stats)
    assert tables["differences"][0]["dprime"] > 1
    assert "systems" not in tables


def test_agreement_is_one_if_all_agree_and_undefined_without_two_ratings_of_a_sound() -> None:
    same = [(float(1 + item), listener, item, 0, -1, 0) for listener in range(1, 4) for item in range(5)]
    assert AgreementAggregator(MOS)(same) == pytest.approx(1)
    alone = [row for row in same if row[1] == 1]
    assert math.isnan(AgreementAggregator(MOS)(alone))
    assert math.isnan(compute_interval(alone, AgreementAggregator(MOS)).low)


def test_all_listeners_excluded_leaves_no_numbers() -> None:
    tables = get_tables(MOS, complete_ratings({1: 0.0, 2: 0.0}, excluded=(1, 2)))
    assert math.isnan(tables["systems"][0]["value"])
    assert tables["systems"][0]["before"]["n"] == 12


def test_ranks_are_a_range_if_draws_differ() -> None:
    values = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]] * 50)
    assert rank_range(values) == [(2, 3), (2, 3), (1, 1)]
    assert rank_range(np.full((3, 2), math.nan)) == [(1, 2), (1, 2)]


def test_centred_ratings_have_a_mean_of_zero_for_every_listener() -> None:
    ratings = Ratings.of(complete_ratings({1: 0.4, 2: -1.0}))
    assert ratings.centred[ratings.listeners == 1].mean() == pytest.approx(0)
