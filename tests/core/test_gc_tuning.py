"""Thresholds of the garbage collector."""

import gc

import pytest

from auricle.core.gc_tuning import GC_THRESHOLDS, infrequent_gc


def test_thresholds_are_restored_after_an_error() -> None:
    def fail() -> None:
        with infrequent_gc():
            assert gc.get_threshold() == GC_THRESHOLDS
            raise ValueError("inside")

    before = gc.get_threshold()
    with pytest.raises(ValueError, match="inside"):
        fail()
    assert gc.get_threshold() == before
