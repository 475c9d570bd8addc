"""`auricle run`: evaluate a model on one or more tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.exit_codes import EXIT_INTERRUPTED, EXIT_OK
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle import Settings, Spec
    from auricle.engine.budget import Budget
    from auricle.runs.response_cache import ResponseCache

SETTINGS_OPTIONS = (
    *("concurrency", "batch_size", "retry_failed", "max_attempts"),
    *("processes", "replicas", "batch_timeout", "gpus_per_replica"),
)
"""Options that are settings of the same name."""


@click.command(cls=opt.GroupedCommand)
@click.argument("tasks", nargs=-1, metavar="TASK...")
@opt.option_group(
    "Model", opt.text("-m --model", f"{opt.MODEL_HELP} [default: the model in --config]"), *opt.model_options
)
@opt.option_group(
    "Data",
    *opt.task_options,
    opt.count("--limit N", "Evaluate only the first N samples. [default: all]"),
    opt.path(
        "--config FILE",
        "YAML file with the fields task, model, task_args, model_args, limit, profile and judge. "
        "Command-line options take precedence. [default: none]",
    ),
)
@opt.option_group(
    "Scoring",
    opt.profile_option,
    *opt.judge_options,
    opt.flag("--infer-only", "Collect outputs without scoring them; score later with `auricle score`."),
)
@opt.option_group(
    "Speed",
    opt.count("-j --concurrency N", "Maximum requests in flight.", default=64),
    opt.text(
        "--batch-size N|auto",
        "Maximum requests per batch (local models only). 'auto' grows the batch until memory is half full. "
        "[default: set by the model]",
        type=opt.parse_batch_size,
    ),
    opt.count(
        "--max-attempts N",
        "Maximum attempts per request; transient errors are retried with exponential backoff.",
        default=6,
    ),
    opt.flag(
        "--retry-failed/--skip-failed", "Whether resuming a run retries samples that failed before.", default=True
    ),
    opt.flag(
        "--cache/--no-cache",
        "Reuse responses of earlier runs from the response cache, and store new ones.",
        default=False,
    ),
    opt.path(
        "--cache-path FILE",
        "Response cache file; implies --cache. [default: $AURICLE_CACHE, or ~/.cache/auricle/answers.sqlite]",
    ),
)
@opt.option_group(
    "Scale-out",
    opt.count("--processes N", "Number of processes that send requests (API models only).", default=1),
    opt.count("--replicas N", "Number of copies of the model, one process each (local models only).", default=1),
    opt.text(
        "--devices 0,1",
        "Comma-separated GPU ids, as in CUDA_VISIBLE_DEVICES: one replica for each, or more with --replicas. "
        "[default: every replica sees all GPUs]",
    ),
    opt.choice("--backend", "Run replicas on a cluster. [default: processes on this machine]", ("ray",)),
    opt.text("--ray-address HOST:PORT|auto", "Address of a running Ray cluster. [default: start Ray locally]"),
    opt.number(
        "--gpus-per-replica N",
        "GPUs reserved for each replica, with --backend ray; fractions are allowed.",
        default=0.0,
    ),
    opt.number(
        "--batch-timeout SECONDS",
        "Seconds a replica may spend on one batch before it is restarted.",
        type=click.FloatRange(1),
        default=600.0,
    ),
)
@opt.option_group(
    "Cost",
    opt.prices_option,
    opt.number(
        "--max-cost AMOUNT",
        "Stop once this much is spent, in the currency of the price file. Requires --prices. [default: no limit]",
        above=True,
    ),
)
@opt.option_group(
    "Output",
    opt.path(
        "-o --out DIR", "Run directory; with several tasks, the folder that contains them. [default: runs/TASK-MODEL]"
    ),
    *opt.output_options,
)
def run(**options: Any) -> None:
    """Evaluate a model on one or more tasks, or resume an interrupted run.

    TASK is a name from `auricle list tasks`, a task file (task.yaml), a data file such as data.jsonl (with --as),
    hf:DATASET (with --as), or module:function.
    """
    sys.exit(run_tasks(**opt.add_reward_model_args(options)))


def run_tasks(
    tasks: Sequence[str], model: str | None, out: Path | None, config: Path | None, as_json: bool, **options: Any
) -> int:
    """Run each task in its own folder and return the highest exit code."""
    from auricle.cli.evaluation import run_folder_name, run_spec

    specs = _build_specs(tasks, model, config, options)
    is_single = len(specs) == 1
    folders = [out if out and is_single else (out or Path("runs")) / run_folder_name(spec) for spec in specs]
    settings = _build_settings(options)
    budget = _build_budget(specs[0], options["prices"], options["max_cost"])
    code = EXIT_OK
    with _open_cache(specs[0], options["cache"], options["cache_path"]) as cache:
        settings = replace(settings, cache=cache)
        for spec, folder in zip(specs, folders, strict=True):
            spec_code = run_spec(
                spec, folder, settings, infer_only=options["infer_only"], fresh=options["fresh"], budget=budget
            )
            code = max(code, spec_code)
            if code == EXIT_INTERRUPTED or (budget and budget.stop_reason):
                break
    _print_results(folders, options["infer_only"], as_json)
    return code


def _print_results(folders: Sequence[Path], infer_only: bool, as_json: bool) -> None:
    """Print the metrics, or with --infer-only --json the progress, of the runs that were started."""
    from auricle.cli.output import print_json
    from auricle.cli.show import print_runs
    from auricle.runs.run_directory import Run

    if not infer_only:
        print_runs([folder for folder in folders if (folder / "metrics.json").exists()], as_json)
    elif as_json:
        started = [folder for folder in folders if (folder / "spec.json").exists()]
        print_json([{"run": str(folder), **Run.load(folder).read_progress()} for folder in started])


def _build_specs(
    tasks: Sequence[str], model: str | None, config: Path | None, options: Mapping[str, Any]
) -> list[Spec]:
    from auricle import Spec
    from auricle.core.yaml_files import read_yaml
    from auricle.engine.spec import parse_arguments, resolve_tasks

    common = read_yaml(config) if config else {}
    if not tasks and "task" not in common:
        raise SpecError("No task given. Use `auricle run TASK -m MODEL`; see `auricle list tasks`.")
    if model or "model" not in common:
        common["model"] = opt.require_model(model)
    model_args = {**common.pop("model_args", {}), **parse_arguments(options["model_args"])}
    task_args = {**common.pop("task_args", {}), **parse_arguments(options["task_args"])}
    for name in ("limit", "profile"):
        if options[name] is not None:
            common[name] = options[name]
    if judge := opt.resolve_judge(common.pop("judge", None), options["judge"], options["judge_args"]):
        common["judge"] = judge
    resolved = [pair for task in tasks for pair in resolve_tasks(task, options["kind"], task_args)]
    resolved = resolved or resolve_tasks(common.pop("task"), None, task_args)
    common.pop("task", None)
    source = str(config or "auricle run")
    return [
        Spec.from_fields({**common, "task": name, "task_args": arguments, "model_args": model_args}, source).resolved()
        for name, arguments in resolved
    ]


def _build_settings(options: Mapping[str, Any]) -> Settings:
    from auricle import Settings

    devices = (device.strip() for device in (options["devices"] or "").split(","))
    return Settings(
        **{name: options[name] for name in SETTINGS_OPTIONS},
        devices=tuple(device for device in devices if device),
        backend=options["backend"] or "",
        ray_address=options["ray_address"] or "",
    )


def _build_budget(spec: Spec, prices_path: Path | None, max_cost: float | None) -> Budget | None:
    """Return the budget that all tasks of one command share."""
    from auricle.engine.budget import Budget

    if prices_path is None:
        if max_cost is not None:
            raise SpecError("--max-cost requires a price file. Add --prices FILE.")
        return None
    return Budget(opt.load_price(prices_path, spec.model, spec.model_args), max_cost)


@contextmanager
def _open_cache(spec: Spec, enabled: bool, path: Path | None) -> Iterator[ResponseCache | None]:
    """Open the response cache if it is enabled; all tasks of one command use the same model."""
    from auricle.engine.factory import model_identity
    from auricle.runs.response_cache import ResponseCache, default_cache_path

    if not enabled and path is None:
        yield None
        return
    with ResponseCache(path or default_cache_path(), spec.model, model_identity(spec)) as cache:
        yield cache
