"""Kill and suspend workers of a sharded run while they have a lease: every row must count once.

`python bench/shard_kills.py` uses a folder; with `--bucket` a local S3 server (extra `cloud-test`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.shard_kills import Disturbance, Report, WorkerPool  # noqa: E402 - after the path is set
from tests.support.shards import make_parts  # noqa: E402

from auricle.runs.shards.store import ShardStore  # noqa: E402

ROWS_PER_SHARD = 249
PORT = 5057


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=400)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pauses", type=int, default=50)
    parser.add_argument("--term", type=float, default=2.0, help="Seconds of a lease.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bucket", action="store_true", help="Use a local S3 server instead of a folder.")
    arguments = parser.parse_args()
    calm = Disturbance(term=arguments.term, seed=arguments.seed)
    rough = replace(calm, kills=arguments.kills, pauses=arguments.pauses, interval=0.08)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        with open_location(folder, is_bucket=arguments.bucket) as location:
            reports = {}
            for workers, disturbance in ((1, calm), (arguments.workers, calm), (arguments.workers, rough)):
                name = f"{location}/{workers}-{disturbance.kills}"
                run_in_child(lambda name=name: create_run(name, arguments.shards))
                pool = WorkerPool(name, workers, 0.0 if workers == 1 else 0.002, disturbance)
                fields = run_in_child(lambda pool=pool: asdict(pool.run()))
                reports[f"{workers} workers, {disturbance.kills} kills"] = Report(**fields)
            return show(reports)


def create_run(name: str, shards: int) -> dict[str, Any]:
    ShardStore.create(name, make_parts(shards, ROWS_PER_SHARD))
    return {}


def run_in_child(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run a function in a forked process: the threads of clients of buckets do not survive a further fork."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.write(writer, json.dumps(function()).encode())
            code = 0
        except Exception:  # noqa: BLE001 - shown, and the process ends
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as result:
        content = result.read()
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("A process failed; its error is above.")
    fields: dict[str, Any] = json.loads(content)
    return fields


def show(reports: dict[str, Report]) -> int:
    """Print what happened; return 1 if a row was lost or counted twice, or a statistic differs."""
    reference = next(iter(reports.values())).digest
    for name, report in reports.items():
        equal = "equal" if report.digest == reference else "DIFFERENT"
        print(
            f"{name}: {report.seconds:.1f} s, {report.rows:,} rows, {report.twice} counted twice, {report.lost} lost, "
            f"{report.kills} holders killed, {report.pauses} paused beyond the lease "
            f"({report.zombies} lost their shard), {report.epochs} epochs, "
            f"{report.attempts:,} attempts ({report.unused:,} in vain), statistics {equal}"
        )
    is_met = all(report.digest == reference and not report.twice + report.lost for report in reports.values())
    print(f"target: every row counts once, and statistics are equal: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


@contextmanager
def open_location(folder: str, *, is_bucket: bool) -> Iterator[str]:
    """Yield a folder, or a bucket of a local S3 server that runs meanwhile."""
    if not is_bucket:
        yield folder
        return
    endpoint = f"http://127.0.0.1:{PORT}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        os.environ |= {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint,
        }
        create_bucket(endpoint)
        yield "s3://bench"
    finally:
        server.terminate()
        server.wait()


def create_bucket(endpoint: str) -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/bench", method="PUT")) as response:
                response.read()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The S3 server did not start.")


if __name__ == "__main__":
    sys.exit(main())
