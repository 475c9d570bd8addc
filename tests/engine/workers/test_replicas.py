"""Batch models in several processes."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from auricle import Generate, Turn
from auricle.core.errors import TimedOut
from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool
from auricle.models import BatchModel

pytestmark = pytest.mark.slow

MODEL = """
import os, time
from auricle import BatchModel, Generation

class Reports(BatchModel):
    def generate(self, batch):
        if batch[0].turns[0].parts[0] == "hang":
            time.sleep(60)
        return [Generation(text=f"{os.environ.get('CUDA_VISIBLE_DEVICES')} {os.getpid()}") for _ in batch]
"""


def test_devices_are_assigned_in_turn() -> None:
    environments = ReplicaOptions(replicas=3, devices=("0", "1"), environment={"A": "x"}).replica_environments()
    assert environments == [{"A": "x", "CUDA_VISIBLE_DEVICES": device} for device in ("0", "1", "0")]


def test_without_replicas_there_is_one_process_per_device() -> None:
    assert len(ReplicaOptions(devices=("0", "1")).replica_environments()) == 2
    assert ReplicaOptions(replicas=2).replica_environments() == [{}, {}]


def test_options_have_defaults() -> None:
    options = ReplicaOptions()
    assert (options.python, options.replicas, options.devices, options.timeout) == (sys.executable, 1, (), 600.0)
    assert options.replica_environments() == [{}]


def test_pool_has_the_limits_of_its_model() -> None:
    class Limited(BatchModel):
        batch_size, batch_seconds, sample_rate = 3, 20.0, 8_000

    pool = ReplicaPool("echo", {}, Limited, ReplicaOptions(replicas=2))
    assert (pool.batch_size, pool.batch_seconds, pool.sample_rate) == (3, 20.0, 8_000)
    assert len(pool.workers) == 2
    assert pool.ready_at is None


def test_each_replica_sees_its_device_and_a_hanging_one_is_killed(tmp_path: Path) -> None:
    (tmp_path / "reports.py").write_text(MODEL)

    async def main() -> None:
        options = ReplicaOptions(devices=("4", "7"), timeout=10.0, log_folder=tmp_path / "logs")
        pool = ReplicaPool(f"{tmp_path / 'reports.py'}:Reports", {}, BatchModel, options)
        try:
            batch = [Generate(turns=(Turn("user", ("hello",)),))]
            outputs = [await worker("generate", batch) for worker in pool.workers]
            devices, process_ids = zip(*(getattr(output[0], "text", "").split() for output in outputs), strict=True)
            assert devices == ("4", "7")
            pool.workers[0].process._timeout = 0.2
            with pytest.raises(TimedOut, match=r"did not answer within 0\.2 s .* and was killed"):
                await pool.workers[0]("generate", [Generate(turns=(Turn("user", ("hang",)),))])
        finally:
            await pool.aclose()
        for process_id in process_ids:
            with pytest.raises(ProcessLookupError):
                os.kill(int(process_id), 0)

    asyncio.run(main())
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["replica-0.log", "replica-1.log"]
