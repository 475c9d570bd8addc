"""Limits that adapt to memory."""

from pathlib import Path

import pytest

from auricle.engine import batch_limits
from auricle.engine.batch_limits import (
    MAX_AUTO_BATCH_SIZE,
    AdaptiveBatchLimits,
    BatchLimits,
    is_out_of_memory,
    used_memory_share,
)


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


def test_the_largest_batch_and_half_of_the_memory_are_still_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.5)
    limits = AdaptiveBatchLimits(BatchLimits(64), auto_grow=True)
    limits.record_success(64)
    limits.record_success(128)
    assert limits.limits.size == MAX_AUTO_BATCH_SIZE == 256


def test_batches_do_not_grow_again_after_memory_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_limits, "used_memory_share", lambda: 0.1)
    limits = AdaptiveBatchLimits(BatchLimits(16), auto_grow=True)
    limits.record_out_of_memory(16, padded_seconds=0.0)
    limits.record_success(8)
    assert limits.limits == BatchLimits(8)


def test_limits_never_rise_after_memory_ran_out() -> None:
    limits = AdaptiveBatchLimits(BatchLimits(4, seconds=10.0))
    limits.record_out_of_memory(64, padded_seconds=600.0)
    assert limits.limits == BatchLimits(4, seconds=10.0)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("MemTotal:  1000 kB\nMemFree: 10 kB\nMemAvailable:  250 kB\n", 0.75),
        ("MemTotal:  1000 kB\n", 0.0),
        ("MemAvailable:  250 kB\n", 0.0),
    ],
)
def test_used_memory_is_what_is_not_available(monkeypatch: pytest.MonkeyPatch, text: str, share: float) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path: text if str(path) == "/proc/meminfo" else "")
    assert used_memory_share() == share


def test_memory_use_is_unknown_where_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert used_memory_share() == 0.0
