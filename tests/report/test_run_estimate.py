"""Estimates of time, against sums by hand."""

import pytest

from auricle.report.run_estimate import (
    REMOTE_SHARD_SECONDS,
    REQUESTS_PER_SHARD,
    SHARD_SECONDS,
    Speed,
    Workload,
    estimate_run_time,
)

WORKLOAD = Workload(samples=1_000, is_exact=True, requests=1_000, audio_seconds=None, shards=10)
SPEED = Speed(samples_per_second=10.0, startup_seconds=3.0)


def test_one_worker_starts_and_processes_all_samples() -> None:
    estimate = estimate_run_time(WORKLOAD, SPEED, 1)
    assert estimate.seconds == pytest.approx(3 + 100 + 10 * SHARD_SECONDS)
    assert estimate.worker_seconds == estimate.seconds
    assert estimate.shard_seconds == pytest.approx(10 + SHARD_SECONDS)
    assert estimate.store_requests is None


def test_workers_share_the_work_and_wait_for_the_last_shard() -> None:
    shard = 10 + SHARD_SECONDS
    estimate = estimate_run_time(WORKLOAD, SPEED, 5)
    assert estimate.seconds == pytest.approx(3 + 2 * shard + shard / 2)
    assert estimate.worker_seconds == pytest.approx(5 * estimate.seconds)


def test_more_workers_than_shards_are_of_no_use() -> None:
    assert estimate_run_time(WORKLOAD, SPEED, 10).seconds == estimate_run_time(WORKLOAD, SPEED, 1000).seconds


def test_writes_to_a_bucket_are_counted() -> None:
    shard = 10 + REMOTE_SHARD_SECONDS
    estimate = estimate_run_time(WORKLOAD, SPEED, 1, is_remote=True, lease_seconds=30)
    assert estimate.store_requests == round(10 * (REQUESTS_PER_SHARD + shard / 10 + shard / 30))


def test_a_run_without_shards_has_one_worker() -> None:
    workload = Workload(samples=50, is_exact=True, requests=50, audio_seconds=None, shards=None)
    estimate = estimate_run_time(workload, SPEED, 8)
    assert (estimate.workers, estimate.seconds, estimate.shard_seconds) == (1, 8.0, None)
