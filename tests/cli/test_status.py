"""`auricle status`, of sharded runs and of others."""

import json
from dataclasses import replace
from pathlib import Path

from auricle import Spec, evaluate
from auricle.runs.shards.leases import Lease
from auricle.runs.shards.store import ShardStore
from tests.support.cli_types import RunAuricle
from tests.support.shards import make_completion, make_parts


def test_shards_workers_and_what_is_left_are_shown(auricle: RunAuricle, tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path / "run", make_parts(4, 10))
    store.complete(
        replace(
            make_completion(0), rows=10, answered=9, failed=1, attempts=13, cost=0.25, currency="USD", unused_lines=2
        )
    )
    assert Lease.acquire(store.storage, 1, 1, "gpu-7", 60.0)
    lines = auricle("status", str(tmp_path / "run")).stdout.splitlines()
    assert lines[0] == f"{tmp_path / 'run'}: 1 of 4 shards completed, 1 leased, 2 open"
    assert lines[1].startswith("10 of about 40 samples, ")
    assert lines[1].endswith(", 1 failed")
    assert lines[2].endswith("3 requests repeated, 2 results written in vain")
    assert "gpu-7 on " in lines[-1]
    document = json.loads(auricle("status", str(tmp_path / "run"), "--json").stdout)
    assert (document["done"], document["leased"], document["active"][0]["worker"]) == (1, 1, "gpu-7")


def test_a_run_that_no_worker_continues_has_a_hint(auricle: RunAuricle, tmp_path: Path) -> None:
    ShardStore.create(tmp_path / "run", make_parts(2, 10))
    assert (
        "No worker is active. Run the same `auricle run` command again"
        in auricle("status", str(tmp_path / "run")).stdout
    )


def test_an_ordinary_run_has_a_status_too(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"id": "1", "question": "a", "answer": "a"}\n')
    run = evaluate(
        Spec(task="qa", task_args={"data": str(tmp_path / "data.jsonl")}, model="echo"), tmp_path / "run"
    ).path
    lines = auricle("status", str(run), "--watch").stdout.splitlines()
    assert lines[0] == f"{run}: done, echo on qa-data"
    assert lines[1].startswith("1 samples, 0 failed")
    assert json.loads(auricle("status", str(run), "--json").stdout)["status"] == "done"


def test_a_folder_without_a_run_is_an_error(auricle: RunAuricle, tmp_path: Path) -> None:
    done = auricle("status", str(tmp_path))
    assert (done.returncode, "Not a run directory" in done.stderr) == (2, True)
