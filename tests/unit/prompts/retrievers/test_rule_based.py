"""Retrieval by id, position, chance and label."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from auricle.core.errors import SampleError, SpecError
from tests.support.few_shot import make_sample, make_samples, make_selector, select_ids


def test_first_returns_the_first_rows_in_order() -> None:
    assert select_ids("first:3", make_samples(9), make_sample("x")) == ["r0", "r1", "r2"]


def test_zero_returns_nothing_and_reads_no_pool() -> None:
    def unread() -> Iterator[Any]:
        raise AssertionError
        yield

    for none in ("zero", 0, "0", {"use": "bm25", "k": 0}):
        assert select_ids(none, unread(), make_sample("x")) == []
        assert repr(make_selector(none, unread())) == "Shots(zero)"


def test_fixed_returns_the_given_rows_in_order() -> None:
    options = {"use": "fixed", "ids": ["r3", "r1", "r2"]}
    assert select_ids(options, make_samples(5), make_sample("x")) == ["r3", "r1", "r2"]
    assert select_ids({**options, "ids": "r3, r1"}, make_samples(5), make_sample("x")) == ["r3", "r1"]


def test_fixed_skips_the_sample_itself() -> None:
    options = {"use": "fixed", "ids": ["r0", "r1", "r2"], "k": 2}
    assert select_ids(options, make_samples(5), make_samples(5)[0]) == ["r1", "r2"]


def test_fixed_refuses_an_unknown_row() -> None:
    with pytest.raises(SpecError, match=r"no usable row 'r99'. Similar ids: r") as refused:
        make_selector({"use": "fixed", "ids": ["r99"]}, make_samples(12)).validate()
    assert refused.value.location == ("shots", "ids")


def test_plain_number_draws_rows_at_random() -> None:
    pool = make_samples(50)
    assert len(set(select_ids(3, pool, make_sample("x")))) == 3
    assert (
        select_ids(3, pool, make_sample("x"))
        == select_ids("3", pool, make_sample("x"))
        == select_ids("random:3", pool, make_sample("x"))
    )
    assert select_ids(3, pool, make_sample("x")) != select_ids(3, pool, make_sample("y"))
    assert select_ids(3, pool, make_sample("x")) != select_ids({"k": 3, "seed": 1}, pool, make_sample("x"))


@pytest.mark.slow
def test_random_draws_every_row_equally_often() -> None:
    pool = make_samples(10)
    drawn = Counter(item for n in range(2000) for item in select_ids(2, pool, make_sample(str(n))))
    assert len(drawn) == 10
    assert all(300 < count < 500 for count in drawn.values())


def test_sliding_returns_the_preceding_rows_in_order() -> None:
    pool = make_samples(6)
    assert select_ids("sliding:3", pool, pool[4]) == ["r1", "r2", "r3"]
    assert select_ids("sliding:3", pool, pool[1]) == ["r0"]


def test_sliding_needs_the_sample_in_the_pool() -> None:
    with pytest.raises(SampleError, match="needs the sample itself"):
        select_ids("sliding:3", make_samples(6), make_sample("elsewhere"))


def test_balanced_returns_equally_many_rows_per_label() -> None:
    pool = [make_sample(str(n), answer="rare" if n % 10 == 0 else "usual") for n in range(40)]
    for name in "stuvw":
        result = make_selector("balanced:6", pool).examples_for(make_sample(name))
        assert Counter(shot.answer for shot in result) == {"rare": 3, "usual": 3}


def test_balanced_accounts_for_excluded_rows() -> None:
    pool = [make_sample(str(n), answer="ab"[n % 2], speaker=str(n // 4)) for n in range(12)]
    options = {"use": "balanced", "k": 4, "same": "speaker"}
    result = make_selector(options, pool).examples_for(make_sample("x", speaker="0"))
    assert Counter(shot.answer for shot in result) == {"a": 2, "b": 2}


def test_balanced_can_use_a_metadata_field() -> None:
    pool = [make_sample(str(n), accent="north" if n < 30 else "south") for n in range(32)]
    result = select_ids({"use": "balanced", "by": "accent", "k": 4}, pool, make_sample("x"))
    assert {"30", "31"} < set(result)
    with pytest.raises(SpecError, match="'dialect' to balance by"):
        make_selector({"use": "balanced", "by": "dialect", "k": 4}, pool).validate()


def test_balanced_continues_with_other_labels_when_one_is_exhausted() -> None:
    pool = [make_sample("only", answer="rare"), *(make_sample(str(n), answer="usual") for n in range(9))]
    assert len(select_ids("balanced:5", pool, make_sample("x"))) == 5
