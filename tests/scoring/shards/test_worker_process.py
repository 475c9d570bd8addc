"""A worker of a sharded run."""

import json
import subprocess
from pathlib import Path

import pytest

from auricle import Settings, Spec
from auricle.engine.factory import Evaluation
from auricle.engine.shards.launch_document import WorkerDocument
from auricle.engine.shards.planning import open_sharded_run
from auricle.engine.shards.worker import StopSignal
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import Price, RunPrices
from auricle.scoring.shards.worker_process import COMMAND, _report, work


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"id": str(row), "question": "a", "answer": "a"}) + "\n" for row in range(9)))
    return Evaluation.prepare(Spec(task="qa", task_args={"data": str(data)}, model="echo"))


def make_document(evaluation: Evaluation, folder: Path, **values: object) -> WorkerDocument:
    open_sharded_run(evaluation, folder, 3)
    return WorkerDocument.create(evaluation.spec, Settings(), str(folder), name="here", **values)


def test_all_shards_are_processed(evaluation: Evaluation, tmp_path: Path) -> None:
    report = work(make_document(evaluation, tmp_path / "run"), StopSignal(), evaluation)
    assert (report.result.shards, report.result.rows, report.stop_reason) == (3, 9, "")


def test_a_worker_stops_when_its_share_is_spent(evaluation: Evaluation, tmp_path: Path) -> None:
    prices = RunPrices(Price("echo", request=0.01))
    document = make_document(evaluation, tmp_path / "run", prices=prices, max_cost=0.05)
    report = work(document, StopSignal())
    assert "spent, the limit is" in report.stop_reason
    assert "the limit of each worker is" in work(document.share(0, 2), StopSignal()).stop_reason
    assert report.result.stopped
    assert len([*ShardStore.open(tmp_path / "run").completions()]) < 3


def test_an_error_is_reported_without_secrets(evaluation: Evaluation, tmp_path: Path) -> None:
    document = make_document(evaluation, tmp_path / "run")
    broken = json.loads(document.encode())
    broken["spec"]["model"] = "whisperr"
    message = json.loads(_report(json.dumps(broken).encode()))["error"]
    assert message["kind"] == "UnknownName"
    assert json.loads(_report(b"{}"))["error"]["kind"] == "DataError"


@pytest.mark.slow
def test_the_process_reads_its_document_and_writes_its_report(evaluation: Evaluation, tmp_path: Path) -> None:
    document = make_document(evaluation, tmp_path / "run")
    done = subprocess.run(COMMAND, input=document.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)["result"]["shards"] == 3
