"""Workers as Ray actors, with a fake Ray that runs them in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import Settings, Spec, SpecError
from auricle.engine.batching import WorkerLost
from auricle.engine.shards import launch_ray
from auricle.engine.shards.launch_document import WorkerDocument, WorkerReport
from auricle.engine.shards.launch_ray import RayLauncher, ShardActor
from auricle.engine.shards.worker import StopSignal, WorkerResult


class RayActorError(Exception):
    """The error of an actor that was lost."""


class RayTaskError(Exception):
    """The error of a task."""

    cause: Any = None


class FakeTask:
    """A call of a method, which is executed when its result is requested."""

    def __init__(self, call: Callable[[], Any], is_ready: Callable[[], bool]) -> None:
        self.call, self.is_ready = call, is_ready


class FakeRay:
    """A cluster with room for some actors, some of which are lost."""

    exceptions = SimpleNamespace(RayActorError=RayActorError, RayTaskError=RayTaskError)

    def __init__(self, room: int = 9, gpus: float = 0.0) -> None:
        self.room, self.gpus = room, gpus
        self.actors: list[Any] = []
        self.options: dict[str, Any] = {}
        self.losses = 0
        """How many of the next calls of `run` lose their actor."""
        self.killed: list[Any] = []
        self.is_shut_down = False

    def init(self, **_: Any) -> None: ...

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 4.0, "GPU": self.gpus}

    def remote(self, actor_class: type) -> Any:
        def options(**values: Any) -> Any:
            self.options = values
            return SimpleNamespace(remote=lambda *arguments: self._place(actor_class(*arguments)))

        return SimpleNamespace(options=options)

    def _place(self, actor: Any) -> Any:
        number = len(self.actors)
        self.actors.append(actor)

        def submit(method: str) -> Any:
            return SimpleNamespace(
                remote=lambda *arguments: FakeTask(
                    lambda: self._call(actor, method, arguments), lambda: number < self.room
                )
            )

        return SimpleNamespace(run=submit("run"), ready=submit("ready"), stop=submit("stop"), number=number)

    def _call(self, actor: Any, method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "run" and self.losses:
            self.losses -= 1
            raise RayActorError("node lost")
        return getattr(actor, method)(*arguments)

    def wait(self, tasks: list[FakeTask], **_: Any) -> tuple[list[FakeTask], list[FakeTask]]:
        return [task for task in tasks if task.is_ready()], []

    def get(self, task: FakeTask) -> Any:
        return task.call()

    def kill(self, actor: Any) -> None:
        self.killed.append(actor)

    def shutdown(self) -> None:
        self.is_shut_down = True


def work(document: WorkerDocument, stop: StopSignal) -> WorkerReport:
    if document.spec["model"] == "missing":
        raise SpecError("no weights")
    return WorkerReport(result=WorkerResult(shards=2, stopped=stop.is_set()))


def launch(
    monkeypatch: pytest.MonkeyPatch, ray: FakeRay, workers: int = 2, model: str = "echo", **settings: Any
) -> tuple[list[WorkerReport], list[str]]:
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    document = WorkerDocument.create(Spec(task="qa", model=model), Settings(), "run", name="here")
    documents = [document.share(index, workers) for index in range(workers)]
    messages: list[str] = []
    launcher = RayLauncher(work, documents, Settings(backend="ray", **settings), notify=messages.append)
    return launcher.run(StopSignal()), messages


def test_actors_have_a_cpu_and_are_restarted_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay(gpus=1.0)
    reports, messages = launch(monkeypatch, ray, gpus_per_replica=0.5)
    assert [report.result.shards for report in reports] == [2, 2]
    assert ray.options == {
        "num_cpus": 1,
        "num_gpus": 0.5,
        "max_restarts": -1,
        "max_task_retries": 0,
        "max_concurrency": 2,
    }
    assert ray.is_shut_down
    assert messages == []


def test_workers_without_room_are_announced_and_released_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_ray, "PLACEMENT_SECONDS", -1.0)
    ray = FakeRay(room=1)
    reports, messages = launch(monkeypatch, ray, workers=3)
    assert len(reports) == 1
    assert [actor.number for actor in ray.killed] == [1, 2]
    assert messages == ["2 of 3 workers wait for room in the cluster."]


def test_a_lost_actor_is_given_its_work_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay()
    ray.losses = 2
    reports, messages = launch(monkeypatch, ray, workers=1)
    assert len(reports) == 1
    assert messages == ["Worker here was lost and is started again."] * 2


def test_actors_that_are_always_lost_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay()
    ray.losses = 100
    with pytest.raises(WorkerLost, match=r"All workers were lost 4 times; see Ray's logs\."):
        launch(monkeypatch, ray)
    assert ray.is_shut_down


def test_an_error_of_a_worker_is_that_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="no weights"):
        launch(monkeypatch, FakeRay(), model="missing")


def test_missing_gpus_are_refused_or_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match=r"A worker needs 1 GPUs; the cluster has 0\. .* or add --wait"):
        launch(monkeypatch, FakeRay(), gpus_per_replica=1.0)
    ray = FakeRay()
    monkeypatch.setattr("auricle.engine.workers.ray.time.sleep", lambda _: setattr(ray, "gpus", 4.0))
    reports, messages = launch(monkeypatch, ray, gpus_per_replica=1.0, wait=True)
    assert len(reports) == 2
    assert messages == ["A worker needs 1 GPUs; the cluster has 0. Waiting for more."]


def test_a_stopped_actor_finishes_what_is_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    actor = ShardActor(work)
    actor.ready()
    actor.stop()
    document = WorkerDocument.create(Spec(task="qa", model="echo"), Settings(), "run", name="here")
    assert actor.run(document.encode())["report"]["result"]["stopped"]
