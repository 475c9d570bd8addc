"""Run a batch model as Ray actors, locally or on a cluster.

Actors get the same messages as worker processes. Data, order and journal stay with the driver.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.errors import MissingExtra, SpecError, Transient
from auricle.core.types import Ability, Output, Request
from auricle.core.user_code import DEFAULT_TIMEOUT
from auricle.engine.batching import WorkerLost
from auricle.engine.workers.lifetime import batch_deadline
from auricle.engine.workers.process import MAX_STARTS, earliest_time, no_answer
from auricle.engine.workers.protocol import HEADER, pack_request, unpack, unpack_answer
from auricle.engine.workers.worker import answer_batch, load_model
from auricle.models import BatchModel
from auricle.models.call_timer import waiting

GPU_POLL_SECONDS = 5.0
"""Seconds between two looks at the GPUs of a cluster that has too few."""
LOAD_SECONDS = 600.0
"""Seconds that an actor has at least to load its model."""


@dataclass(frozen=True, slots=True)
class RayOptions:
    """Where actors run, their number, their GPUs and their timeout."""

    address: str = ""
    """Address of a running cluster. Default: start Ray locally."""
    replicas: int = 1
    gpus_per_replica: float = 0.0
    timeout: float = DEFAULT_TIMEOUT
    wait: bool = False
    """Whether to wait for GPUs that the cluster does not have yet, instead of refusing."""


class ModelActor:
    """The Ray actor: loads one model and answers batches of messages."""

    def __init__(self, model: str, arguments: dict[str, Any], timeout: float | None = None) -> None:
        self._timeout = timeout
        self._model = load_model(model, arguments)
        assert isinstance(self._model, BatchModel)

    def ready(self) -> None:
        """Return once the model is loaded."""

    def answer_batch(self, messages: Sequence[bytes]) -> list[bytes]:
        assert isinstance(self._model, BatchModel)
        with batch_deadline(self._timeout):
            return answer_batch(self._model, [_unpack_message(message) for message in messages])


class RayReplica:
    """A worker backed by one actor, which is replaced when it dies or hangs."""

    def __init__(self, create_actor: Callable[[], Any], timeout: float) -> None:
        self._create_actor = create_actor
        self._timeout = timeout
        self._handle: Any = None
        self._is_loaded = False
        self._starts = 0
        self.ready_at: float | None = None
        """When the model was first loaded, by `time.perf_counter`."""

    async def __call__(self, _ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        import ray

        if self._handle is None:
            self._start_actor()
        messages = [pack_request(number, request) for number, request in enumerate(batch)]
        try:
            with waiting():
                await self._ensure_loaded()
            replies = await asyncio.wait_for(self._handle.answer_batch.remote(messages), self._timeout)
        except TimeoutError as error:
            ray.kill(self._handle)
            self._handle = None
            raise no_answer("a Ray actor", self._timeout) from error
        except ray.exceptions.RayActorError as error:
            self._handle = None
            raise _explain_actor_death(error) from error
        self._starts = 0
        return [unpack_answer(_unpack_message(reply)) for reply in replies]

    async def _ensure_loaded(self) -> None:
        if not self._is_loaded:
            await asyncio.wait_for(self._handle.ready.remote(), max(self._timeout, LOAD_SECONDS))
            self._is_loaded = True
            self.ready_at = self.ready_at or time.perf_counter()

    def _start_actor(self) -> None:
        if self._starts == MAX_STARTS:
            raise WorkerLost(
                f"A Ray actor crashed {MAX_STARTS} times without an answer; see Ray's logs. Completed samples "
                "are saved. Fix the cause and run the same command again."
            )
        self._starts += 1
        self._handle, self._is_loaded = self._create_actor(), False

    def kill(self) -> None:
        import ray

        if self._handle is not None:
            ray.kill(self._handle)


class RayReplicaPool(BatchModel):
    """A batch model that runs in several Ray actors."""

    def __init__(
        self, model: str, arguments: Mapping[str, Any], model_class: type[BatchModel], options: RayOptions
    ) -> None:
        ray = start_ray(options.address)
        self.batch_size = model_class.batch_size
        self.batch_seconds = model_class.batch_seconds
        self.sample_rate = model_class.sample_rate
        self.keeps_order = model_class.keeps_order
        _await_gpus(ray, options)
        # No CPU is reserved: with more actors than CPUs, Ray would wait for ever.
        actor_class = ray.remote(ModelActor).options(num_cpus=0, num_gpus=options.gpus_per_replica)

        def create_actor() -> Any:
            return actor_class.remote(model, dict(arguments), options.timeout)

        self.workers = [RayReplica(create_actor, options.timeout) for _ in range(options.replicas)]

    @property
    def ready_at(self) -> float | None:
        return earliest_time(worker.ready_at for worker in self.workers)

    async def aclose(self) -> None:
        import ray

        for worker in self.workers:
            worker.kill()
        ray.shutdown()


def start_ray(address: str) -> Any:
    """Connect to a Ray cluster, or start Ray on this machine, and return the package.

    Raises:
        MissingExtra: if Ray is not installed.
        SpecError: if the cluster cannot be reached.
    """
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
        raise SpecError(f"Cannot connect to Ray at {address or 'this machine'}: {error}") from error
    return ray


def _await_gpus(ray: Any, options: RayOptions) -> None:
    """Raise if there are too few GPUs, for which Ray would wait for ever, or wait for them with a message."""
    required = options.replicas * options.gpus_per_replica
    subject = f"{options.replicas} replicas with {options.gpus_per_replica:g} GPUs each need {required:g} GPUs"
    await_gpus(
        ray,
        required,
        subject,
        "Use fewer --replicas or a smaller --gpus-per-replica",
        wait=options.wait,
        notify=_notify,
    )


def _notify(message: str) -> None:
    sys.stderr.write(f"auricle: {message}\n")
    sys.stderr.flush()


def await_gpus(
    ray: Any, required: float, subject: str, remedy: str, *, wait: bool, notify: Callable[[str], None]
) -> None:
    """Wait until a cluster has this number of GPUs.

    Args:
        ray: The package.
        required: Number of GPUs.
        subject: What needs them, for messages.
        remedy: What to do if there are too few.
        wait: Whether to wait; otherwise a cluster without them is refused.
        notify: Shows a message.

    Raises:
        SpecError: if there are too few and `wait` is not set.
    """
    announced = None
    while required > (available := ray.cluster_resources().get("GPU", 0)):
        if not wait:
            raise SpecError(f"{subject}; the cluster has {available:g}. {remedy}, or add --wait to wait for more.")
        if available != announced:
            notify(f"{subject}; the cluster has {available:g}. Waiting for more.")
            announced = available
        time.sleep(GPU_POLL_SECONDS)


def _explain_actor_death(error: Any) -> Exception:
    """Return a permanent error if the actor could not load its model, or else a transient one."""
    cause = getattr(error, "cause", None) or error.__cause__
    if isinstance(cause, SpecError):
        return cause
    message = str(error)
    if "SpecError" in message:  # Ray may report the cause only as text
        return WorkerLost(message.strip().rpartition("SpecError: ")[2])
    return Transient("a Ray actor crashed")


def _unpack_message(message: bytes) -> dict[str, Any]:
    content_size, _ = HEADER.unpack(message[: HEADER.size])
    end = HEADER.size + content_size
    return unpack(message[HEADER.size : end], message[end:])
