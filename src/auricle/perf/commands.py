"""`auricle perf`: load-test a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, foreign_output, print_result
from auricle.core.errors import ExitStatus, SpecError

if TYPE_CHECKING:
    from auricle import Spec
    from auricle.perf.measurement import PerfConfig
    from auricle.perf.serving_cost import Pricing
    from auricle.runs.perf_files import PerfSummary

SELFTEST = "selftest"
CONFIG_OPTIONS = (
    *("count", "duration", "warmup", "cooldown", "grace", "repeat"),
    *("senders", "seed", "stream", "batch_size", "max_errors", "stop_saturated"),
    "gpu",
)
"""Options that are fields of `PerfConfig` of the same name."""


@click.command(cls=opt.GroupedCommand)
@opt.task_argument("task", required=False)
@opt.option_group(
    "Model",
    opt.text("-m --model", f"{opt.MODEL_HELP} Required to send requests."),
    opt.model_args_option,
    opt.text("--label NAME", "Name of the model in reports and comparisons. [default: its own name]"),
    opt.flag(
        "--stream/--no-stream", "Whether to request streaming responses. [default: set by the model]", default=None
    ),
    opt.count("--batch-size N", "Maximum requests per batch (local models only). [default: set by the model]"),
)
@opt.option_group(
    "Data",
    *opt.task_options,
    opt.text(
        "--data SOURCE",
        "Requests that exist only for a load test, in place of TASK: synthetic:in=512±50,out=128,prefix=256x8 or "
        "synthetic:audio=5..30s, or a trace: mooncake:FILE, burstgpt:FILE or journal:DIR. [default: those of TASK]",
    ),
    opt.max_audio_option,
    opt.count(
        "--limit N",
        "Number of distinct samples to send; they are sent again when all have been sent. [default: as many as the "
        "load needs; for closed loops with a duration, at most 10,000]",
    ),
)
@opt.option_group(
    "Load",
    opt.repeated(
        "--load loads LOAD",
        "Load pattern, such as closed:8 (8 requests in flight) or poisson:4 (4 requests per second); "
        "repeat for several. [default: closed:1; trace for --data with times]",
    ),
    opt.number(
        "--duration SECONDS",
        "Length of the measurement in seconds. Many loads require --duration or --count. [default: no limit]",
        above=True,
    ),
    opt.count(
        "--count N",
        "Number of requests to measure. With --duration, the first limit reached ends it. [default: no limit]",
    ),
    opt.number("--warmup SECONDS", "Seconds of load before the planned load starts; not counted.", default=0.0),
    opt.number("--cooldown SECONDS", "Seconds of load after the measurement; not counted.", default=0.0),
    opt.number(
        "--grace SECONDS", "Seconds to wait for unfinished requests at the end before they are cancelled.", default=30.0
    ),
    opt.count("--repeat N", "Repeat each load N times.", default=1),
    opt.text(
        "--senders N|auto",
        "Number of processes that send requests (API models only).",
        type=opt.parse_count_or_auto,
        default="auto",
    ),
    opt.count("--seed N", "Random seed of the request schedule.", type=int, default=0),
    opt.count("--max-errors N", "Stop a load after N failed requests. [default: never]"),
    opt.flag(
        "--stop-when-saturated stop_saturated",
        "Stop a load when the server is saturated, that is, when the backlog of requests keeps growing.",
    ),
)
@opt.option_group(
    "Evaluation",
    opt.text(
        "--slo EXPRESSION",
        "Service-level objectives, separated by commas, such as 'p95(ttft_s)<0.3,rtf<1'. [default: none]",
    ),
    opt.choice(
        "--window",
        "Requests to include in the metrics: those of the steady state, or all. [default: steady]",
        ("steady", "all"),
    ),
    opt.text("--slice SECONDS", "Also report numbers for slices of time of this length, such as 10s. [default: none]"),
    opt.flag("--gate", "Exit with code 4 if an SLO is not met or a load point is not valid."),
)
@opt.option_group(
    "Server",
    opt.text("--metrics-url URL", "Prometheus page of the server to read while a load runs. [default: none]"),
    opt.text(
        "--metrics-match REGEX", "Metrics of that page to store besides those of vLLM, SGLang and TGI. [default: none]"
    ),
    opt.flag("--gpu", "Read power and memory of the GPUs of this machine (needs nvidia-ml-py)."),
)
@opt.option_group(
    "Cost",
    opt.prices_option,
    opt.number("--hourly PRICE", "Price of the machine per hour, used to compute costs. [default: none]"),
)
@opt.option_group(
    "Output",
    opt.path("-o --out DIR", "Output folder. [default: runs/perf-TASK-MODEL, with a number if that exists]"),
    opt.choice(
        "--export",
        "Also write each load point in the shape of `vllm bench serve` or AIPerf, or as OpenTelemetry metrics. "
        "[default: none]",
        ("vllm", "aiperf", "otel"),
    ),
    *opt.output_options,
)
def perf(**options: Any) -> None:
    """Load-test a model on TASK, or on the requests of --data.

    TASK is a task as for `auricle run`, the folder of an earlier measurement (recompute its summary with other --slo,
    --window, --slice or prices, without sending requests), or `selftest` (measure the limits of this machine).
    """
    sys.exit(run_perf(**options))


def run_perf(task: str | None, model: str | None, out: Path | None, as_json: bool, fresh: bool, **options: Any) -> int:
    """Measure a task under one or more loads, print the results and return the exit code."""
    if task == SELFTEST:
        _run_selftest(as_json)
        return ExitStatus.OK
    from auricle.perf.gate import choose_exit_status, find_violations
    from auricle.perf.measurement import recompute_summary
    from auricle.perf.report.documents import write_reports
    from auricle.perf.report.exports import write_exports
    from auricle.perf.report.headline import choose_headline
    from auricle.perf.report.tables import format_measurement
    from auricle.perf.slices import format_slices
    from auricle.runs.run_directory import contains_load_test

    if task is not None and contains_load_test(folder := Path(task)):
        summary = recompute_summary(
            folder,
            slo=options["slo"] or "",
            window=options["window"],
            slice_seconds=_parse_slice(options),
            find_pricing=partial(_load_pricing, options),
        )
    else:
        folder, summary = _measure(task, model, out, fresh, options)
    write_reports(folder, summary)
    if options["export"]:
        write_exports(folder, summary, options["export"])
    lines = [
        f"{choose_headline(summary.points)}\n",
        format_measurement(summary),
        *format_slices(summary.points),
        f"\nReport: {(folder / 'report.html').resolve()}",
    ]
    print_result(as_json, summary, lines)
    violations = find_violations(summary) if options["gate"] else None
    for text in violations or ():
        echo(f"Gate: {text}", err=True)
    return choose_exit_status(summary, violations)


def _run_selftest(as_json: bool) -> None:
    from auricle.perf import selftest

    result = selftest.run_selftest()
    print_result(as_json, result.to_dict(), list(result.describe()))


def _measure(
    task: str | None, model: str | None, out: Path | None, fresh: bool, options: Mapping[str, Any]
) -> tuple[Path, PerfSummary]:
    """Run the loads; return the output folder and the summary."""
    from auricle.cli.error_report import log_errors_in
    from auricle.core.audio_limit import limit_audio
    from auricle.engine.factory import Evaluation
    from auricle.perf.measurement import Measurement, build_manifest
    from auricle.perf.progress import ProgressLine
    from auricle.perf.resume import can_resume
    from auricle.runs.run_directory import contains_run, first_usable, is_unanswered_load_test, set_aside

    if task and not model and (Path(task).is_dir() or ("/" in task and ":" not in task and not Path(task).exists())):
        raise SpecError(f"There is no measurement in {task}. To measure a model on a task, add -m MODEL.")
    evaluation = Evaluation.prepare(_build_spec(task, opt.require_model(model), options))
    config = _build_perf_config(options, evaluation.spec)
    folder = out or Path("runs") / f"perf-{evaluation.folder_name}"
    if out is None and not fresh:
        manifest = build_manifest(evaluation, config)
        folder = first_usable(
            folder, lambda path: not contains_run(path) or is_unanswered_load_test(path) or can_resume(path, manifest)
        )
    if fresh or is_unanswered_load_test(folder):
        set_aside(folder)
    limit = limit_audio(options["max_audio"])
    with log_errors_in(folder), foreign_output(), limit, ProgressLine() as progress:
        measurement = Measurement(evaluation, folder, config, progress.update)
        if count := len(measurement.earlier_points):
            echo(f"Resuming {folder} after {count} load point{'s' * (count > 1)}. Use --fresh to start over.", err=True)
        return folder, measurement.run()


def _build_spec(task: str | None, model: str, options: Mapping[str, Any]) -> Spec:
    """Return the spec of TASK, or of the requests of --data."""
    from auricle.perf.data.sources import parse_data

    if (task is None) == (options["data"] is None):
        raise SpecError("Set either TASK or --data, for example --data synthetic:in=512,out=128.")
    if task is not None:
        return opt.build_spec(task, model, options)
    if options["kind"]:
        raise SpecError(f"--as {options['kind']} is for a data file as TASK, not for --data.")
    source, argument = parse_data(options["data"])
    arguments = (f"requests={json.dumps(argument)}", f"seed={options['seed']}")
    return opt.build_spec(source.task, model, {**options, "task_args": (*options["task_args"], *arguments)})


def _parse_slice(options: Mapping[str, Any]) -> float | None:
    from auricle.perf.slices import parse_slice

    return parse_slice(options["slice"]) if options["slice"] else None


def _default_load(data: str | None) -> str:
    from auricle.perf.data.sources import parse_data

    return "trace" if data and parse_data(data)[0].has_times else "closed:1"


def _load_pricing(options: Mapping[str, Any], model: str, model_args: Mapping[str, Any]) -> Pricing | None:
    from auricle.perf.serving_cost import Pricing

    prices = options["prices"]
    price = opt.load_price(prices, model, model_args) if prices else None
    return Pricing.from_prices(price, options["hourly"])


def _build_perf_config(options: Mapping[str, Any], spec: Spec) -> PerfConfig:
    from auricle.perf.measurement import PerfConfig

    return PerfConfig(
        **{name: options[name] for name in CONFIG_OPTIONS},
        loads=tuple(options["loads"]) or (_default_load(options["data"]),),
        slo=options["slo"] or "",
        window=options["window"] or "steady",
        metrics_url=options["metrics_url"] or "",
        metrics_match=options["metrics_match"] or "",
        slice_seconds=_parse_slice(options),
        pricing=_load_pricing(options, spec.model, spec.model_args),
    )
