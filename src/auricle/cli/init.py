"""`auricle init`: write a folder with data, `run.yaml` and a README, from the answers to three questions."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.new import require_empty
from auricle.cli.output import echo, print_result
from auricle.cli.project import (
    EXAMPLE,
    EXAMPLES,
    FAKE_MODELS,
    REMOTE,
    RUN_FOLDER,
    Answers,
    check_project,
    write_project,
)
from auricle.core.errors import AuricleError, ExitStatus, MissingExtra, SpecError

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
