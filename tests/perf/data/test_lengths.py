import numpy as np
import pytest

from auricle.perf.data.lengths import Lengths


@pytest.mark.parametrize("text", ["512±50", "512+-50"])
def test_lengths_are_normally_distributed(text: str) -> None:
    random = np.random.default_rng(1)
    lengths = [Lengths.parse(text).draw_count(random) for _ in range(2000)]
    assert np.mean(lengths) == pytest.approx(512, abs=5)
    assert np.std(lengths) == pytest.approx(50, abs=4)


def test_uniform_lengths_include_both_bounds() -> None:
    random = np.random.default_rng(1)
    assert {Lengths.parse("3..5").draw_count(random) for _ in range(200)} == {3, 4, 5}


def test_fixed_length_is_always_the_same() -> None:
    random = np.random.default_rng(1)
    assert {Lengths.parse("7").draw_count(random) for _ in range(10)} == {7}


def test_normal_lengths_are_at_least_one() -> None:
    random = np.random.default_rng(1)
    assert min(Lengths.parse("2±10").draw_count(random) for _ in range(200)) == 1


def test_seconds_may_have_a_unit() -> None:
    assert Lengths.parse("5..30s", seconds=True) == Lengths(5.0, 30.0)
    assert Lengths.parse("5±2", seconds=True) == Lengths(5.0, 5.0, 2.0)


@pytest.mark.parametrize("text", ["", "x", "5..", "±3", "5s", "0", "9..3", "-4"])
def test_invalid_lengths_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|order|above 0"):
        Lengths.parse(text)
