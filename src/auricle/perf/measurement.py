"""Run load points one after the other, score their answers, and write the summary; or recompute an earlier one."""

from __future__ import annotations

import asyncio
import math
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from auricle.core.errors import DataError, SpecError
from auricle.core.home_folder import keep_home_folder
from auricle.engine.catalogue import TASKS
from auricle.engine.command_line import format_arguments
from auricle.engine.factory import Evaluation, build_run_spec, model_label
from auricle.engine.interrupts import stop_on_interrupt
from auricle.engine.spec import Spec
from auricle.models import AsyncModel
from auricle.models.catalogue import MODELS
from auricle.models.http.base import HttpModel
from auricle.perf.coordinator import ProgressCallback, run_load_point
from auricle.perf.load_patterns import Load, LoadPattern, LoadPoint, folder_name
from auricle.perf.load_syntax import parse_load, parse_loads
from auricle.perf.measures import DEFINITIONS
from auricle.perf.messages import LoadPointPlan, PointProgress
from auricle.perf.request_records import RequestColumns
from auricle.perf.resume import move_aside, read_earlier
from auricle.perf.selftest import find_limit_warnings
from auricle.perf.server_metrics import ServerSamples, ServerWatch, open_sensors
from auricle.perf.serving_cost import Pricing
from auricle.perf.slices import add_slices
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise, summarise_repeats
from auricle.report.run_files import score_and_write
from auricle.runs.journal import iter_journal
from auricle.runs.metrics import Number
from auricle.runs.perf_files import (
    REQUESTS_FILE,
    Accuracy,
    LoadPointSummary,
    PerfManifest,
    PerfSummary,
    SearchResult,
    SenderHealth,
    read_health,
    read_perf_summary,
    write_health,
    write_perf_manifest,
    write_perf_summary,
)
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run, lock_run

PricingLookup: TypeAlias = Callable[[str, Mapping[str, Any]], Pricing | None]
"""Returns the pricing of a model, by its name and arguments."""
MIN_PROCESS_RATE, MIN_PROCESS_USERS = 100.0, 32  # load from which a single sender runs in a process of its own
MAX_RATE_PER_SENDER = 200.0  # requests per second above which a sender's own work would distort its times


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfConfig:
    """Options of a measurement."""

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
    slice_seconds: float | None = None
    """Length of the slices of time for which numbers are computed, too."""
    metrics_url: str = ""
    """Prometheus page of the server, read while a load point runs."""
    metrics_match: str = ""
    """Regular expression of further metrics to store."""
    gpu: bool = False
    """Whether to read power and memory of the GPUs of this machine."""
    repeat: int = 1
    """Number of times that the list of loads is run."""

    def to_dict(self) -> dict[str, Any]:
        """Return the options as written to `perf.json`."""
        document = asdict(self)
        del document["pricing"]
        return {**document, "bill": self.pricing.to_dict() if self.pricing else None}


class Measurement:
    """One measurement: its folder, its load points and their summaries."""

    def __init__(self, evaluation: Evaluation, out: Path, config: PerfConfig, on_progress: ProgressCallback) -> None:
        self.out, self.config, self._on_progress = out.absolute(), config, on_progress
        self._evaluation = evaluation
        self.spec, self.task, self.inferencer = evaluation.spec, evaluation.task, evaluation.inferencer
        self.slos = parse_slos(config.slo)
        self.loads = [load for text in config.loads for load in parse_loads(text)] * config.repeat
        self._validate()
        self._sensors = open_sensors(config.metrics_url, config.metrics_match, config.gpu)
        self.manifest = build_manifest(evaluation, config)
        earlier = read_earlier(out, self.manifest)
        self.earlier_points = earlier.points if earlier else ()
        if earlier:
            self.manifest = earlier.manifest
        self.points: list[LoadPointSummary] = []
        self.search_results: list[SearchResult] = []
        self.interrupted = False

    def _validate(self) -> None:
        """Reject invalid options before a folder is created or a model is loaded."""
        config = self.config
        if not self.loads:
            raise SpecError("No load is set. Set one with --load, for example --load closed:8 or --load poisson:4.")
        if not all(load.has_end for load in self.loads) and not (config.count or config.duration):
            raise SpecError("The load has no end. Set --duration SECONDS or --count N.")
        if any(load.needs_slo for load in self.loads) and not self.slos:
            raise SpecError("A search needs an SLO. Set one with --slo, for example --slo 'p95(ttft_s)<0.3'.")
        if config.senders != "auto" and config.senders > 1 and not issubclass(self._evaluation.model_class, AsyncModel):
            raise SpecError(f"--senders is for API models only; model '{self.spec.model}' runs on this machine.")

    def run(self) -> PerfSummary:
        """Run all loads, except for points that were measured earlier, and return the summary."""
        self.out.mkdir(parents=True, exist_ok=True)
        with lock_run(self.out):
            write_perf_manifest(self.out, self.manifest)
            for load in self.loads:
                if self.interrupted:
                    break
                self._run_points(load)
            summary = self.build_summary(complete=not self.interrupted)
            write_perf_summary(self.out, summary)
        return summary

    def _run_points(self, pattern: LoadPattern) -> None:
        points = pattern.points(self.slos)
        try:
            point = next(points)
            while True:
                point = points.send(None if self.interrupted else self._run_point(point))
        except StopIteration as end:
            if end.value:
                self.search_results.append(end.value)

    def _run_point(self, load_point: LoadPoint) -> LoadPointSummary | None:
        """Run one load, score its answers and summarise it; None if it was interrupted before any request."""
        load, number = load_point.load, len(self.points)
        if number < len(self.earlier_points):  # the same loads follow from the same results
            self.points.append(self.earlier_points[number])
            return self.points[-1]
        folder = self.out / f"{number:02d}-{folder_name(load)}"
        move_aside(folder)
        folder.mkdir()
        plan = self._build_plan(load_point, folder)
        with ServerWatch(self._sensors) as watch:
            health = asyncio.run(self._run_load(plan, watch))
        watch.write(folder)
        health = replace(health, notes=(*health.notes, *watch.list_notes()))
        write_health(folder, health)
        numbers = self._score_answers(folder)
        columns = RequestColumns.read(folder / REQUESTS_FILE)
        if self.interrupted and not len(columns):
            return None
        if not len(columns):
            raise DataError(f"{load}: no request was sent. Check that --duration is long enough.")
        config = self.config
        server = ServerSamples.read(folder)
        point = summarise(columns, load, health, self.slos, config.window, config.pricing, server)
        point = add_slices(point, columns, config.slice_seconds)
        notes = (*point.notes, *find_limit_warnings(load, columns, plan.senders))
        self.points.append(replace(point, notes=notes, folder=folder.name, senders=plan.senders, accuracy=numbers))
        write_perf_summary(self.out, self.build_summary())
        return self.points[-1]

    async def _run_load(self, plan: LoadPointPlan, watch: ServerWatch) -> SenderHealth:
        stop_event = asyncio.Event()

        def on_progress(progress: PointProgress) -> None:
            watch.start_time = progress.start_time
            self._on_progress(progress)

        with stop_on_interrupt(stop_event):
            health = await run_load_point(plan, on_progress, stop_event, self._reusable_evaluation())
        self.interrupted = stop_event.is_set()
        return health

    def _reusable_evaluation(self) -> Evaluation | None:
        """Return the evaluation, unless a load point uses it up: samples that are read once, or a closed inferencer."""
        samples = self.task.samples
        return None if iter(samples) is samples or hasattr(self.inferencer, "close") else self._evaluation

    def _build_plan(self, load_point: LoadPoint, point_folder: Path) -> LoadPointPlan:
        config, load, factor = self.config, load_point.load, load_point.length_factor
        plan = LoadPointPlan(
            spec=self.spec.model_dump(mode="json"),
            load=str(load),
            folder=str(point_folder.resolve()),
            seed=config.seed + load_point.seed_offset,
            count=config.count and config.count * factor,
            duration=config.duration and config.duration * factor,
            warmup=config.warmup,
            cooldown=config.cooldown,
            grace=config.grace,
            max_errors=config.max_errors,
            stop_saturated=config.stop_saturated,
            stream=config.stream,
            batch_size=config.batch_size,
        )
        max_samples = self.spec.limit or load.count_samples(plan)
        senders, uses_processes = self._choose_sender_count(load), self._needs_process(load)
        return replace(plan, max_samples=max_samples, senders=senders, uses_processes=uses_processes)

    def _needs_process(self, load: Load) -> bool:
        """Return whether even a single sender gets a process of its own, because this one would delay it."""
        is_local = MODELS.is_local(self.spec.model) or TASKS.is_local(self.spec.task)
        if is_local or not issubclass(self._evaluation.model_class, HttpModel):
            return False
        return load.peak_rate >= MIN_PROCESS_RATE or (load.busy_users or 0) >= MIN_PROCESS_USERS

    def _choose_sender_count(self, load: Load) -> int:
        limit = load.cap or math.inf  # the cap is divided: each sender needs at least 1
        if self.config.senders != "auto":
            return int(min(self.config.senders, limit))
        if not issubclass(self._evaluation.model_class, AsyncModel):
            return 1
        limit = min(limit, (os.cpu_count() or 2) - 1)
        return int(max(1, min(math.ceil(load.peak_rate / MAX_RATE_PER_SENDER), limit)))

    def _score_answers(self, point_folder: Path) -> tuple[Accuracy, ...]:
        """Write the timed answers as a run directory and score them."""
        with Run.open(point_folder, build_run_spec(self.spec, self.task, self.inferencer)) as run:
            answered = 0
            for record in _read_answers(point_folder):
                run.append(record)
                answered += 1
            run.flush()
            run.write_progress(Progress(complete=True, rows=answered, revision=self.task.revision))
            if not answered or not self.task.metrics:
                return ()
            metrics = score_and_write(run, self.task, model_label(self.spec))
        return tuple(_extract_accuracy(number) for number in metrics.overall)

    def build_summary(self, *, complete: bool = False) -> PerfSummary:
        """Build the summary of all points so far."""
        return PerfSummary(
            task=self.task.name,
            model=model_label(self.spec),
            interrupted=self.interrupted,
            complete=complete,
            valid=bool(self.points) and all(point.validity.valid for point in self.points),
            points=tuple(self.points),
            searches=tuple(self.search_results),
            spreads=summarise_repeats(self.points),
            definitions=DEFINITIONS if self.points else {},
            about=self.manifest,
        )


def build_manifest(evaluation: Evaluation, config: PerfConfig) -> PerfManifest:
    """Build the document that states what is measured, how and where."""
    spec = evaluation.spec.public()
    return PerfManifest(
        spec=spec,
        wanted=config.to_dict(),
        revision=evaluation.task.revision,
        inferencer=repr(evaluation.inferencer),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"auricle": version("auricle"), "python": platform.python_version()},
        platform=platform.platform(),
        cores=os.cpu_count(),
        clock="time.monotonic",
        command=tuple(_build_command(spec)),
    )


def _read_answers(point_folder: Path) -> Iterator[Any]:
    for part in sorted(point_folder.glob("answers.*.jsonl")):
        yield from (record for line in iter_journal(part) if (record := line.record))
        part.unlink()


def _extract_accuracy(number: Number) -> Accuracy:
    return Accuracy(
        metric=number.metric,
        value=number.value,
        low=number.low,
        high=number.high,
        scored=number.scored,
        total=number.total,
        higher_is_better=number.higher_is_better,
        signature=str(number.signature),
        unit=number.unit,
    )


def _build_command(spec: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line, with the arguments of the model as in the spec, without secrets."""
    if sys.argv[1:2] != ["perf"]:
        return []  # measured from Python
    words, is_model_argument = [], False
    for word in sys.argv[1:]:
        if not is_model_argument and not word.startswith("-M"):
            words.append(word)
        is_model_argument = word == "-M"
    return [*words, *format_arguments("-M", spec.get("model_args") or {})]


def measure(spec: Spec | Evaluation, out: str | Path, config: PerfConfig, on_progress: ProgressCallback) -> PerfSummary:
    """Measure serving performance and return the summary, which is also written to `out`."""
    evaluation = spec if isinstance(spec, Evaluation) else Evaluation.prepare(spec)
    with keep_home_folder():
        return Measurement(evaluation, Path(out), config, on_progress).run()


def recompute_summary(
    folder: Path,
    *,
    slo: str = "",
    window: str | None = None,
    slice_seconds: float | None = None,
    find_pricing: PricingLookup = lambda *_: None,
) -> PerfSummary:
    """Recompute and save a measurement's summary, optionally with other SLOs, prices, slices or another window.

    No request is sent and no model is loaded.
    """
    previous = read_perf_summary(folder)
    manifest, config = previous.about, previous.about.wanted
    pricing = find_pricing(manifest.model, manifest.model_args)
    config = {
        **config,
        "slo": slo or config["slo"],
        "window": window or config["window"],
        "slice_seconds": slice_seconds or config.get("slice_seconds"),
        "bill": pricing.to_dict() if pricing else config.get("bill"),
    }
    points = tuple(recompute_point(folder / point.folder, point, config) for point in previous.points)
    summary = replace(
        previous,
        points=points,
        valid=all(point.validity.valid for point in points),
        spreads=summarise_repeats(points),
        about=replace(manifest, wanted=config),
    )
    write_perf_summary(folder, summary)
    return summary


def recompute_point(folder: Path, previous: LoadPointSummary, config: Mapping[str, Any]) -> LoadPointSummary:
    """Compute the numbers of a load point again, from its recorded requests."""
    columns, load = RequestColumns.read(folder / REQUESTS_FILE), parse_load(previous.load)
    slos, pricing = parse_slos(config["slo"]), Pricing.from_dict(config.get("bill"))
    server = ServerSamples.read(folder)
    point = summarise(columns, load, read_health(folder), slos, config["window"], pricing, server)
    point = add_slices(point, columns, config.get("slice_seconds"))
    notes = (*point.notes, *find_limit_warnings(load, columns, previous.senders))
    return replace(point, notes=notes, folder=previous.folder, senders=previous.senders, accuracy=previous.accuracy)
