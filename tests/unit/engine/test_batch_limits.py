"""Limits that adapt to memory."""

import pytest

from auricle.engine import batch_limits
from auricle.engine.batch_limits import MAX_AUTO_BATCH_SIZE, AdaptiveBatchLimits, BatchLimits, is_out_of_memory


def test_limits_grow_only_with_auto_and_after_a_full_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.1)
    fixed, growing = AdaptiveBatchLimits(BatchLimits(8)), AdaptiveBatchLimits(BatchLimits(8), auto_grow=True)
    for limits in (fixed, growing):
        limits.record_success(7)
        assert limits.limits.size == 8
        limits.record_success(8)
    assert (fixed.limits.size, growing.limits.size) == (8, 16)


def test_growth_stops_when_memory_is_half_full(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = AdaptiveBatchLimits(BatchLimits(8), auto_grow=True)
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.6)
    limits.record_success(8)
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.1)
    limits.record_success(8)
    assert limits.limits.size == 8


def test_growth_stops_at_the_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.1)
    limits = AdaptiveBatchLimits(BatchLimits(MAX_AUTO_BATCH_SIZE), auto_grow=True)
    limits.record_success(MAX_AUTO_BATCH_SIZE)
    assert limits.limits.size == MAX_AUTO_BATCH_SIZE


def test_out_of_memory_halves_size_and_seconds() -> None:
    limits = AdaptiveBatchLimits(BatchLimits(8, seconds=100.0))
    limits.record_out_of_memory(6, padded_seconds=60.0)
    assert limits.limits == BatchLimits(3, seconds=30.0)
    limits.record_out_of_memory(1, padded_seconds=10.0)
    assert limits.limits == BatchLimits(1, seconds=5.0)


def test_out_of_memory_errors_are_recognised_by_type_or_message() -> None:
    cuda_error = type("OutOfMemoryError", (RuntimeError,), {})
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(cuda_error("x"))
    assert is_out_of_memory(RuntimeError("CUDA error: out of memory"))
    assert not is_out_of_memory(RuntimeError("shapes differ"))
