"""`auricle demo` and `auricle init`: a first evaluation, of bundled recognisers or of what the user answers."""

from __future__ import annotations

import math
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.new import require_empty
from auricle.cli.output import echo, print_result
from auricle.core.errors import AuricleError, ExitStatus, MissingExtra, SpecError
from auricle.tasks.demo.project import (
    EXAMPLE,
    EXAMPLES,
    FAKE_MODELS,
    REMOTE,
    RUN_FOLDER,
    Answers,
    check_project,
    write_project,
)

if TYPE_CHECKING:
    from auricle.cli.progress import ProgressFormat
    from auricle.engine.config import RunConfig
    from auricle.engine.plan import ModelPlan
    from auricle.runs.metrics import Metrics
    from auricle.runs.result import RunResult

MAX_SENTENCES_IN_NOISE = 8
MAX_CALLS = 2
"""Calls at the same time; with more of them, the parts of the agent would wait for each other."""
VOICE_INTRODUCTION = (
    "A scripted caller talked to a voice agent of voice activity detection, Moonshine, rules and recorded speech.\n"
    "The agent is simple on purpose: it stops for backchannels and coughs, and begins to speak in pauses.\n"
)
INSTALLED_MODELS = {"asr": "moonshine", "tts": "hibari"}
"""Models with their weights, which are the default for a kind if they are installed."""
SUBJECTS = {
    "asr": "a speech recogniser",
    "mcq": "an audio language model, with multiple-choice questions",
    "qa": "an audio language model, with questions and reference answers",
    "open": "an audio language model, with open questions for a judge",
    "emotion": "an emotion classifier",
    "classify": "any other classifier of sounds",
    "tts": "a speech synthesiser",
    "conversation": "a voice agent",
    "reward": "a model that rates quality",
}
"""What the kinds of tasks that the question lists are for."""


@click.command()
@click.argument("subject", metavar="[voice]", type=click.Choice(["recognition", "voice"]), default="recognition")
@opt.path("-o --out DIR", "Folder for the run directories. [default: runs/demo, or runs/demo-voice]")
@opt.count("--limit N", "Evaluate only the first N recordings or calls. [default: all]")
@opt.fresh_option
@opt.progress_option
@opt.path(
    "--copy-data DIR",
    "Copy the recordings and their manifest to DIR, to try other commands on, and stop. [default: run the demo]",
)
@opt.json_option
def demo(subject: str, out: Path | None, copy_data: Path | None, **options: Any) -> None:
    """Evaluate two small speech recognisers on bundled synthetic speech.

    `auricle demo voice` lets a scripted caller talk to a small voice agent instead.

    Needs no network: the recognisers of the extra `demo` include their weights.
    """
    if copy_data:
        copy_recordings(copy_data, as_json=options["as_json"])
    elif subject == "voice":
        sys.exit(run_voice_demo(out or Path("runs/demo-voice"), **options))
    else:
        sys.exit(run_demo(out or Path("runs/demo"), **options))


def copy_recordings(folder: Path, *, as_json: bool = False) -> None:
    """Copy the recordings and their manifest to a folder that is new or empty, and print how to use them."""
    from auricle.tasks.demo.kinds import FOLDER

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecError(f"{folder} exists and is not an empty folder. Choose another one.")
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    manifest, recordings = folder / "manifest.jsonl", len(list(folder.glob("*.opus")))
    command = f"auricle run {manifest} --as asr -m moonshine -T language=en"
    document = {"path": str(manifest), "rows": recordings, "command": command}
    lines = [f"Copied {recordings} recordings and {manifest}.", f"\nNext step:\n  {command}"]
    print_result(as_json, document, lines)


def run_demo(out: Path, *, limit: int | None, fresh: bool, as_json: bool, progress: ProgressFormat = "auto") -> int:
    """Evaluate each recogniser that is installed, then in noise, print the results and return the exit code."""
    from auricle.cli.run import run_plans
    from auricle.cli.show import print_metrics
    from auricle.studies.audiogram.report import Audiogram, format_audiogram

    results = _run_recognisers(out, limit, fresh, progress)
    folders = [result.path for result in results]
    scored = [(result.path, result.metrics) for result in results if result.metrics]
    in_noise: list[tuple[Path, Metrics]] = []
    if results[-1].exit_status != ExitStatus.INTERRUPTED:
        if not as_json:
            _print_numbers(folders, scored)
        noise_results, in_noise = run_plans(*_plan_noise(out, limit, fresh, progress, folders))
        results += noise_results
    if as_json:
        print_metrics([*scored, *in_noise], as_json=True)
    elif in_noise:
        echo("\nThe first clean sentences again, in more and more noise:\n")
        echo("\n".join(format_audiogram(Audiogram.from_metrics([metrics for _, metrics in in_noise]))))
    if not as_json:
        _print_next_steps(folders, in_noise)
    return max(result.exit_status for result in results)


def run_voice_demo(
    out: Path, *, limit: int | None, fresh: bool, as_json: bool, progress: ProgressFormat = "auto"
) -> int:
    """Call the voice agent of the demo, print the results and return the exit code."""
    from auricle.cli.evaluation import run_evaluation
    from auricle.cli.show import print_metrics
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.engine.settings import Settings
    from auricle.tasks.demo.kinds import VOICE_AGENT, VOICE_AGENT_ARGUMENTS

    config = RunConfig(
        task=("demo-voice",),
        model=(ModelConfig(model=VOICE_AGENT, model_args=dict(VOICE_AGENT_ARGUMENTS)),),
        limit=limit,
        fresh=fresh,
        progress=progress,
        settings=Settings(concurrency=MAX_CALLS),
    )
    if not as_json:
        echo(
            "A scripted caller talks to a voice agent of local parts, as fast as people talk: about a minute.", err=True
        )
    result = run_evaluation(config.prepare()[0], out, config)
    scored = [(result.path, result.metrics)] if result.metrics else []
    if as_json:
        print_metrics(scored, as_json=True)
    else:
        echo(VOICE_INTRODUCTION)
        print_metrics(scored, as_json=False)
        echo(f"\nListen to the calls, with a timeline of who spoke when:\n  {result.path / 'report.html'}")
        echo(f"\nNext steps:\n  auricle samples {result.path}")
    return result.exit_status


def _run_recognisers(out: Path, limit: int | None, fresh: bool, progress: ProgressFormat) -> list[RunResult]:
    """Run the recognisers that are installed, each in its own folder, until one is interrupted."""
    from auricle.cli.evaluation import run_evaluation
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.tasks.demo.kinds import DEMO_MODELS

    results: list[RunResult] = []
    for model, arguments in DEMO_MODELS.items():
        config = RunConfig(
            task=("demo",),
            model=(ModelConfig(model=model, model_args=dict(arguments)),),
            limit=limit,
            fresh=fresh,
            progress=progress,
        )
        try:
            results.append(run_evaluation(config.prepare()[0], out / model, config))
        except MissingExtra as error:
            echo(f"Skipped {model}: {error}", err=True)
            continue
        if results[-1].exit_status == ExitStatus.INTERRUPTED:
            break
    if not results:
        raise SpecError("The demo recognisers are not installed: pip install 'auricle[demo]'.")
    return results


def _plan_noise(
    out: Path, limit: int | None, fresh: bool, progress: ProgressFormat, folders: Sequence[Path]
) -> tuple[RunConfig, list[ModelPlan]]:
    """Plan the runs of the same recognisers on the first clean sentences in noise."""
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.tasks.demo.kinds import DEMO_CONDITIONS, DEMO_MODELS, SUBSETS

    models = (folder.name for folder in folders)
    config = RunConfig(
        task=("demo",),
        task_args={"subset": "clean"},
        model=tuple(ModelConfig(model=model, model_args=dict(DEMO_MODELS[model])) for model in models),
        perturb=DEMO_CONDITIONS,
        limit=min(MAX_SENTENCES_IN_NOISE, math.ceil(limit / len(SUBSETS)) if limit else MAX_SENTENCES_IN_NOISE),
        out=out / "in-noise",
        fresh=fresh,
        progress=progress,
    )
    return config, config.plan()


def _print_numbers(folders: Sequence[Path], scored: Sequence[tuple[Path, Metrics]]) -> None:
    from auricle.cli.show import print_metrics

    models = " and ".join(folder.name for folder in folders)
    echo(
        f"Transcribed synthetic English sentences (clean and noisy) with {models}, and scored the transcripts.\n"
        "The speech is synthetic: these numbers show how Auricle works, not how good the models are.\n"
    )
    print_metrics(scored, as_json=False, by=("subset",))
    echo("")


def _print_next_steps(folders: Sequence[Path], in_noise: Sequence[tuple[Path, Metrics]]) -> None:
    echo(f"\nNext steps:\n  auricle samples {folders[0]} --worst 3")
    if len(folders) == 2:
        echo(f"  auricle compare {folders[1]} {folders[0]}")
    if len(in_noise) == 2:
        echo(f"  auricle compare {in_noise[1][0]} {in_noise[0][0]} --html noise.html")


# --- auricle init ---------------------------------------------------------------------------


@click.command()
@click.argument("folder", type=opt.any_path, default="evaluation")
@opt.registered_name(
    "--kind",
    "What is evaluated, as with --as of `auricle run`. [default: asked]",
    "auricle.engine.catalogue:TASK_KINDS",
)
@opt.text("--data FILE|example", "Data file or hf:DATASET, or example for bundled recordings. [default: asked]")
@opt.text("-m --model MODEL", f"{opt.MODEL_HELP} [default: asked]")
@opt.task_args_option
@opt.model_args_option
@opt.flag("--yes", "Answer every question that no option answers with its default.")
@opt.json_option
def init(folder: Path, yes: bool, as_json: bool, **options: Any) -> None:
    """Write a folder with data, a config and a README, to evaluate a model.

    Asks what to evaluate, on which data and with which model; each question can be answered by an option. To write a
    package that adds a benchmark, a model or a metric to Auricle, use `auricle new`.
    """
    require_empty(folder, "Choose another one: auricle init FOLDER.")
    answers = collect_answers(options, _choose_default if yes else _ask)
    with TemporaryDirectory() as scratch:
        project = Path(scratch)
        write_project(project, answers, title=folder.resolve().name)
        notes = check_project(project, answers)
        shutil.copytree(project, folder, dirs_exist_ok=True)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    commands = [f"cd {shlex.quote(str(folder))}", "auricle run run.yaml", f"auricle open {RUN_FOLDER}"]
    document = {"folder": str(folder), "files": list(map(str, files)), "commands": commands, "notes": notes}
    lines = [f"Wrote {folder}. Next:", *(f"  {command}" for command in commands), *(f"Note: {note}" for note in notes)]
    print_result(as_json, document, lines)


Ask = Callable[[str, str, str, Callable[[str], str]], str]
"""Returns the answer to a question: its option, text, default answer and a function that checks and completes it."""


def collect_answers(options: Mapping[str, Any], ask: Ask) -> Answers:
    """Return the values of the options, and the answers to questions for those that are missing."""
    from auricle.engine.spec import parse_arguments

    kinds = "\n".join(f"  {kind:<13} {subject}" for kind, subject in SUBJECTS.items())
    question = f"What do you evaluate?\n{kinds}\n  or another kind of `auricle list task-kinds`"
    kind = options["kind"] or ask("--kind", question, "asr", check_kind)
    check_data = partial(resolve_data, kind=kind)
    example = EXAMPLE if kind in EXAMPLES else ""
    question = f"Where is your data? A file, {'hf:DATASET, or example' if example else 'or hf:DATASET'}"
    data = check_data(options["data"]) if options["data"] else ask("--data", question, example, check_data)
    question = "Which model? See `auricle list models`"
    given = options["model"]
    model = check_model(given) if given else ask("--model", question, _default_model(kind), check_model)
    task_args = parse_arguments(options["task_args"])
    model_args = opt.parse_model_args(options, model)
    for name in find_missing(model, model_args):
        model_args[name] = ask(f"-M {name}=VALUE", f"Argument {name} of the model {model}", "", str)
    return Answers(kind, data, model, task_args, model_args)


def is_interactive() -> bool:
    """Return whether questions can be asked."""
    return sys.stdin.isatty()


def _ask(option: str, question: str, default: str, check: Callable[[str], str]) -> str:
    """Ask on the terminal until the answer is valid."""
    if not is_interactive():
        raise SpecError(f"Missing {option}, and there is no terminal to ask on. Add it, or --yes for defaults.")
    while True:
        try:
            answer: str = click.prompt(question, default=default or None, err=True)
        except click.Abort:
            echo("\nauricle: Interrupted. Nothing was written.", err=True)
            sys.exit(ExitStatus.INTERRUPTED)
        try:
            return check(answer.strip())
        except AuricleError as error:
            echo(str(error), err=True)


def _choose_default(option: str, question: str, default: str, check: Callable[[str], str]) -> str:
    if not default:
        raise SpecError(f"There is no default for {option}. Add {option}.")
    return check(default)


def check_kind(kind: str) -> str:
    """Return a kind of task.

    Raises:
        UnknownName: if there is none of that name.
    """
    from auricle.engine.catalogue import TASK_KINDS

    TASK_KINDS.get(kind)
    return kind


def resolve_data(data: str, *, kind: str) -> str:
    """Return where the data is, independent of the working directory.

    Raises:
        SpecError: if there is no such file, or no example for the kind.
    """
    if data == EXAMPLE:
        if kind not in EXAMPLES:
            kinds = ", ".join(EXAMPLES)
            raise SpecError(f"There is no example data for {kind}. Name a data file, or choose one of: {kinds}.")
        return data
    path = Path(data).expanduser()
    if data.startswith(REMOTE):
        return data
    if not path.exists():
        raise SpecError(f"There is no file {data}. Name a data file, hf:DATASET or {EXAMPLE}.")
    return str(path.resolve())


def check_model(model: str) -> str:
    """Return the name of a model; the path of a file is made absolute.

    Raises:
        UnknownName: if there is none of that name.
    """
    from auricle.models.catalogue import MODELS

    file, colon, name = model.rpartition(":")
    if colon and file.endswith(".py") and Path(file).is_file():
        model = f"{Path(file).resolve()}:{name}"
    with suppress(MissingExtra):  # `check_project` has a note on it
        MODELS.get(model)
    return model


def find_missing(model: str, arguments: Mapping[str, Any]) -> list[str]:
    """List the arguments that a model requires and that are not given."""
    from auricle.core.arguments import describe_arguments, list_missing
    from auricle.models import adapt
    from auricle.models.catalogue import MODELS

    try:
        return list_missing(describe_arguments(adapt(MODELS.get(model))), arguments)
    except MissingExtra:
        return []


def _default_model(kind: str) -> str:
    """Return a model that is installed with its weights, or else the fake one."""
    from auricle.models import adapt
    from auricle.models.availability import describe_readiness
    from auricle.models.catalogue import MODELS

    model = INSTALLED_MODELS.get(kind, FAKE_MODELS[0])
    try:
        return model if describe_readiness(adapt(MODELS.get(model)), {})[0] else FAKE_MODELS[0]
    except MissingExtra:
        return FAKE_MODELS[0]
