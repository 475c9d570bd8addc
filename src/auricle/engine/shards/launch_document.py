"""What a worker of a sharded run is started with, and what it reports at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol, TypeAlias

import orjson

from auricle.engine.settings import DEFAULT_LEASE_SECONDS, Settings, parse_shard_filter
from auricle.engine.shards.worker import StopSignal, WorkerOptions, WorkerResult
from auricle.engine.spec import Spec, list_judges
from auricle.engine.workers.senders import SHARED_LIMITS
from auricle.runs.documents import decode
from auricle.runs.usage import RunPrices


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerDocument:
    """Everything that a worker needs, as JSON. It contains secrets, so it is sent by pipe and never stored."""

    spec: dict[str, Any]
    settings: dict[str, Any]
    location: str
    name: str
    """Unique among the workers that run at the same time."""
    lease_seconds: float = DEFAULT_LEASE_SECONDS
    shard: str = ""
    """`i/n`, if the worker processes only some shards."""
    retry_failed: bool = True
    since: float | None = None
    """Time of the store before which shards with failed samples must be completed to be processed again."""
    prices: RunPrices = field(default_factory=RunPrices)
    max_cost: float | None = None
    """What this worker may spend."""
    is_share: bool = False
    """Whether there are several workers, among which limits are divided."""
    cache_path: str = ""
    """File of the response cache; empty for none."""

    @classmethod
    def create(cls, spec: Spec, settings: Settings, location: str, **values: Any) -> WorkerDocument:
        """Describe a worker of an evaluation.

        Args:
            spec: What to evaluate, with secrets.
            settings: Those of the sharded run.
            location: Folder or URL of the run.
            **values: Other fields.
        """
        own = settings.for_worker()
        return cls(
            spec=spec.model_dump(mode="json"),
            settings=orjson.loads(orjson.dumps(_list_fields(own))),  # as it is read again
            location=location,
            lease_seconds=settings.lease,
            shard=settings.shard,
            retry_failed=settings.retry_failed,
            **values,
        )

    def share(self, index: int, workers: int) -> WorkerDocument:
        """Return the document of one of several workers: rate limits and the budget are divided among them."""
        if workers == 1:
            return self
        arguments = _divide_limits(self.spec.get("model_args", {}), workers)
        judges = [
            {**judge, "args": _divide_limits(judge["args"], workers)} for judge in list_judges(self.spec.get("judge"))
        ]
        return replace(
            self,
            spec={**self.spec, "model_args": arguments, "judge": judges or None},
            name=f"{self.name}-{index}",
            max_cost=None if self.max_cost is None else self.max_cost / workers,
            is_share=True,
        )

    def encode(self) -> bytes:
        """Return the document as one line of JSON."""
        return orjson.dumps(asdict(self)) + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> WorkerDocument:
        """Read a document that `encode` wrote."""
        document: WorkerDocument = decode(cls, orjson.loads(line))
        return document

    def parse_settings(self) -> Settings:
        """Return the settings with which shards are processed."""
        from pydantic import TypeAdapter

        return TypeAdapter(Settings).validate_python(self.settings)

    @property
    def worker_options(self) -> WorkerOptions:
        return WorkerOptions(
            name=self.name,
            lease_seconds=self.lease_seconds,
            shard_filter=parse_shard_filter(self.shard),
            retry_failed=self.retry_failed,
            since=self.since,
        )


def _list_fields(settings: Settings) -> dict[str, Any]:
    return {item.name: getattr(settings, item.name) for item in fields(Settings) if item.name != "cache"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """How a worker ended."""

    result: WorkerResult = field(default_factory=WorkerResult)
    stop_reason: str = ""
    """Why it stopped before its end, unless it was asked to."""

    def encode(self) -> bytes:
        """Return the report as one line of JSON."""
        return orjson.dumps(asdict(self)) + b"\n"

    @classmethod
    def parse(cls, values: Any) -> WorkerReport:
        """Read a report from its fields."""
        report: WorkerReport = decode(cls, values)
        return report


Work: TypeAlias = Callable[[WorkerDocument, StopSignal], WorkerReport]
"""Processes shards in the calling process until all are completed."""
Notify: TypeAlias = Callable[[str], None]
"""Shows a message to the user."""


class Launcher(Protocol):
    """Starts the workers of a sharded run and waits for them."""

    def run(self, stop: StopSignal) -> list[WorkerReport]:
        """Wait until all workers have ended; ask them to stop when `stop` is set.

        Raises:
            AuricleError: of a worker, if it concerns all of them; or if none is left.
        """


def _divide_limits(arguments: Mapping[str, Any], workers: int) -> dict[str, Any]:
    """Return the arguments of a model with its limits of requests and tokens per minute for one of several workers."""
    return {
        name: value / workers if name in SHARED_LIMITS and isinstance(value, (int, float)) else value
        for name, value in arguments.items()
    }
