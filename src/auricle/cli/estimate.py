"""`auricle estimate`: how long a run takes and what it costs, with any number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.engine.factory import Evaluation
    from auricle.report.run_estimate import RunEstimate, Speed, Workload

WORKER_STEPS = (1, 4, 16, 64, 256)
"""Numbers of workers for which the time is estimated, unless one is given."""


@click.command()
@opt.task_argument("task")
@opt.text("-m --model MODEL", f"{opt.MODEL_HELP} [default: none, for the size of the data alone]")
@opt.model_args_option
@opt.task_args_option
@opt.kind_option
@opt.count("--workers N", "Number of workers. [default: several numbers]")
@opt.text("--shards N|auto", "Number of shards, as of `auricle run`.", type=opt.parse_count_or_auto, default="auto")
@opt.flag("--bucket", "Estimate a run in a bucket, and the requests to it.")
@opt.count("--probe N", "Answer the first N samples with the model, to measure how fast one worker is. [default: none]")
@opt.number("--rtfx X", "Seconds of audio that one worker processes per second. [default: unknown]", above=True)
@opt.number(
    "--latency SECONDS", "Seconds that a request takes, with -j of them in flight. [default: unknown]", above=True
)
@opt.count("-j --concurrency N", "Maximum requests in flight per worker.", default=64)
@opt.prices_option
@opt.json_option
def estimate(**options: Any) -> None:
    """Estimate how long a run of TASK takes and what it costs.

    Only sizes and the first rows of the data are read, and with --probe some samples are answered.
    """
    from auricle.engine.factory import Evaluation
    from auricle.report.run_estimate import estimate_run_time

    evaluation = Evaluation.prepare(opt.build_spec(options["task"], options["model"], options))
    workload = measure_workload(evaluation, options)
    speed = find_speed(evaluation, workload, options)
    steps = [options["workers"]] if options["workers"] else WORKER_STEPS
    rows = (
        [estimate_run_time(workload, speed, workers, is_remote=options["bucket"]) for workers in steps] if speed else []
    )
    if options["as_json"]:
        print_json({"workload": workload, "speed": speed, "estimates": rows})
    else:
        echo("\n".join(_format_estimate(workload, speed, rows)))


def measure_workload(evaluation: Evaluation, options: Mapping[str, Any]) -> Workload:
    """Return the size of a run, from the sizes and the first rows of its data."""
    from auricle.cli.evaluation import describe_cost, inspect_workload
    from auricle.report.run_estimate import Workload

    count = _count_rows(evaluation, options)
    sampled = inspect_workload(evaluation, count.samples)
    if not sampled.samples:
        raise SpecError(f"No sample of {evaluation.task.name} can be read. See `auricle preview`.")
    scale = count.samples / sampled.samples
    price = _find_price(options)
    cost, notes = describe_cost(sampled, price, count.samples) if price else (None, ())
    return Workload(
        samples=count.samples,
        is_exact=count.is_exact,
        requests=sampled.requests * scale,
        audio_seconds=sampled.audio_seconds * scale or None,
        shards=count.shards,
        cost=cost,
        currency=price.currency if price else None,
        cost_notes=notes,
    )


@dataclass(frozen=True, slots=True)
class RowCount:
    """How many rows the data has, and how many shards."""

    samples: int
    is_exact: bool
    shards: int | None


def _count_rows(evaluation: Evaluation, options: Mapping[str, Any]) -> RowCount:
    from auricle.data.parts import PartSource
    from auricle.engine.shards.planning import choose_part_size, estimate_row_count

    samples = evaluation.task.samples
    if not isinstance(samples, PartSource):
        if (count := evaluation.sample_count) is None:
            raise SpecError(f"The number of samples of {evaluation.task.name} is not known without reading them.")
        return RowCount(count, True, None)
    size = choose_part_size(samples, options["shards"], options["workers"] or 1)
    shards = sum(1 for _ in samples.plan_parts(size))
    count, is_exact = estimate_row_count(samples)
    return RowCount(count, is_exact, shards)


def _find_price(options: Mapping[str, Any]) -> Any:
    if options["prices"] is None:
        return None
    model = opt.require_model(options["model"])
    return opt.load_price(options["prices"], model, opt.parse_model_args(options, model))


def find_speed(evaluation: Evaluation, workload: Workload, options: Mapping[str, Any]) -> Speed | None:
    """Return how fast one worker is: measured, or from an option; None if neither is given."""
    from auricle.report.run_estimate import Speed

    given = [name for name in ("probe", "rtfx", "latency") if options[name] is not None]
    if len(given) > 1:
        raise SpecError(f"--{given[0]} and --{given[1]} both state how fast a worker is. Give one of them.")
    if options["probe"]:
        opt.require_model(options["model"])
        return probe_speed(evaluation, options["probe"], options["concurrency"])
    if options["rtfx"]:
        if not workload.audio_seconds:
            raise SpecError("--rtfx needs the duration of the audio, which is not known without reading all of it.")
        rate = workload.samples * options["rtfx"] / workload.audio_seconds
        return Speed(samples_per_second=rate, source="--rtfx")
    if options["latency"]:
        per_sample = max(1.0, workload.requests / workload.samples)
        return Speed(samples_per_second=options["concurrency"] / options["latency"] / per_sample, source="--latency")
    return None


def probe_speed(evaluation: Evaluation, samples: int, concurrency: int) -> Speed:
    """Answer some samples in a temporary folder, and return how fast one worker is."""
    import time
    from tempfile import TemporaryDirectory

    from auricle import Settings, api
    from auricle.core.errors import DataError
    from auricle.report.run_estimate import Speed
    from auricle.runs.progress import read_progress

    spec = evaluation.spec.model_copy(update={"limit": samples})
    with TemporaryDirectory(prefix="auricle-estimate-") as folder:
        started_at = time.perf_counter()
        result = api.evaluate(spec, folder, settings=Settings(concurrency=concurrency), infer_only=True)
        seconds = time.perf_counter() - started_at
        passes = read_progress(Path(folder)).passes
    if not result.outcomes.answered or not passes:
        raise DataError(f"None of the first {samples} samples was answered. Run them with `auricle run --limit`.")
    timing = passes[-1]
    return Speed(
        samples_per_second=timing.samples / max(1e-6, timing.wall_seconds),
        startup_seconds=max(0.0, seconds - timing.wall_seconds),
        source=f"measured with {timing.samples} samples",
    )


def _format_estimate(workload: Workload, speed: Speed | None, rows: list[RunEstimate]) -> Iterator[str]:
    yield _format_workload(workload)
    if speed is None:
        yield "Add --probe N, --rtfx X or --latency SECONDS to estimate the time."
        return
    startup = f", {speed.startup_seconds:.1f} s to start" if speed.startup_seconds else ""
    yield f"One worker: {speed.samples_per_second:,.3g} samples/s{startup} ({speed.source})"
    yield ""
    yield from _format_table(rows)


def _format_workload(workload: Workload) -> str:
    from auricle.runs.metrics import format_money

    about = "" if workload.is_exact else "about "
    parts = [f"{about}{workload.samples:,} samples", f"{workload.requests:,.0f} requests"]
    if workload.audio_seconds:
        parts.append(f"{workload.audio_seconds / 3600:,.3g} h of audio")
    if workload.shards is not None:
        parts.append(f"{workload.shards:,} shards")
    if workload.cost is not None:
        notes = f" ({'; '.join(workload.cost_notes)})" if workload.cost_notes else ""
        parts.append(f"{format_money(workload.cost, workload.currency or 'USD')}{notes}")
    return ", ".join(parts)


def _format_table(rows: list[RunEstimate]) -> Iterator[str]:
    from auricle.cli.status import format_seconds
    from auricle.report.text_table import format_table

    header = ["workers", "time", "worker hours", "per shard"]
    is_remote = any(row.store_requests is not None for row in rows)
    body = [
        [
            str(row.workers),
            format_seconds(row.seconds),
            f"{row.worker_seconds / 3600:,.3g}",
            "" if row.shard_seconds is None else format_seconds(row.shard_seconds),
            *([f"{row.store_requests or 0:,}"] if is_remote else []),
        ]
        for row in rows
    ]
    yield from format_table([*header, *(["writes to the bucket"] if is_remote else [])], body)
