"""Sharded runs as a whole: launched, followed, merged once."""

import json
import threading
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest

from auricle import Observer, Settings, Spec, SpecError, api
from auricle.core.errors import RunMismatch
from auricle.engine.budget import Budget
from auricle.engine.factory import Evaluation
from auricle.engine.shards.launch_document import WorkerDocument
from auricle.engine.shards.launch_local import LocalLauncher
from auricle.engine.shards.launch_ray import RayLauncher
from auricle.engine.shards.launch_slurm import SlurmLauncher
from auricle.engine.shards.planning import open_sharded_run
from auricle.report.merging import _digest_state, merge_completed, merge_once
from auricle.runs.documents import encode_document
from auricle.runs.shards.leases import Lease, LeaseHolder, lease_path
from auricle.runs.shards.status import ShardStatus
from auricle.runs.usage import Price
from auricle.scoring.shards import sharded_run
from auricle.scoring.shards.sharded_run import InProcess, make_launcher, run_workers
from tests.support.extras import require_extra


class Follower(Observer):
    """Notes what it is called with."""

    def __init__(self) -> None:
        self.states: list[ShardStatus] = []
        self.messages: list[str] = []
        self.runs: list[str] = []

    def on_start(self, run: Any, stop: Any, /) -> None:
        self.runs.append(str(run.path))

    def on_shards(self, status: ShardStatus, /) -> None:
        self.states.append(status)

    def on_message(self, text: str, /) -> None:
        self.messages.append(text)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    data = tmp_path / "data.jsonl"
    rows = ({"id": str(row), "question": str(row), "answer": str(row % 4)} for row in range(20))
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Spec(task="qa", task_args={"data": str(data)}, model="echo")


def test_a_sharded_run_has_the_numbers_of_a_plain_one(spec: Spec, tmp_path: Path) -> None:
    plain, follower = api.evaluate(spec, tmp_path / "plain"), Follower()
    result = api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=follower)
    assert result.numbers == plain.numbers
    assert (result.complete, result.exit_status, result.outcomes.answered) == (True, 0, 20)
    assert follower.states[-1].complete
    assert follower.runs == [str(tmp_path / "run")]
    again = api.evaluate(spec, tmp_path / "run", settings=Settings(shards="auto"))
    assert again.numbers == plain.numbers


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"shards": 0}, "shards: 0 is too small"), ({"shards": "x"}, "shards: 'x'"), ({"workers": 0}, "workers: 0 is")],
)
def test_wrong_numbers_of_shards_and_workers_are_refused(
    spec: Spec, tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        api.evaluate_shards(spec, tmp_path / "run", **settings)
    with pytest.raises(SpecError, match="the list of runs is empty"):
        api.merge_shards([])


def test_a_model_of_this_process_needs_a_single_worker(spec: Spec, tmp_path: Path) -> None:
    model: Any = lambda text: "1"  # noqa: E731 - other processes cannot import it
    local = Spec(task="qa", task_args=spec.task_args, model=model)
    assert api.evaluate_shards(local, tmp_path / "run", shards=2)["exact_match"].value == 5 / 20
    with pytest.raises(SpecError, match="Other processes cannot import"):
        api.evaluate_shards(local, tmp_path / "other", shards=2, workers=2)


def test_the_settings_choose_the_launcher(spec: Spec, tmp_path: Path) -> None:
    evaluation = Evaluation.prepare(spec)
    document = WorkerDocument.create(spec, Settings(), "run", name="here")

    def choose(**settings: Any) -> object:
        chosen = Settings(shards="auto", **settings)
        return type(make_launcher(evaluation, chosen, document, tmp_path, lambda _: None))

    assert choose() is InProcess
    assert choose(workers=2) is LocalLauncher
    assert choose(workers=2, backend="ray") is RayLauncher
    assert choose(workers=2, backend="slurm") is SlurmLauncher


def test_a_spent_budget_stops_the_run_and_a_higher_one_continues_it(spec: Spec, tmp_path: Path) -> None:
    price = Price("echo", request=0.01)
    stopped = api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=Budget(price, 0.08))
    assert not stopped.complete
    assert "the limit is" in stopped.stop_reason
    result = api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=Budget(price, 1.0))
    assert result.complete
    assert result.metrics
    assert result.metrics.usage.cost == pytest.approx(0.2)


def test_of_several_workers_that_end_together_one_merges(spec: Spec, tmp_path: Path) -> None:
    evaluation, messages = Evaluation.prepare(spec), list[str]()
    outcome = run_workers(evaluation, tmp_path / "run", Settings(shards=2), Observer())
    claim = f"leases/merge-{_digest_state(outcome.store)}"
    outcome.store.storage.create(claim, b"another worker")
    assert merge_once(outcome, evaluation.task, evaluation.spec, messages.append) is None
    assert "Another worker merges the shards" in messages[0]
    outcome.store.storage.delete(claim)
    assert merge_once(outcome, evaluation.task, evaluation.spec, messages.append)
    assert merge_once(outcome, evaluation.task, evaluation.spec, messages.append)


def test_a_merge_whose_process_was_killed_is_begun_again_at_once(spec: Spec, tmp_path: Path) -> None:
    evaluation = Evaluation.prepare(spec)
    outcome = run_workers(evaluation, tmp_path / "run", Settings(shards=2), Observer())
    dead = LeaseHolder(worker="merge", host=gethostname(), pid=2**22 - 1, term=600.0)
    claim = f"leases/merge-{_digest_state(outcome.store)}"
    outcome.store.storage.create(claim, encode_document(dead))
    assert merge_once(outcome, evaluation.task, evaluation.spec)


def test_runs_of_different_models_are_not_merged(spec: Spec, tmp_path: Path) -> None:
    other = spec.model_copy(update={"model_args": {"reply": "2"}})
    for index, part in enumerate((spec, other)):
        api.evaluate_shards(part, tmp_path / str(index), settings=Settings(shards=4, shard=f"{index}/2"))
    with pytest.raises(RunMismatch, match=r"different evaluations and cannot be merged \(model_args\.reply"):
        merge_completed([tmp_path / "0", tmp_path / "1"], tmp_path / "all")
    with pytest.raises(RunMismatch, match="different evaluations"):
        merge_completed([tmp_path / "0"], tmp_path / "1")


def test_shards_of_killed_workers_of_this_machine_are_given_back_at_once(spec: Spec, tmp_path: Path) -> None:
    store = open_sharded_run(Evaluation.prepare(spec), tmp_path / "run", 3)
    assert Lease.acquire(store.storage, 0, 1, "alive", 60.0)
    for shard, host in ((1, gethostname()), (2, "another machine")):
        dead = LeaseHolder(worker="dead", host=host, pid=2**22 - 1, term=60.0)
        store.storage.create(lease_path(shard, 1), encode_document(dead))
    sharded_run.release_dead_workers(store, 60.0)
    states = store.read_states()
    assert [states.is_leased(shard, 60.0) for shard in range(3)] == [True, False, True]


def test_the_progress_of_a_run_is_followed_from_a_thread(spec: Spec, tmp_path: Path) -> None:
    follower = Follower()
    api.evaluate_shards(spec, tmp_path / "run", shards=2, observer=follower)
    assert not [thread for thread in threading.enumerate() if thread.name == "auricle-shards"]
    assert [state.done for state in follower.states] == sorted(state.done for state in follower.states)


@pytest.mark.slow
def test_local_processes_and_jobs_continue_one_run(spec: Spec, tmp_path: Path) -> None:
    require_extra("slurm")
    settings = Settings(shards=4, workers=2, shard="0/2")
    assert api.evaluate_shards(spec, tmp_path / "run", settings=settings).metrics is None
    jobs = Settings(shards=4, workers=1, backend="slurm", slurm={"cluster": "local"})
    result = api.evaluate_shards(spec, tmp_path / "run", settings=jobs)
    assert result.numbers == api.evaluate(spec, tmp_path / "plain").numbers
    assert (tmp_path / "run" / "logs" / "worker-1.log").exists()
