"""`auricle perf`: load-test a model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from auricle.cli.exit_codes import EXIT_FAILURES, EXIT_INTERRUPTED, EXIT_OK
from auricle.cli.options import (
    MODEL_HELP,
    GroupedCommand,
    any_path,
    fresh_option,
    json_option,
    kind_option,
    load_price,
    model_args_option,
    option_group,
    prices_option,
    require_model,
    task_args_option,
)
from auricle.cli.output import print_json
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle import Spec
    from auricle.perf.measurement import PerfConfig
    from auricle.perf.pricing import Pricing

SELFTEST = "selftest"


@click.command(cls=GroupedCommand)
@click.argument("task")
@option_group(
    "Model",
    click.option("-m", "--model", help=f"{MODEL_HELP} Required to send requests."),
    model_args_option,
    click.option(
        "--stream/--no-stream", default=None, help="Whether to request streaming responses. [default: set by the model]"
    ),
    click.option(
        "--batch-size",
        type=click.IntRange(1),
        metavar="N",
        help="Maximum requests per batch (local models only). [default: set by the model]",
    ),
)
@option_group(
    "Data",
    task_args_option,
    kind_option,
    click.option(
        "--limit",
        type=click.IntRange(1),
        metavar="N",
        help="Number of distinct samples to send; they are sent again when all have been sent. [default: all]",
    ),
)
@option_group(
    "Load",
    click.option(
        "--load",
        "loads",
        multiple=True,
        metavar="LOAD",
        help="Load pattern, such as closed:8 (8 requests in flight) or poisson:4 (4 requests per second); "
        "repeat for several. [default: closed:1]",
    ),
    click.option(
        "--duration",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Length of the measurement in seconds. Many loads require --duration or --count. [default: no limit]",
    ),
    click.option(
        "--count",
        type=click.IntRange(1),
        metavar="N",
        help="Number of requests to measure. With --duration, the first limit reached ends it. [default: no limit]",
    ),
    click.option(
        "--warmup",
        type=click.FloatRange(0),
        default=0.0,
        metavar="SECONDS",
        help="Seconds of load before the measurement; not counted.",
    ),
    click.option(
        "--cooldown",
        type=click.FloatRange(0),
        default=0.0,
        metavar="SECONDS",
        help="Seconds of load after the measurement; not counted.",
    ),
    click.option(
        "--grace",
        type=click.FloatRange(0),
        default=30.0,
        metavar="SECONDS",
        help="Seconds to wait for unfinished requests at the end before they are cancelled.",
    ),
    click.option("--repeat", type=click.IntRange(1), default=1, metavar="N", help="Repeat each load N times."),
    click.option(
        "--senders", default="auto", metavar="N|auto", help="Number of processes that send requests (API models only)."
    ),
    click.option("--seed", type=int, default=0, metavar="N", help="Random seed of the request schedule."),
    click.option(
        "--max-errors",
        type=click.IntRange(1),
        metavar="N",
        help="Stop a load after N failed requests. [default: never]",
    ),
    click.option(
        "--stop-when-saturated",
        "stop_saturated",
        is_flag=True,
        help="Stop a load when the server is saturated, that is, when the backlog of requests keeps growing.",
    ),
)
@option_group(
    "Evaluation",
    click.option(
        "--slo",
        metavar="EXPRESSION",
        help="Service-level objectives, separated by commas, such as 'p95(ttft_s)<0.3,rtf<1'. [default: none]",
    ),
    click.option(
        "--window",
        type=click.Choice(["steady", "all"]),
        help="Requests to include in the metrics: those of the steady state, or all. [default: steady]",
    ),
)
@option_group(
    "Cost",
    prices_option,
    click.option(
        "--hourly",
        type=click.FloatRange(0),
        metavar="PRICE",
        help="Price of the machine per hour, used to compute costs. [default: none]",
    ),
)
@option_group(
    "Output",
    click.option("-o", "--out", type=any_path, metavar="DIR", help="Output folder. [default: runs/perf-TASK-MODEL]"),
    fresh_option,
    json_option,
)
def perf(**options: Any) -> None:
    """Load-test a model on TASK.

    TASK is a task as for `auricle run`, the folder of an earlier measurement (recompute its summary with other --slo,
    --window or prices, without sending requests), or `selftest` (measure the limits of this machine).
    """
    sys.exit(run_perf(**options))


def run_perf(task: str, model: str | None, out: Path | None, as_json: bool, fresh: bool, **options: Any) -> int:
    """Measure a task under one or more loads, print the results and return the exit code."""
    if task == SELFTEST:
        _run_selftest(as_json)
        return EXIT_OK
    from auricle.perf.recompute import is_measurement, recompute_summary
    from auricle.perf.report.files import write_reports
    from auricle.perf.report.tables import format_measurement

    if is_measurement(folder := Path(task)):
        document = recompute_summary(
            folder, slo=options["slo"] or "", window=options["window"], find_pricing=partial(_load_pricing, options)
        )
    else:
        folder, document = _measure(task, model, out, fresh, options)
    write_reports(folder, document)
    if as_json:
        print_json(document)
    else:
        click.echo(format_measurement(document))
        click.echo(f"\nReport: {(folder / 'report.html').resolve()}")
    if document["interrupted"]:
        return EXIT_INTERRUPTED
    failed = sum(point["counts"]["all"]["failed"] for point in document["points"])
    return EXIT_FAILURES if failed else EXIT_OK


def _run_selftest(as_json: bool) -> None:
    from auricle.perf import selftest

    limits, path = selftest.run_selftest()
    if as_json:
        print_json(asdict(limits))
    else:
        click.echo("\n".join([*selftest.describe_limits(limits), f"Saved to {path}."]))


def _measure(
    task: str, model: str | None, out: Path | None, fresh: bool, options: Mapping[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Run the loads; return the output folder and the summary."""
    from auricle.engine.factory import build_task, display_name
    from auricle.perf.measurement import measure
    from auricle.perf.progress import ProgressLine
    from auricle.runs.run_directory import set_aside

    spec = _build_spec(task, require_model(model), options)
    folder = out or Path("runs") / f"perf-{build_task(spec).name}-{display_name(spec.model)}"
    if fresh:
        set_aside(folder)
    with redirect_stdout(sys.stderr), ProgressLine() as progress:
        return folder, measure(spec, folder, _build_perf_config(options, spec), progress.update)


def _build_spec(task: str, model: str, options: Mapping[str, Any]) -> Spec:
    from auricle import Spec
    from auricle.engine.spec import parse_arguments, resolve_task

    name, arguments = resolve_task(task, options["kind"], parse_arguments(options["task_args"]))
    fields = {
        "task": name,
        "task_args": arguments,
        "model": model,
        "model_args": parse_arguments(options["model_args"]),
        "limit": options["limit"],
    }
    return Spec.from_fields(fields, "auricle perf").resolved()


def _load_pricing(options: Mapping[str, Any], model: str, model_args: Mapping[str, Any]) -> Pricing | None:
    from auricle.perf.pricing import Pricing

    prices = options["prices"]
    price = load_price(prices, model, model_args) if prices else None
    return Pricing.from_prices(price, options["hourly"])


def _build_perf_config(options: Mapping[str, Any], spec: Spec) -> PerfConfig:
    from auricle.perf.measurement import PerfConfig

    return PerfConfig(
        loads=tuple(options["loads"]) or ("closed:1",),
        count=options["count"],
        duration=options["duration"],
        warmup=options["warmup"],
        cooldown=options["cooldown"],
        grace=options["grace"],
        slo=options["slo"] or "",
        senders=_parse_senders(options["senders"]),
        seed=options["seed"],
        stream=options["stream"],
        window=options["window"] or "steady",
        batch_size=options["batch_size"],
        max_errors=options["max_errors"],
        stop_saturated=options["stop_saturated"],
        pricing=_load_pricing(options, spec.model, spec.model_args),
        repeat=options["repeat"],
    )


def _parse_senders(value: str) -> int | Literal["auto"]:
    if value == "auto":
        return "auto"
    if not value.isdigit() or int(value) < 1:
        raise SpecError(f"--senders: {value!r} is not a whole number from 1, or 'auto'.")
    return int(value)
