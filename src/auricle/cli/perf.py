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

from auricle.cli.run import DONE, FAILED, INTERRUPTED, price_of
from auricle.core.errors import SpecError
from auricle.engine.factory import build, short
from auricle.engine.spec import Spec, parse_arguments, task_of
from auricle.perf.measurement import Wanted, measure
from auricle.perf.pricing import Bill
from auricle.perf.progress import LiveView
from auricle.perf.recompute import is_measurement, summed_up_again
from auricle.perf.report.publish import publish
from auricle.perf.report.table import told
from auricle.runs.run_directory import set_aside

SELFTEST = "selftest"


def _run_selftest(as_json: bool) -> None:
    from auricle.perf import selftest

    ceiling, path = selftest.selftest()
    if as_json:
        click.echo(orjson.dumps(asdict(ceiling), option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join([*selftest.told(ceiling), f"Saved to {path}."]))


def measure_task(
    task: str,
    model: str | None,
    out: Path | None,
    as_json: bool,
    fresh: bool,
    **options: Any,
) -> int:
    """Measure one task under one or several loads; what became of it as an exit code."""
    if task == SELFTEST:
        _run_selftest(as_json)
        return DONE
    if is_measurement(folder := Path(task)):
        other = {name: options[name] for name in ("slo", "window")}
        document = summed_up_again(folder, **other, paid=partial(_bill, options))
    else:
        spec = _spec(task, model, options)
        folder = out or Path("runs") / f"perf-{build(spec).name}-{short(spec.model)}"
        if fresh:
            set_aside(folder)
        with redirect_stdout(sys.stderr), LiveView() as live:
            document = measure(spec, folder, _wanted(options, spec), live.saw)
    publish(folder, document)
    if as_json:
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    else:
        click.echo(told(document))
        click.echo(f"\nReport: {(folder / 'report.html').resolve()}")
    if document["interrupted"]:
        return INTERRUPTED
    failed = sum(point["counts"]["all"]["failed"] for point in document["points"])
    return FAILED if failed else DONE


def _spec(task: str, model: str | None, options: dict[str, Any]) -> Spec:
    if not model:
        raise SpecError("Say which model: -m NAME. See `auricle list models`.")
    name, arguments = task_of(task, options["kind"], parse_arguments(options["task_args"]))
    given = {
        "task": name,
        "task_args": arguments,
        "model": model,
        "model_args": parse_arguments(options["model_args"]),
        "limit": options["limit"],
    }
    return Spec.of(given, "auricle perf").settled()


def _bill(options: dict[str, Any], model: str, arguments: Mapping[str, Any]) -> Bill | None:
    prices = options["prices"]
    price = price_of(prices, model, arguments) if prices else None
    return Bill.of(price, options["hourly"])


def _wanted(options: dict[str, Any], spec: Spec) -> Wanted:
    names = (
        "count", "duration", "warmup", "cooldown", "grace", "slo", "stream", "seed",
        "batch_size", "max_errors", "stop_saturated", "repeat",
    )  # fmt: skip
    return Wanted(
        loads=_listed(options["loads"]),
        senders=_senders(options["senders"]),
        window=options["window"] or "steady",
        bill=_bill(options, spec.model, spec.model_args),
        **{name: options[name] for name in names},
    )


def _listed(loads: Sequence[str]) -> tuple[str, ...]:
    return tuple(loads) or ("closed:1",)


def _senders(given: str) -> Any:
    if given == "auto":
        return given
    if not given.isdigit() or int(given) < 1:
        raise SpecError(f"--senders should be a number from 1, or auto, not {given!r}.")
    return int(given)
