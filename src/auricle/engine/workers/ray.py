"""A batch model as Ray actors: each is a lane, here or on a cluster.

Actors get the same messages as processes do, and the driver keeps data, order and journal.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.errors import MissingExtra, SpecError, Transient
from auricle.core.types import Ability, Output, Request
from auricle.engine.batching import Gone
from auricle.engine.workers.messages import HEAD, pack_request, unpack, unpack_error, unpack_output
from auricle.engine.workers.process import MOST_STARTS, earliest
from auricle.engine.workers.worker import answers, loaded
from auricle.models import BatchModel


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where actors run, how many, with what, and how patient one is with them."""

    address: str = ""
    """A running cluster's; without one, Ray is started on this machine."""
    replicas: int = 1
    gpus: float = 0.0
    timeout: float = 600.0


class Holder:
    """What an actor is: one model, and lists of messages in and out."""

    def __init__(self, model: str, arguments: dict[str, Any]) -> None:
        self._model = loaded(model, arguments)
        assert isinstance(self._model, BatchModel)

    def ready(self) -> None:
        """Answered once the model is loaded."""

    def answer(self, messages: Sequence[bytes]) -> list[bytes]:
        assert isinstance(self._model, BatchModel)
        return answers(self._model, [_opened(each) for each in messages])


class Actor:
    """One actor as a lane, replaced when it dies or hangs."""

    def __init__(self, start: Callable[[], Any], timeout: float) -> None:
        self._start = start
        self._timeout = timeout
        self._handle: Any = None
        self._starts = 0
        self.ready_at: float | None = None
        """When its model was first loaded, by `time.perf_counter`."""

    async def __call__(self, _ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        import ray

        if self._handle is None:
            self._begin()
        messages = [pack_request(number, each) for number, each in enumerate(batch)]
        try:
            if self.ready_at is None:
                await asyncio.wait_for(self._handle.ready.remote(), self._timeout)
                self.ready_at = time.perf_counter()
            said = await asyncio.wait_for(self._handle.answer.remote(messages), self._timeout)
        except TimeoutError as error:
            ray.kill(self._handle)
            self._handle = None
            raise Transient(
                f"an actor did not answer within {self._timeout:g} s and was ended"
            ) from error
        except ray.exceptions.RayActorError as error:
            self._handle = None
            raise _why(error) from error
        self._starts = 0
        return [_output(_opened(each)) for each in said]

    def _begin(self) -> None:
        if self._starts == MOST_STARTS:
            raise Gone(
                f"An actor ended {MOST_STARTS} times without answering anything; Ray's logs say "
                "why. Nothing answered is lost: put that right and give the same command again."
            )
        self._starts += 1
        self._handle = self._start()

    def end(self) -> None:
        import ray

        if self._handle is not None:
            ray.kill(self._handle)


class RayReplicas(BatchModel):
    """One model in several actors."""

    def __init__(
        self, model: str, arguments: Mapping[str, Any], like: type[BatchModel], cluster: Cluster
    ) -> None:
        ray = _started(cluster.address)
        self.batch_size = like.batch_size
        self.batch_seconds = like.batch_seconds
        self.sample_rate = like.sample_rate
        _refuse_more_than_there_is(ray, cluster)
        # No processor is reserved: more actors than processors are no reason to wait for ever.
        holder = ray.remote(Holder).options(num_cpus=0, num_gpus=cluster.gpus)

        def start() -> Any:
            return holder.remote(model, dict(arguments))

        self.lanes = [Actor(start, cluster.timeout) for _ in range(cluster.replicas)]

    @property
    def ready_at(self) -> float | None:
        return earliest(lane.ready_at for lane in self.lanes)

    async def shut(self) -> None:
        import ray

        for lane in self.lanes:
            lane.end()
        ray.shutdown()


def _started(address: str) -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--backend ray", "ray") from error
    try:
        ray.init(
            address=address or "local",
            log_to_driver=False,
            include_dashboard=False if not address else None,
            logging_level=logging.ERROR,
            ignore_reinit_error=True,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise SpecError(f"Ray cannot be reached at {address or 'this machine'}: {error}") from error
    return ray


def _refuse_more_than_there_is(ray: Any, cluster: Cluster) -> None:
    """Ray would wait for ever for GPUs that no machine has."""
    wanted, there = cluster.replicas * cluster.gpus, ray.cluster_resources().get("GPU", 0)
    if wanted > there:
        raise SpecError(
            f"{cluster.replicas} replicas of {cluster.gpus:g} GPUs want {wanted:g}; the cluster "
            f"has {there:g}. Give fewer --replicas or less --gpus-per-replica."
        )


def _why(error: Any) -> Exception:
    """An actor that could not load its model says so for good; any other end may pass."""
    cause = getattr(error, "cause", None) or error.__cause__
    if isinstance(cause, SpecError):
        return cause
    words = str(error)
    if "SpecError" in words:  # Ray tells it in words where it tells it at all
        return Gone(words.strip().rpartition("SpecError: ")[2])
    return Transient("an actor ended")


def _opened(message: bytes) -> dict[str, Any]:
    content, _ = HEAD.unpack(message[: HEAD.size])
    middle = HEAD.size + content
    return unpack(message[HEAD.size : middle], message[middle:])


def _output(message: dict[str, Any]) -> Output:
    if "error" in message:
        raise unpack_error(message["error"])
    return unpack_output(message)
