"""`auricle perf`: measure how a model serves, and tell it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click
import orjson

from auricle.cli.run import EXIT_FAILURES, EXIT_INTERRUPTED, EXIT_OK, load_price
from auricle.core.errors import SpecError
from auricle.engine.factory import build_task, display_name
from auricle.engine.spec import Spec, parse_arguments, resolve_task
from auricle.perf.measurement import PerfConfig, measure
from auricle.perf.pricing import Pricing
from auricle.perf.progress import ProgressLine
from auricle.perf.recompute import is_measurement, recompute_summary
from auricle.perf.report.files import write_reports
from auricle.perf.report.tables import format_measurement
from auricle.runs.run_directory import set_aside

SELFTEST = "selftest"


def _run_selftest(as_json: bool) -> None:
    from auricle.perf import selftest

    ceiling, path = selftest.run_selftest()
    if as_json:
        click.echo(orjson.dumps(asdict(ceiling), option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join([*selftest.describe_limits(ceiling), f"Saved to {path}."]))


def run_perf(task: str, model: str | None, out: Path | None, as_json: bool, fresh: bool, **options: Any) -> int:
    """Measure one task under one or several loads; what became of it as an exit code."""
    if task == SELFTEST:
        _run_selftest(as_json)
        return EXIT_OK
    if is_measurement(folder := Path(task)):
        other = {name: options[name] for name in ("slo", "window")}
        document = recompute_summary(folder, **other, find_pricing=partial(_load_pricing, options))
    else:
        spec = _build_spec(task, model, options)
        folder = out or Path("runs") / f"perf-{build_task(spec).name}-{display_name(spec.model)}"
        if fresh:
            set_aside(folder)
        with redirect_stdout(sys.stderr), ProgressLine() as live:
            document = measure(spec, folder, _build_perf_config(options, spec), live.update)
    write_reports(folder, document)
    if as_json:
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    else:
        click.echo(format_measurement(document))
        click.echo(f"\nReport: {(folder / 'report.html').resolve()}")
    if document["interrupted"]:
        return EXIT_INTERRUPTED
    failed = sum(point["counts"]["all"]["failed"] for point in document["points"])
    return EXIT_FAILURES if failed else EXIT_OK


def _build_spec(task: str, model: str | None, options: dict[str, Any]) -> Spec:
    if not model:
        raise SpecError("Say which model: -m NAME. See `auricle list models`.")
    name, arguments = resolve_task(task, options["kind"], parse_arguments(options["task_args"]))
    given = {
        "task": name,
        "task_args": arguments,
        "model": model,
        "model_args": parse_arguments(options["model_args"]),
        "limit": options["limit"],
    }
    return Spec.from_fields(given, "auricle perf").resolved()


def _load_pricing(options: dict[str, Any], model: str, model_args: Mapping[str, Any]) -> Pricing | None:
    prices = options["prices"]
    price = load_price(prices, model, model_args) if prices else None
    return Pricing.from_prices(price, options["hourly"])


def _build_perf_config(options: dict[str, Any], spec: Spec) -> PerfConfig:
    names = (
        "count", "duration", "warmup", "cooldown", "grace", "slo", "stream", "seed",
        "batch_size", "max_errors", "stop_saturated", "repeat",
    )  # fmt: skip
    return PerfConfig(
        loads=_loads_or_default(options["loads"]),
        senders=_parse_senders(options["senders"]),
        window=options["window"] or "steady",
        pricing=_load_pricing(options, spec.model, spec.model_args),
        **{name: options[name] for name in names},
    )


def _loads_or_default(loads: Sequence[str]) -> tuple[str, ...]:
    return tuple(loads) or ("closed:1",)


def _parse_senders(value: str) -> Any:
    if value == "auto":
        return value
    if not value.isdigit() or int(value) < 1:
        raise SpecError(f"--senders should be a number from 1, or auto, not {value!r}.")
    return int(value)
