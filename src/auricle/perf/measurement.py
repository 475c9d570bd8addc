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
from auricle.engine.factory import build, class_of, description, short
from auricle.engine.signals import drained_by_interrupt
from auricle.engine.spec import Spec
from auricle.models import AsyncModel, abilities
from auricle.perf.columns import Columns
from auricle.perf.coordinator import Watch, play
from auricle.perf.health import Health
from auricle.perf.load_generator import planned
from auricle.perf.loads import Closed, Load, Paced, SearchPlan, SweepPlan, folder, parse
from auricle.perf.machine_limits import doubts
from auricle.perf.plan import Plan
from auricle.perf.pricing import Bill
from auricle.perf.repeats import spreads
from auricle.perf.search import Search
from auricle.perf.slo import Slo, verdict
from auricle.perf.slo import parse as parse_slos
from auricle.perf.summary import summarise
from auricle.perf.sweep import Sweep
from auricle.report.publish import publish
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import suited, telling

SCHEMA = 1
PER_SENDER = 200.0  # requests a second above which one process's own work shows in its clock
USUAL_MOST = 1000  # different samples that are made ready where nothing says how many are needed

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
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
    bill: Bill | None = None
    """What is paid for it."""
    repeat: int = 1
    """How often each load is played; all once, then all again."""


class Measuring:
    """One `auricle perf`: its folder, its points, what they showed."""

    def __init__(self, spec: Spec, out: Path, wanted: Wanted, watch: Watch) -> None:
        self.spec, self.out, self.wanted, self._watch = spec.settled(), out, wanted, watch
        self.task, self._model = build(self.spec), class_of(self.spec)
        can = abilities(self._model)
        way = suited(self.task.inferencer, can, self.task.name, self.spec.model)
        self.inferencer = telling(way, self._model, self.task.facts)
        self.slos = parse_slos(wanted.slo) if wanted.slo else ()
        self.loads = [load for text in wanted.loads for load in parse(text)] * wanted.repeat
        self._refuse()
        self.points: list[dict[str, Any]] = []
        self.found: list[dict[str, Any]] = []
        self.interrupted = False

    def _refuse(self) -> None:
        """What cannot be, before a folder is made or anything is loaded."""
        wanted = self.wanted
        if not self.loads:
            raise SpecError("Say what load: --load closed:8, --load poisson:4.")
        endless = (Closed, Paced, SweepPlan, SearchPlan)
        if any(isinstance(load, endless) for load in self.loads) and not (
            wanted.count or wanted.duration
        ):
            raise SpecError("Say how long: --duration SECONDS, or how many: --count N.")
        if any(isinstance(load, SearchPlan) for load in self.loads) and not self.slos:
            raise SpecError("A search needs a promise to keep: --slo 'p95(ttft_s)<0.3'.")
        if (
            wanted.senders != "auto"
            and wanted.senders > 1
            and not issubclass(self._model, AsyncModel)
        ):
            raise SpecError(f"--senders is for models behind an API; {self.spec.model} works here.")
        if (self.out / "perf.json").exists():
            raise SpecError(
                f"{self.out} holds a measurement; a second cannot be joined to it. "
                "Give another folder with -o, or --fresh to set it aside."
            )

    def run(self) -> dict[str, Any]:
        """Measure everything that is wanted; the summary of it."""
        self.out.mkdir(parents=True, exist_ok=True)
        self._write("perf.json", self._manifest())
        for load in self.loads:
            if self.interrupted:
                break
            if isinstance(load, SearchPlan):
                self._search(load)
            elif isinstance(load, SweepPlan):
                self._sweep(load)
            else:
                self._point(load)
        return self.document()

    def _search(self, plan: SearchPlan) -> None:
        search = Search.of(plan, self.slos)
        while (value := search.next_point()) is not None and not self.interrupted:
            if (point := self._point(plan.at(value))) is None:
                break
            met = verdict(self.slos, point)
            believed = point["validity"]["valid"] or met is False
            search.told(value, met if believed else None)
        self.found.append({"search": str(plan), **search.result().document()})

    def _sweep(self, plan: SweepPlan) -> None:
        sweep = Sweep(plan)
        while (load := sweep.next_point()) is not None and not self.interrupted:
            if (point := self._point(load)) is None:
                break
            sweep.told(load, point["run"]["req_s"]["value"])

    def _point(self, load: Load) -> dict[str, Any] | None:
        """Play one load, keep and score its answers, sum it up; None if it was stopped before."""
        place = self.out / f"{len(self.points):02d}-{folder(load)}"
        place.mkdir()
        plan = self._plan(load, place)
        health = asyncio.run(self._played(plan))
        self._write(f"{place.name}/health.json", health.document())
        numbers = self._scored(place)
        columns = Columns.read(place / "requests.jsonl")
        if self.interrupted and not len(columns):
            return None
        point = point_of(columns, load, health, self.slos, self.wanted)
        point["notes"] += doubts(load, columns, plan.senders)
        point |= {"folder": place.name, "senders": plan.senders, "accuracy": numbers}
        self.points.append(point)
        self._write("summary.json", self.document())
        return point

    async def _played(self, plan: Plan) -> Health:
        stop = asyncio.Event()
        with drained_by_interrupt(stop, signal.SIGINT, signal.SIGTERM):
            health = await play(plan, self._watch, stop)
        self.interrupted = stop.is_set()
        return health

    def _plan(self, load: Load, place: Path) -> Plan:
        wanted = self.wanted
        plan = Plan(
            spec=self.spec.model_dump(mode="json"),
            load=str(load),
            folder=str(place.resolve()),
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
        asked = USUAL_MOST if isinstance(load, Closed) else None
        if not isinstance(load, (Closed, SearchPlan, SweepPlan)) and load.lasts != math.inf:
            asked = len(planned(plan, load))
        most = self.spec.limit or (wanted.count if wanted.count else asked)
        return replace(plan, most=most, senders=self._senders(load))

    def _senders(self, load: Load) -> int:
        most = getattr(load, "cap", None) or math.inf  # a cap is dealt out: at least 1 to each
        if self.wanted.senders != "auto":
            return int(min(self.wanted.senders, most))
        if not issubclass(self._model, AsyncModel):
            return 1
        rate = load.rate if isinstance(load, Paced) else 0.0
        most = min(most, (os.cpu_count() or 2) - 1)
        return int(max(1, min(math.ceil(rate / PER_SENDER), most)))

    def _scored(self, place: Path) -> list[dict[str, Any]]:
        """The answers as a run of their own: the same records that were timed are scored."""
        with Run.open(place, description(self.spec, self.task, self.inferencer)) as run:
            answered = 0
            for record in _answers(place):
                run.append(record)
                answered += 1
            run.flush()
            run.write_progress({"complete": True, "rows": answered, "revision": self.task.revision})
            if not answered or not self.task.metrics:
                return []
            numbers = publish(run, self.task, short(self.spec.model))
        return [_number(each) for each in numbers]

    def document(self) -> dict[str, Any]:
        """All that is known so far; each definition once."""
        points = [dict(point) for point in self.points]
        definitions = [point.pop("definitions", {}) for point in points]
        return {
            "schema": SCHEMA,
            "task": self.task.name,
            "model": short(self.spec.model),
            "interrupted": self.interrupted,
            "valid": bool(points) and all(point["validity"]["valid"] for point in points),
            "points": points,
            "searches": self.found,
            "spreads": spreads(points),
            "definitions": definitions[0] if definitions else {},
            "about": self._manifest(),
        }

    def _manifest(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "spec": self.spec.public(),
            "wanted": asdict(self.wanted),
            "revision": self.task.revision,
            "inferencer": repr(self.inferencer),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"auricle": version("auricle"), "python": platform.python_version()},
            "platform": platform.platform(),
            "cores": os.cpu_count(),
            "clock": "time.monotonic",
            "command": _command(),
        }

    def _write(self, name: str, content: Any) -> None:
        path = self.out / name
        part = path.with_name(f"{path.name}.part")
        part.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        part.replace(path)


def point_of(
    columns: Columns, load: Load, health: Health, slos: tuple[Slo, ...], wanted: Wanted
) -> dict[str, Any]:
    """A point's numbers; one in which nothing was sent has none, and says so."""
    if not len(columns):
        raise DataError(f"{load}: nothing was sent. Is the duration longer than the warm-up?")
    return summarise(columns, load, health, slos, wanted.window, wanted.bill)


def _answers(place: Path) -> Iterator[Any]:
    for part in sorted(place.glob("answers.*.jsonl")):
        with part.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):  # the last may be torn
                    yield decode_record(orjson.loads(line))
        part.unlink()


def _number(number: Any) -> dict[str, Any]:
    names = ("metric", "value", "low", "high", "scored", "total", "higher_is_better", "signature")
    held = {name: getattr(number, name) for name in names}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in held.items()
    }


def _command() -> list[str]:
    """What was typed, without what may be a secret: arguments of a model stand in the spec."""
    words, skipped = [], False
    for word in sys.argv[1:]:
        if not skipped and word not in ("-M", "-J"):
            words.append(word)
        skipped = word in ("-M", "-J")
    return words


def measure(spec: Spec, out: str | Path, wanted: Wanted, watch: Watch) -> dict[str, Any]:
    """Measure serving performance; the summary, which is also in the folder."""
    return Measuring(spec, Path(out), wanted, watch).run()
