"""`auricle run`: evaluate a model on one or more tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, format_check, print_checks, print_result
from auricle.core.errors import AllRequestsFailed, ExitStatus, SpecError

if TYPE_CHECKING:
    from auricle import Spec
    from auricle.engine.config import RunConfig
    from auricle.engine.factory import Evaluation
    from auricle.engine.plan import EvaluationGroup, ModelPlan
    from auricle.runs.metrics import Metrics
    from auricle.runs.response_cache import ResponseCache
    from auricle.runs.result import RunResult

AfterPart: TypeAlias = "Callable[[EvaluationGroup, Path, RunResult], None]"
SPECIAL_OPTIONS = {
    *("tasks", "config", "print_config", "dry_run", "as_json", "task_args", "judge", "judge_args", "judge_unread"),
    *("recogniser", "speaker_model", "quality_model"),
    *("model_args", "crop", "model_init_json", "score_json", "stream_audio"),
}
"""Options that are not fields of `RunConfig`, or are combined with those of --config."""


RUN_OPTIONS: Sequence[Callable[[Any], Any]] = (
    opt.option_group(
        "Model",
        opt.repeated("-m --model MODEL", f"{opt.MODEL_HELP} Repeat to run several. [default: the model in --config]"),
        opt.repeated("--label NAME", "Name of the model in tables; repeat for several models. [default: its own name]"),
        *opt.model_options,
        opt.count(
            "--seed N",
            "Seed of the first answer to each sample, if answers are drawn at random; further answers have the next "
            "ones.",
            minimum=0,
            default=0,
        ),
    ),
    opt.option_group(
        "Data",
        *opt.task_options,
        opt.count("--limit N", "Evaluate only the first N samples. [default: all]"),
        opt.max_audio_option,
        opt.path(
            "--config FILE",
            "YAML file with any of these options under the same names, such as `concurrency: 8`, and with task, model, "
            "task_args and model_args. Options on the command line take precedence. [default: none]",
        ),
    ),
    opt.option_group(
        "Scoring",
        opt.profiles_option,
        opt.cluster_option,
        opt.add_metrics_option,
        *opt.judge_options,
        *opt.spoken_options,
        opt.flag("--infer-only", "Collect outputs without scoring them; score later with `auricle score`."),
    ),
    opt.option_group(
        "Speed",
        opt.count("-j --concurrency N", "Maximum requests in flight.", default=64),
        opt.flag(
            "--stream/--no-stream",
            "Whether to request streamed answers, to measure the time to first token (API models only). "
            "[default: set by the model]",
            default=None,
        ),
        opt.text(
            "--batch-size N|auto",
            "Maximum requests per batch (local models only). 'auto' grows the batch until memory is half full. "
            "[default: set by the model]",
            type=opt.parse_count_or_auto,
        ),
        opt.count(
            "--max-attempts N",
            "Maximum attempts per request; transient errors are retried with exponential backoff.",
            default=6,
        ),
        opt.count(
            "--retry-dropped N",
            "How often to call again if the agent drops a call, also when a run is resumed. The last "
            "attempt is scored, and all drops count in call_completion.",
            minimum=0,
            default=0,
        ),
        opt.number(
            "--timeout SECONDS",
            "Seconds that one call of a model, a metric or other Python code of yours may take; then its samples fail, "
            "and a replica is restarted. For requests to an API, see -M timeout.",
            type=click.FloatRange(1),
            default=600.0,
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
    ),
    opt.option_group(
        "Scale-out",
        opt.count("--processes N", "Number of processes that send requests (API models only).", default=1),
        opt.count("--replicas N", "Number of copies of the model, one process each (local models only).", default=1),
        opt.text(
            "--devices 0,1",
            "Comma-separated GPU ids, as in CUDA_VISIBLE_DEVICES: one replica for each, or more with --replicas. "
            "[default: every replica sees all GPUs]",
        ),
        opt.text(
            "--shards N|auto",
            "Divide the data into about N shards, which workers on any number of machines process; auto for about "
            "1,000 rows each. [default: one run without shards]",
            type=opt.parse_count_or_auto,
        ),
        opt.count("--workers N", "Number of workers of a sharded run; 1 is this process.", default=1),
        opt.text(
            "--shard I/N",
            "Process only shards whose number leaves the remainder I when divided by N, for machines without a common "
            "folder or bucket; see `auricle merge`. [default: all]",
        ),
        opt.number(
            "--lease SECONDS",
            "Seconds after which the shard of a worker that has stopped responding goes to another one.",
            type=click.FloatRange(1),
            default=60.0,
        ),
        opt.choice(
            "--backend",
            "Run replicas, or the workers of a sharded run, on a cluster; Slurm runs workers only. "
            "[default: processes on this machine]",
            ("ray", "slurm"),
        ),
        opt.repeated(
            "--slurm KEY=VALUE",
            "Parameter of Slurm jobs, such as partition=gpu or timeout_min=240; repeat for several. [default: none]",
        ),
        opt.text("--ray-address HOST:PORT|auto", "Address of a running Ray cluster. [default: start Ray locally]"),
        opt.number(
            "--gpus-per-replica N",
            "GPUs reserved for each replica or worker, with --backend ray; fractions are allowed.",
            default=0.0,
        ),
        opt.flag("--wait", "Wait for GPUs that a Ray cluster does not have yet, instead of refusing."),
    ),
    opt.option_group("Cost", opt.prices_option, opt.max_cost_option),
    opt.option_group(
        "Output",
        opt.text(
            "-o --out DIR|URL",
            "Run directory; with several tasks, the folder that contains them; with --shards also a URL such as "
            "s3://bucket/run. [default: runs/TASK-MODEL, with a number if that contains a different run]",
            type=opt.Location(),
        ),
        opt.progress_option,
        opt.registered_name(
            "--log",
            "Log the progress and the numbers of runs to this tracker; repeat for several. [default: none]",
            "auricle.engine.trackers.base:TRACKERS",
            multiple=True,
        ),
        opt.text(
            "--log-project NAME",
            "Project or experiment of the trackers. [default: that of the tracker's own variables, or auricle]",
            default="",
            show_default=False,
        ),
        *opt.output_options,
    ),
)
"""The options of every command that evaluates models on tasks, by group."""


def take_run_options(function: Any) -> Any:
    """Declare the tasks and the options of a command that evaluates models on tasks."""
    for group in reversed(RUN_OPTIONS):
        function = group(function)
    return opt.task_argument("tasks", nargs=-1, metavar="TASK...")(function)


@click.command(cls=opt.GroupedCommand)
@take_run_options
@opt.option_group(
    "Data",
    opt.repeated(
        "--perturb CONDITION",
        "Also evaluate under this condition, such as noise:snr=20,10,0; repeat for several. "
        "See `auricle list perturbations`.",
    ),
    opt.flag(
        "--stream-audio",
        "Send recordings at the pace at which they were spoken, to session models and streaming recognisers; "
        "the same as -T inferencer=stream-audio.",
    ),
)
@opt.option_group(
    "Output",
    opt.flag("--dry-run", "Check task, data, model and settings, and exit. No model is loaded and nothing is sent."),
    opt.flag("--print-config", "Print all options as a YAML file for --config, and exit."),
)
@click.pass_context
def run(context: click.Context, /, **options: Any) -> None:
    """Evaluate one or more models on one or more tasks, or resume an interrupted run.

    TASK is a name from `auricle list tasks`, a task file (task.yaml), a data file such as data.jsonl (with --as),
    hf:DATASET (with --as), module:function, or an experiment file that names tasks and models (the same as --config).
    """
    config = build_config(options, opt.given_options(context))
    if options["print_config"]:
        print_result(options["as_json"], config.to_fields(), config.to_yaml().splitlines())
        return
    if options["dry_run"]:
        sys.exit(print_config_checks(config, as_json=options["as_json"]))
    sys.exit(run_config(config, as_json=options["as_json"]))


def build_config(options: Mapping[str, Any], given: Collection[str]) -> RunConfig:
    """Combine the options of the command line with those of --config.

    Args:
        options: All options, by parameter name.
        given: Names of the options that were given on the command line.
    """
    from auricle.engine.config import RunConfig, is_experiment, read_fields

    path: Path | None = options["config"]
    tasks: tuple[str, ...] = options["tasks"]
    if path is None and len(tasks) == 1 and is_experiment(tasks[0]):
        path, tasks = Path(tasks[0]), ()
    values = read_fields(path) if path else {}
    if not tasks and "task" not in values:
        raise SpecError("No task given. Use `auricle run TASK -m MODEL`; see `auricle list tasks`.")
    if tasks:
        values["task"] = tasks
        values.pop("as", None)
    if "model" not in values:
        opt.require_model(options["model"])
    arguments = {
        "task_args": _parse_task_arguments(options),
        "model_args": opt.parse_model_args(options, options["model"]),
    }
    for name, given_arguments in arguments.items():
        if isinstance(values.setdefault(name, {}), Mapping):  # anything else is refused below
            values[name] = {**values[name], **given_arguments}
    _override_arguments(values.get("model"), arguments["model_args"])
    if judges := opt.resolve_judges(values.pop("judge", None), options):
        values["judge"] = judges
    values |= {name: options[name] for name in given if name not in SPECIAL_OPTIONS}
    return RunConfig.from_fields(values, str(path or "auricle run"))


def _parse_task_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    from auricle.engine.spec import parse_arguments

    inferencer = {"inferencer": "stream-audio"} if options.get("stream_audio") else {}
    return {**inferencer, **parse_arguments(options["task_args"])}


def _override_arguments(models: Any, given: Mapping[str, Any]) -> None:
    """Let arguments of the command line take precedence over those of single models in an experiment file."""
    for entry in models if isinstance(models, list) else [models]:
        if isinstance(entry, dict) and isinstance(own := entry.get("model_args"), dict):
            own |= given


def print_config_checks(config: RunConfig, *, as_json: bool) -> int:
    """Print what would keep a run from starting, and return the exit code."""
    from auricle.core.audio_limit import limit_audio
    from auricle.engine.dry_run import check_config
    from auricle.engine.trackers.base import find_trackers

    find_trackers(config.log)
    lines = []
    with limit_audio(config.settings.max_audio):
        for line in check_config(config):
            lines.append(line)
            if not as_json:
                echo(format_check(*line))
    if as_json:
        print_checks(lines)
    return ExitStatus.ERROR if any(line.passed is False for line in lines) else ExitStatus.OK


def run_config(config: RunConfig, *, as_json: bool) -> int:
    """Run each model on each task in its own folder, print the results and return the highest exit code."""
    results, scored = run_plans(config, config.plan())
    print_results(results, scored, as_json)
    return max(result.exit_status for result in results)


def run_plans(
    config: RunConfig, plans: Sequence[ModelPlan], after_part: AfterPart | None = None
) -> tuple[list[RunResult], list[tuple[Path, Metrics]]]:
    """Run each model on each task in its own folder; return all results, and the metrics of each task and suite.

    Args:
        config: How to run them.
        plans: What to run, as `config.plan()` returns it.
        after_part: Called after each part of a suite, with its group, the folder of the suite and the result.
    """
    from auricle.cli.evaluation import SharedParts, run_evaluation
    from auricle.engine.kept_model import KeptModel
    from auricle.engine.trackers.following import Trackers

    trackers = Trackers(config.log, config.log_project, notify=partial(echo, err=True))
    is_single = sum(len(plan.groups) for plan in plans) == 1
    results: list[RunResult] = []
    scored: list[tuple[Path, Metrics]] = []
    spent = 0.0
    for plan in plans:
        spec = plan.evaluations[0].spec
        limit = None if config.max_cost is None else config.max_cost - spent  # other models have spent a part of it
        budget = opt.build_budget(config.prices, limit, config.judge, (spec.model, spec.model_args))
        with _open_cache(spec, config.cache, config.cache_path) as cache, KeptModel() as kept_model:
            settings = replace(plan.settings, cache=cache)
            for group in plan.groups:
                folder = _choose_folder(group, config, is_single)
                shared = SharedParts(settings=settings, budget=budget, kept_model=kept_model, trackers=trackers)
                run = partial(run_evaluation, config=config, shared=shared)
                report = partial(after_part, group, folder) if after_part else None
                results += _run_group(group, folder, run, is_fresh=config.fresh, after_part=report)
                scored += _collect_metrics(group, folder, results)
                if _is_stopped(results[-1]):
                    break
        if _is_stopped(results[-1]):
            break
        spent += budget.cost if budget else 0.0
    return results, scored


def _is_stopped(result: RunResult) -> bool:
    return result.exit_status == ExitStatus.INTERRUPTED or bool(result.stop_reason)


def _run_group(
    group: EvaluationGroup,
    folder: Path,
    run: Callable[[Evaluation, Path], RunResult],
    *,
    is_fresh: bool,
    after_part: Callable[[RunResult], None] | None = None,
) -> list[RunResult]:
    """Run a task, or the parts of a suite one after the other, until one is interrupted.

    Requests that the model rejects without exception under a condition, such as those without audio, are a result of
    that condition; the others are run nevertheless.
    """
    from auricle.core.files import make_folder
    from auricle.engine.conditions import PERTURB_ARGUMENT
    from auricle.engine.shared_answers import share_clean_answers
    from auricle.runs.suites import write_suite_run

    if suite := group.describe_run(folder):
        make_folder(folder)
        write_suite_run(folder, suite)
    results = []
    for evaluation, path in group.list_folders(folder):
        if not is_fresh and (shared := share_clean_answers(evaluation, path, folder.parent)):
            echo(f"Note: the answers of {shared} are used again.", err=True)
        try:
            results.append(run(evaluation, path))
        except AllRequestsFailed as error:
            if PERTURB_ARGUMENT not in evaluation.spec.task_args:
                raise
            cause = str(error).partition(" No request succeeded")[0]
            echo(f"Note: {evaluation.title} has no result. {cause}", err=True)
            continue
        if _is_stopped(results[-1]):
            break
        if after_part:
            after_part(results[-1])
    return results


def _collect_metrics(group: EvaluationGroup, folder: Path, results: Sequence[RunResult]) -> list[tuple[Path, Metrics]]:
    """Return the metrics of a run, or combine those of the parts of a suite."""
    from auricle import api

    if not results[-1].metrics:
        return []
    return [(folder, api.load_metrics(folder) if group.suite else results[-1].metrics)]


def _choose_folder(group: EvaluationGroup, config: RunConfig, is_single: bool) -> Path:
    """Return the folder of a run or a suite, with a note if other runs have its default name already."""
    folder, conflict = find_folder(group, config, is_single=is_single)
    if conflict:
        taken = Path(config.out or "runs") / group.folder_name
        echo(f"Note: {taken} contains a different run ({conflict}). This run is in {folder}.", err=True)
    return folder


def find_folder(group: EvaluationGroup, config: RunConfig, *, is_single: bool) -> tuple[Path, str]:
    """Return the folder of a run or a suite, and why it is not the default one if other runs are in that."""
    from auricle.runs.run_directory import first_usable

    if config.url:
        return _find_mirror(group, config.url, is_single=is_single), ""
    if is_single and config.out:
        return Path(config.out), ""
    folder = Path(config.out or "runs") / group.folder_name
    describe = partial(_find_conflict, group, is_sharded=config.settings.shards is not None)
    if not (conflict := describe(folder)):
        return folder, ""
    return first_usable(folder, lambda path: not describe(path)), conflict


def _find_mirror(group: EvaluationGroup, url: str, *, is_single: bool) -> Path:
    """Return the local folder of a run in a bucket."""
    from auricle.core.storage import open_storage
    from auricle.runs.shards.mirror import mirror_folder

    if not is_single or group.suite:
        raise SpecError(f"{url} takes one task and one model. Run them one by one, each with a location of its own.")
    return mirror_folder(open_storage(url).url)


def _find_conflict(group: EvaluationGroup, folder: Path, *, is_sharded: bool) -> str:
    """Describe the first run in a folder that a group cannot resume, or return ""."""
    from auricle.engine.factory import build_run_spec
    from auricle.runs.run_directory import contains_run, find_conflict
    from auricle.runs.shards.locations import contains_sharded_run
    from auricle.runs.suites import contains_suite

    if contains_run(folder) and contains_sharded_run(folder) != is_sharded:
        return "it has no shards" if is_sharded else "it is a sharded run"
    if contains_suite(folder) != bool(group.suite) and (contains_suite(folder) or contains_run(folder)):
        return "it is a suite" if contains_suite(folder) else "it is not a suite"
    for evaluation, path in group.list_folders(folder):
        spec = build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer)
        if contains_run(path) and (conflict := find_conflict(path, spec)):
            return conflict
    return ""


def print_results(results: Sequence[RunResult], scored: Sequence[tuple[Path, Metrics]], as_json: bool) -> None:
    """Print the metrics, or with --infer-only --json the progress, of the runs that were started."""
    from auricle.cli.output import print_json
    from auricle.cli.show import print_metrics
    from auricle.runs.documents import to_plain
    from auricle.runs.progress import read_progress

    if scored:
        print_metrics(scored, as_json)
    elif as_json:
        print_json([{"run": str(result.path), **to_plain(read_progress(result.path))} for result in results])


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
