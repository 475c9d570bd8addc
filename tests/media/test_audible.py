"""Which parts of a clip can be heard."""

import numpy as np
import pytest

from auricle.media.audible import AUDIBLE_AMPLITUDE, find_audible, find_edges


def test_the_threshold_is_50_db_below_full_scale() -> None:
    assert 20 * np.log10(AUDIBLE_AMPLITUDE / 32_768) == pytest.approx(-50, abs=0.1)


@pytest.mark.parametrize(
    ("value", "audible"), [(104, False), (-104, False), (105, True), (-105, True), (-32_768, True)]
)
def test_samples_above_the_threshold_are_audible(value: int, audible: bool) -> None:
    assert bool(find_audible(np.array([value], np.int16), rate=10)) is audible


def test_short_silences_do_not_separate_parts() -> None:
    samples = np.zeros(1000, np.int16)
    samples[[100, 149, 250]] = 5000
    assert find_audible(samples, rate=1000) == [(100, 150), (250, 251)]


def test_the_audible_part_includes_silence_inside() -> None:
    samples = np.array([0, 50, 500, 0, 0, -500, 0], np.int16)
    assert find_edges(samples) == (2, 6)
    assert find_edges(np.zeros(5, np.int16)) == (0, 0)
