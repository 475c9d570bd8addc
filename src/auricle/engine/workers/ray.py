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
from auricle.engine.batching import WorkerLost
from auricle.engine.workers.process import MAX_STARTS, earliest_time
from auricle.engine.workers.protocol import HEADER, pack_request, unpack, unpack_error, unpack_output
from auricle.engine.workers.worker import answer_batch, load_model
from auricle.models import BatchModel


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Where actors run, how many, with what, and how patient one is with them."""

    address: str = ""
    """A running cluster's; without one, Ray is started on this machine."""
    replicas: int = 1
    gpus_per_replica: float = 0.0
    timeout: float = 600.0


class ModelActor:
    """What an actor is: one model, and lists of messages in and out."""

    def __init__(self, model: str, arguments: dict[str, Any]) -> None:
        self._model = load_model(model, arguments)
        assert isinstance(self._model, BatchModel)

    def ready(self) -> None:
        """Answered once the model is loaded."""

    def answer_batch(self, messages: Sequence[bytes]) -> list[bytes]:
        assert isinstance(self._model, BatchModel)
        return answer_batch(self._model, [_unpack_message(each) for each in messages])


class RayReplica:
    """One actor as a lane, replaced when it dies or hangs."""

    def __init__(self, create_actor: Callable[[], Any], timeout: float) -> None:
        self._create_actor = create_actor
        self._timeout = timeout
        self._handle: Any = None
        self._starts = 0
        self.ready_at: float | None = None
        """When its model was first loaded, by `time.perf_counter`."""

    async def __call__(self, _ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        import ray

        if self._handle is None:
            self._start_actor()
        messages = [pack_request(number, each) for number, each in enumerate(batch)]
        try:
            if self.ready_at is None:
                await asyncio.wait_for(self._handle.ready.remote(), self._timeout)
                self.ready_at = time.perf_counter()
            said = await asyncio.wait_for(self._handle.answer_batch.remote(messages), self._timeout)
        except TimeoutError as error:
            ray.kill(self._handle)
            self._handle = None
            raise Transient(f"an actor did not answer within {self._timeout:g} s and was ended") from error
        except ray.exceptions.RayActorError as error:
            self._handle = None
            raise _explain_actor_death(error) from error
        self._starts = 0
        return [_unpack_result(_unpack_message(each)) for each in said]

    def _start_actor(self) -> None:
        if self._starts == MAX_STARTS:
            raise WorkerLost(
                f"An actor ended {MAX_STARTS} times without answering anything; Ray's logs say "
                "why. Nothing answered is lost: put that right and give the same command again."
            )
        self._starts += 1
        self._handle = self._create_actor()

    def kill(self) -> None:
        import ray

        if self._handle is not None:
            ray.kill(self._handle)


class RayReplicaPool(BatchModel):
    """One model in several actors."""

    def __init__(
        self, model: str, arguments: Mapping[str, Any], model_class: type[BatchModel], options: RayOptions
    ) -> None:
        ray = _start_ray(options.address)
        self.batch_size = model_class.batch_size
        self.batch_seconds = model_class.batch_seconds
        self.sample_rate = model_class.sample_rate
        _check_gpus(ray, options)
        # No processor is reserved: more actors than processors are no reason to wait for ever.
        holder = ray.remote(ModelActor).options(num_cpus=0, num_gpus=options.gpus_per_replica)

        def start() -> Any:
            return holder.remote(model, dict(arguments))

        self.workers = [RayReplica(start, options.timeout) for _ in range(options.replicas)]

    @property
    def ready_at(self) -> float | None:
        return earliest_time(lane.ready_at for lane in self.workers)

    async def aclose(self) -> None:
        import ray

        for lane in self.workers:
            lane.kill()
        ray.shutdown()


def _start_ray(address: str) -> Any:
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


def _check_gpus(ray: Any, options: RayOptions) -> None:
    """Ray would wait for ever for GPUs that no machine has."""
    wanted, there = (options.replicas * options.gpus_per_replica, ray.cluster_resources().get("GPU", 0))
    if wanted > there:
        raise SpecError(
            f"{options.replicas} replicas of {options.gpus_per_replica:g} GPUs want {wanted:g}; the cluster "
            f"has {there:g}. Give fewer --replicas or less --gpus-per-replica."
        )


def _explain_actor_death(error: Any) -> Exception:
    """An actor that could not load its model says so for good; any other end may pass."""
    cause = getattr(error, "cause", None) or error.__cause__
    if isinstance(cause, SpecError):
        return cause
    words = str(error)
    if "SpecError" in words:  # Ray tells it in words where it tells it at all
        return WorkerLost(words.strip().rpartition("SpecError: ")[2])
    return Transient("an actor ended")


def _unpack_message(message: bytes) -> dict[str, Any]:
    content, _ = HEADER.unpack(message[: HEADER.size])
    middle = HEADER.size + content
    return unpack(message[HEADER.size : middle], message[middle:])


def _unpack_result(message: dict[str, Any]) -> Output:
    if "error" in message:
        raise unpack_error(message["error"])
    return unpack_output(message)
