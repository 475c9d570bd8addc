"""Load points one after the other: played, summed up, scored, and written down.

DIR/perf.json                what was measured, of whom, where and with which versions
DIR/00-closed-8/             one load point, which is an ordinary run and can be scored again
requests.jsonl           every request as it was timed
DIR/summary.json             all numbers, with their definitions; derived
"""

from __future__ import annotations

import asyncio
import math
import os
import platform
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson

from auricle.core.errors import DataError, SpecError
from auricle.core.serialization import decode_record
from auricle.engine.factory import build_spec_document, build_task, display_name, resolve_model
from auricle.engine.signals import stop_on_interrupt
from auricle.engine.spec import Spec
from auricle.models import AsyncModel, abilities
from auricle.perf.coordinator import ProgressCallback, run_load_point
from auricle.perf.health import SenderHealth
from auricle.perf.load_generator import schedule_due_times
from auricle.perf.loads import ClosedLoop, FixedRate, Load, SearchPlan, SweepPlan, folder_name, parse_loads
from auricle.perf.machine_limits import find_limit_warnings
from auricle.perf.plan import LoadPointPlan
from auricle.perf.pricing import Pricing
from auricle.perf.repeats import summarise_repeats
from auricle.perf.request_columns import RequestColumns
from auricle.perf.search import Search
from auricle.perf.slo import Slo, evaluate_run
from auricle.perf.slo import parse_slos as parse_slos
from auricle.perf.summary import summarise
from auricle.perf.sweep import Sweep
from auricle.report.publish import publish
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import select_inferencer, with_context

SCHEMA = 1
MAX_RATE_PER_SENDER = 200.0  # requests a second above which one process's own work shows in its clock
DEFAULT_MAX_SAMPLES = 1000  # different samples that are made ready where nothing says how many are needed

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfConfig:
    """What is to be measured, and how."""

    loads: tuple[str, ...]
    count: int | None = None
    duration: float | None = None
    warmup: float = 0.0
    cooldown: float = 0.0
    grace: float = 30.0
    slo: str = ""
    senders: int | Literal["auto"] = "auto"
    seed: int = 0
    stream: bool | None = None
    window: Literal["steady", "all"] = "steady"
    batch_size: int | None = None
    max_errors: int | None = None
    stop_saturated: bool = False
    pricing: Pricing | None = None
    """What is paid for it."""
    repeat: int = 1
    """How often each load is played; all once, then all again."""


class Measurement:
    """One `auricle perf`: its folder, its points, what they showed."""

    def __init__(self, spec: Spec, out: Path, config: PerfConfig, on_progress: ProgressCallback) -> None:
        self.spec, self.out, self.config, self._on_progress = (spec.resolved(), out, config, on_progress)
        self.task, self._model_class = build_task(self.spec), resolve_model(self.spec)
        can = abilities(self._model_class)
        way = select_inferencer(self.task.inferencer, can, self.task.name, self.spec.model)
        self.inferencer = with_context(way, self._model_class, self.task.model_context)
        self.slos = parse_slos(config.slo) if config.slo else ()
        self.loads = [load for text in config.loads for load in parse_loads(text)] * config.repeat
        self._validate()
        self.points: list[dict[str, Any]] = []
        self.search_results: list[dict[str, Any]] = []
        self.interrupted = False

    def _validate(self) -> None:
        """What cannot be, before a folder is made or anything is loaded."""
        wanted = self.config
        if not self.loads:
            raise SpecError("Say what load: --load closed:8, --load poisson:4.")
        endless = (ClosedLoop, FixedRate, SweepPlan, SearchPlan)
        if any(isinstance(load, endless) for load in self.loads) and not (wanted.count or wanted.duration):
            raise SpecError("Say how long: --duration SECONDS, or how many: --count N.")
        if any(isinstance(load, SearchPlan) for load in self.loads) and not self.slos:
            raise SpecError("A search needs a promise to keep: --slo 'p95(ttft_s)<0.3'.")
        if wanted.senders != "auto" and wanted.senders > 1 and not issubclass(self._model_class, AsyncModel):
            raise SpecError(f"--senders is for models behind an API; {self.spec.model} works here.")
        if (self.out / "perf.json").exists():
            raise SpecError(
                f"{self.out} holds a measurement; a second cannot be joined to it. "
                "Give another folder with -o, or --fresh to set it aside."
            )

    def run(self) -> dict[str, Any]:
        """Measure everything that is wanted; the summary of it."""
        self.out.mkdir(parents=True, exist_ok=True)
        self._write_json("perf.json", self._build_manifest())
        for load in self.loads:
            if self.interrupted:
                break
            if isinstance(load, SearchPlan):
                self._run_search(load)
            elif isinstance(load, SweepPlan):
                self._run_sweep(load)
            else:
                self._run_point(load)
        return self.build_summary()

    def _run_search(self, plan: SearchPlan) -> None:
        search = Search.from_plan(plan, self.slos)
        while (value := search.next_point()) is not None and not self.interrupted:
            if (point := self._run_point(plan.load_at(value))) is None:
                break
            met = evaluate_run(self.slos, point)
            believed = point["validity"]["valid"] or met is False
            search.record_result(value, met if believed else None)
        self.search_results.append({"search": str(plan), **search.result().to_dict()})

    def _run_sweep(self, plan: SweepPlan) -> None:
        sweep = Sweep(plan)
        while (load := sweep.next_point()) is not None and not self.interrupted:
            if (point := self._run_point(load)) is None:
                break
            sweep.record_result(load, point["run"]["req_s"]["value"])

    def _run_point(self, load: Load) -> dict[str, Any] | None:
        """Play one load, keep and score its answers, sum it up; None if it was stopped before."""
        place = self.out / f"{len(self.points):02d}-{folder_name(load)}"
        place.mkdir()
        plan = self._build_plan(load, place)
        health = asyncio.run(self._run_load(plan))
        self._write_json(f"{place.name}/health.json", health.to_dict())
        numbers = self._score_answers(place)
        columns = RequestColumns.read(place / "requests.jsonl")
        if self.interrupted and not len(columns):
            return None
        point = summarise_point(columns, load, health, self.slos, self.config)
        point["notes"] += find_limit_warnings(load, columns, plan.senders)
        point |= {"folder": place.name, "senders": plan.senders, "accuracy": numbers}
        self.points.append(point)
        self._write_json("summary.json", self.build_summary())
        return point

    async def _run_load(self, plan: LoadPointPlan) -> SenderHealth:
        stop = asyncio.Event()
        with stop_on_interrupt(stop, signal.SIGINT, signal.SIGTERM):
            health = await run_load_point(plan, self._on_progress, stop)
        self.interrupted = stop.is_set()
        return health

    def _build_plan(self, load: Load, point_folder: Path) -> LoadPointPlan:
        wanted = self.config
        plan = LoadPointPlan(
            spec=self.spec.model_dump(mode="json"),
            load=str(load),
            folder=str(point_folder.resolve()),
            seed=wanted.seed,
            count=wanted.count,
            duration=wanted.duration,
            warmup=wanted.warmup,
            cooldown=wanted.cooldown,
            grace=wanted.grace,
            max_errors=wanted.max_errors,
            stop_saturated=wanted.stop_saturated,
            stream=wanted.stream,
            batch_size=wanted.batch_size,
        )
        asked = DEFAULT_MAX_SAMPLES if isinstance(load, ClosedLoop) else None
        if not isinstance(load, (ClosedLoop, SearchPlan, SweepPlan)) and load.planned_seconds != math.inf:
            asked = len(schedule_due_times(plan, load))
        most = self.spec.limit or (wanted.count if wanted.count else asked)
        return replace(plan, max_samples=most, senders=self._choose_sender_count(load))

    def _choose_sender_count(self, load: Load) -> int:
        most = getattr(load, "cap", None) or math.inf  # a cap is dealt out: at least 1 to each
        if self.config.senders != "auto":
            return int(min(self.config.senders, most))
        if not issubclass(self._model_class, AsyncModel):
            return 1
        rate = load.rate if isinstance(load, FixedRate) else 0.0
        most = min(most, (os.cpu_count() or 2) - 1)
        return int(max(1, min(math.ceil(rate / MAX_RATE_PER_SENDER), most)))

    def _score_answers(self, point_folder: Path) -> list[dict[str, Any]]:
        """The answers as a run of their own: the same records that were timed are scored."""
        with Run.open(point_folder, build_spec_document(self.spec, self.task, self.inferencer)) as run:
            answered = 0
            for record in _read_answers(point_folder):
                run.append(record)
                answered += 1
            run.flush()
            run.write_progress({"complete": True, "rows": answered, "revision": self.task.revision})
            if not answered or not self.task.metrics:
                return []
            numbers = publish(run, self.task, display_name(self.spec.model))
        return [_number_to_dict(each) for each in numbers]

    def build_summary(self) -> dict[str, Any]:
        """All that is known so far; each definition once."""
        points = [dict(point) for point in self.points]
        definitions = [point.pop("definitions", {}) for point in points]
        return {
            "schema": SCHEMA,
            "task": self.task.name,
            "model": display_name(self.spec.model),
            "interrupted": self.interrupted,
            "valid": bool(points) and all(point["validity"]["valid"] for point in points),
            "points": points,
            "searches": self.search_results,
            "spreads": summarise_repeats(points),
            "definitions": definitions[0] if definitions else {},
            "about": self._build_manifest(),
        }

    def _build_manifest(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "spec": self.spec.public(),
            "wanted": asdict(self.config),
            "revision": self.task.revision,
            "inferencer": repr(self.inferencer),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"auricle": version("auricle"), "python": platform.python_version()},
            "platform": platform.platform(),
            "cores": os.cpu_count(),
            "clock": "time.monotonic",
            "command": _command_without_secrets(),
        }

    def _write_json(self, name: str, content: Any) -> None:
        path = self.out / name
        part = path.with_name(f"{path.name}.part")
        part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        part.replace(path)


def summarise_point(
    columns: RequestColumns, load: Load, health: SenderHealth, slos: tuple[Slo, ...], config: PerfConfig
) -> dict[str, Any]:
    """A point's numbers; one in which nothing was sent has none, and says so."""
    if not len(columns):
        raise DataError(f"{load}: nothing was sent. Is the duration longer than the warm-up?")
    return summarise(columns, load, health, slos, config.window, config.pricing)


def _read_answers(point_folder: Path) -> Iterator[Any]:
    for part in sorted(point_folder.glob("answers.*.jsonl")):
        with part.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):  # the last may be torn
                    yield decode_record(orjson.loads(line))
        part.unlink()


def _number_to_dict(number: Any) -> dict[str, Any]:
    names = ("metric", "value", "low", "high", "scored", "total", "higher_is_better", "signature")
    held = {name: getattr(number, name) for name in names}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in held.items()
    }


def _command_without_secrets() -> list[str]:
    """What was typed, without what may be a secret: arguments of a model stand in the spec."""
    words, skipped = [], False
    for word in sys.argv[1:]:
        if not skipped and word not in ("-M", "-J"):
            words.append(word)
        skipped = word in ("-M", "-J")
    return words


def measure(spec: Spec, out: str | Path, config: PerfConfig, on_progress: ProgressCallback) -> dict[str, Any]:
    """Measure serving performance; the summary, which is also in the folder."""
    return Measurement(spec, Path(out), config, on_progress).run()
