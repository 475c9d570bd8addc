"""Start workers of a sharded run as Ray actors, as many as the cluster can place.

The driver only waits: it reads no data and writes no result. An actor that dies is one lease that expires.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from auricle.core.errors import AuricleError, SpecError
from auricle.engine.batching import WorkerLost
from auricle.engine.settings import Settings
from auricle.engine.shards.launch_document import Notify, Work, WorkerDocument, WorkerReport
from auricle.engine.shards.launch_local import MAX_STARTS, STABLE_SECONDS
from auricle.engine.shards.worker import StopSignal
from auricle.engine.workers.protocol import encode_error, unpack_error
from auricle.engine.workers.ray import await_gpus, start_ray

POLL_SECONDS = 0.5
PLACEMENT_SECONDS = 10.0
"""Seconds without a placed worker after which the user is informed that the cluster has no room."""


class ShardActor:
    """The Ray actor: a worker of a sharded run.

    Args:
        work: Processes shards in the process of the actor.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._stop = StopSignal()
        with suppress(ValueError):  # the notice of a preempted machine; Ray itself would end the process at once
            signal.signal(signal.SIGTERM, lambda *_: self._stop.set())

    def run(self, document: bytes) -> dict[str, Any]:
        """Process shards; return the report, or the error that ended the work."""
        try:
            return {"report": asdict(self._work(WorkerDocument.parse(document), self._stop))}
        except AuricleError as error:
            return {"error": encode_error(error)}

    def ready(self) -> None:
        """Return once the actor is placed."""

    def stop(self) -> None:
        """Ask the worker to finish what is in flight and to end."""
        self._stop.set()


class RayLauncher:
    """Runs workers as actors of a cluster, of which any number can be placed at any time.

    Args:
        work: Processes shards.
        documents: One per worker.
        settings: Address of the cluster, GPUs per worker, and whether to wait for them.
        notify: Shows a message to the user.
    """

    def __init__(
        self, work: Work, documents: Sequence[WorkerDocument], settings: Settings, *, notify: Notify = lambda _: None
    ) -> None:
        self._work = work
        self._documents = documents
        self._settings = settings
        self._notify = notify

    def run(self, stop: StopSignal) -> list[WorkerReport]:
        ray = start_ray(self._settings.ray_address)
        try:
            gpus = self._settings.gpus_per_replica
            await_gpus(
                ray,
                gpus,
                f"A worker needs {gpus:g} GPUs",
                "Use a smaller --gpus-per-replica",
                wait=self._settings.wait,
                notify=self._notify,
            )
            # One CPU each: actors without any would all be placed on one machine.
            actor_class = ray.remote(ShardActor).options(
                num_cpus=1, num_gpus=gpus, max_restarts=-1, max_task_retries=0, max_concurrency=2
            )
            workers = [RayWorker(ray, actor_class.remote(self._work), document) for document in self._documents]
            return self._wait(ray, workers, stop)
        finally:
            ray.shutdown()

    def _wait(self, ray: Any, workers: list[RayWorker], stop: StopSignal) -> list[WorkerReport]:
        deadline = time.monotonic() + PLACEMENT_SECONDS
        is_stopping = False
        while running := [worker for worker in workers if not worker.has_ended]:
            ended, _ = ray.wait([worker.task for worker in running], num_returns=1, timeout=POLL_SECONDS)
            for worker in running:
                if worker.task in ended:
                    self._collect(worker, stop)
            is_done = any(worker.report and not worker.report.result.stopped for worker in workers)
            if (stop.is_set() or is_done) and not is_stopping:
                is_stopping = True
                for worker in running:
                    if not worker.has_ended:  # if all shards are completed, the others only wait
                        worker.stop()
            if time.monotonic() > deadline:
                deadline = float("inf")
                self._announce_unplaced(running)
        _raise_error(workers)
        return [worker.report for worker in workers if worker.report]

    def _collect(self, worker: RayWorker, stop: StopSignal) -> None:
        """Take the report of a worker, or start it again if its machine was lost."""
        if worker.collect():
            if worker.error:
                stop.set()
        elif stop.is_set() or not worker.can_restart():
            worker.has_ended, worker.is_lost = True, not stop.is_set()
        else:
            self._notify(f"Worker {worker.document.name} was lost and is started again.")
            worker.start()

    def _announce_unplaced(self, running: Sequence[RayWorker]) -> None:
        waiting = sum(not worker.is_placed() for worker in running)
        if waiting:
            self._notify(f"{waiting} of {len(self._documents)} workers wait for room in the cluster.")


def _raise_error(workers: Sequence[RayWorker]) -> None:
    for worker in workers:
        if worker.error:
            raise worker.error
    if all(worker.is_lost for worker in workers):
        raise WorkerLost(
            f"All workers were lost {MAX_STARTS} times; see Ray's logs. Completed samples are saved. Fix the cause and "
            "run the same command again."
        )


class RayWorker:
    """An actor and its pending work.

    Args:
        ray: The package.
        actor: Handle of the actor, which Ray restarts for ever.
        document: What it works on.
    """

    def __init__(self, ray: Any, actor: Any, document: WorkerDocument) -> None:
        self._ray = ray
        self._actor = actor
        self._crashes = 0
        self.document = document
        self.report: WorkerReport | None = None
        self.error: AuricleError | None = None
        self.has_ended = self.is_lost = False
        self.start()

    def start(self) -> None:
        """Submit the work, which begins when the actor is placed."""
        self._started_at = time.monotonic()
        self._ready = self._actor.ready.remote()
        self.task = self._actor.run.remote(self.document.encode())

    def is_placed(self) -> bool:
        """Return whether the cluster has room for the actor, as far as is known."""
        placed, _ = self._ray.wait([self._ready], timeout=0)
        return bool(placed)

    def collect(self) -> bool:
        """Take the report or the error of the worker; return False if it was lost."""
        try:
            reply = self._ray.get(self.task)
        except self._ray.exceptions.RayActorError:
            return False
        except self._ray.exceptions.RayTaskError as error:
            reply = {"error": encode_error(SpecError(f"A worker failed: {error.cause!r}"))}
        self.has_ended = True
        if "error" in reply:
            self.error = unpack_error(reply["error"])
        else:
            self.report = WorkerReport.parse(reply["report"])
        return True

    def can_restart(self) -> bool:
        """Return whether a lost worker may be started again; one that is lost at once, again and again, may not."""
        self._crashes = 1 if time.monotonic() - self._started_at > STABLE_SECONDS else self._crashes + 1
        return self._crashes < MAX_STARTS

    def stop(self) -> None:
        """Ask the worker to end; one that was never placed is given up."""
        if self.is_placed():
            self._actor.stop.remote()
        else:
            self._ray.kill(self._actor)
            self.has_ended = True
