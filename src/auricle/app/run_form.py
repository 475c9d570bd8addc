"""Check what users enter and build the command of a run.

Any model or task in the catalogue may be used, including those of installed plugins, and any model class in a file that
the app may read. What options and task files may name is decided in `permissions`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.app.permissions import TASK_TEXTS, check_task_file, check_values, find_origins, list_folders
from auricle.app.workspace import Workspace
from auricle.core.arguments import Argument, describe_arguments, find_problem, list_missing
from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.core.registry import Registry, name_to_title, split_prefix
from auricle.core.source_files import describe_class_path
from auricle.engine.catalogue import TASK_KINDS, TASKS
from auricle.engine.conditions import PERTURB_ARGUMENT
from auricle.engine.factory import display_name
from auricle.engine.spec import format_arguments, parse_arguments
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import contains_run

YAML_SUFFIXES = (".yaml", ".yml")
SEGMENT_SUFFIXES = (".rttm", ".stm", ".ctm", ".seglst")
DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet", *SEGMENT_SUFFIXES, *YAML_SUFFIXES)
MAX_RUN_NAME_LENGTH = 120
RUN_NAME_PATTERN = re.compile(r"[\w+][\w.+ -]*(/[\w+][\w.+ -]*){0,3}")


LABELS = {
    "api_key_env": "Environment variable with the API key",
    "base_url": "URL of the server",
    "dtype": "Number format",
    "model": "Model name",
    "root": "Root folder",
    "task": "Transcribe or translate",
    "vad_threshold": "Threshold of voice activity detection",
}
"""Labels of arguments whose names are not words."""


def label_of(argument: Argument) -> str:
    """Return the label of the field of an argument."""
    return "Weights" if argument.kind == "weights" else LABELS.get(argument.name, name_to_title(argument.name))


@dataclass(frozen=True, slots=True)
class RunForm:
    """The values of the form that starts a run."""

    run_name: str
    """Folder of the run, relative to the runs folder."""
    model: str
    task: str = ""
    """Name of a task, or `file.py:Class`; if empty, `data` and `kind` are set."""
    data: str = ""
    kind: str = ""
    model_arguments: dict[str, Any] = field(default_factory=dict)
    task_arguments: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    concurrency: int | None = None
    batch_size: int | None = None
    perturb: tuple[str, ...] = ()
    """Conditions under which the task is run besides the unchanged one."""

    def build_arguments(self, workspace: Workspace) -> list[str]:
        """Return the arguments for `auricle`; raise `SpecError` if a value is invalid or not allowed."""
        arguments = ["run", self._resolve_task_or_data(workspace), "-m", validate_model(workspace, self.model)]
        kind = self.kind if self.data and not self.is_task_file else None
        options = {"--as": kind, "--limit": self.limit, "--batch-size": self.batch_size,
                   "--concurrency": self.concurrency}  # fmt: skip
        arguments += [str(word) for option in options.items() if option[1] for word in option]
        check_arguments(workspace, self.model_arguments)
        check_arguments(workspace, self.task_arguments, is_task=True)
        for option, values in (("-M", self.model_arguments), ("-T", self.task_arguments)):
            arguments += [word for text in format_arguments(values) for word in (option, text)]
        check_values(workspace, {PERTURB_ARGUMENT: list(self.perturb)})
        arguments += [word for condition in self.perturb for word in ("--perturb", condition)]
        return [*arguments, "-o", str(resolve_run_folder(workspace, self.run_name))]

    def format_command(self, workspace: Workspace) -> str:
        """Return the command line that starts the same run in a shell."""
        return shlex.join(("auricle", *self.build_arguments(workspace)))

    def find_problem(self, workspace: Workspace) -> str:
        """Return the first reason why the run cannot be started, or an empty string; the data is not read."""
        try:
            for owner, described, values in (
                (self.task or self.kind, describe_task(workspace, self), self.task_arguments),
                (self.model, describe_model_arguments(workspace, self.model), self.model_arguments),
            ):
                if missing := list_missing(described, values):
                    argument = next(argument for argument in described if argument.name == missing[0])
                    return f"{display_name(owner)}: {label_of(argument)} is missing. {argument.help}".rstrip()
                if problem := find_problem(described, values):
                    return f"{display_name(owner)}: {problem}."
            self.build_arguments(workspace)
        except SpecError as error:
            return str(error)
        return ""

    def _resolve_task_or_data(self, workspace: Workspace) -> str:
        if not self.data:
            return validate_task(workspace, self.task)
        path = workspace.resolve_path(self.data)
        if path is None or path.suffix.lower() not in DATA_SUFFIXES:
            raise SpecError(
                f"Cannot use {self.data!r}: expected a {', '.join(DATA_SUFFIXES)} file in a folder the app may read. "
                f"{list_folders(workspace)}"
            )
        if path.suffix.lower() in YAML_SUFFIXES:
            check_task_file(workspace, path)
        return str(path)

    @property
    def is_task_file(self) -> bool:
        """Whether the data is a task file, which has its own kind."""
        return self.data.lower().endswith(YAML_SUFFIXES)

    @property
    def origins(self) -> list[str]:
        """The servers in the URLs of its arguments."""
        return find_origins({"arguments": [self.model_arguments, self.task_arguments]})


def describe_model_arguments(workspace: Workspace, name: str) -> list[Argument]:
    """Describe the arguments of a model; a class in a file is described by its source, which is not executed."""
    name = validate_model(workspace, name)
    if name in set(MODELS):
        return describe_arguments(MODELS.get(name))
    return describe_class_path(split_prefix(name)[1])


def describe_task(workspace: Workspace, form: RunForm) -> list[Argument]:
    """Describe the arguments of the task of a form, or of the kind of its data."""
    if form.data:
        arguments = [] if form.is_task_file else describe_arguments(TASK_KINDS.get(form.kind))
        return [argument for argument in arguments if argument.name != "data"]
    name = validate_task(workspace, form.task)
    if name in set(TASKS) or split_prefix(name)[0]:
        return describe_arguments(TASKS.get(name))
    return describe_class_path(name)


def validate_run_name(name: str) -> str:
    """Return the name without surrounding spaces, or raise `SpecError` if it cannot be used for a run."""
    name = name.strip()
    if not RUN_NAME_PATTERN.fullmatch(name) or len(name) > MAX_RUN_NAME_LENGTH:
        raise SpecError(
            f"Invalid run name {name!r}. Use up to {MAX_RUN_NAME_LENGTH} letters, digits, spaces and '.', '-', '+' or "
            "'/'; '..' is not allowed."
        )
    if name.partition("/")[0] == "demo":
        raise SpecError("The name 'demo' is reserved for the demo. Choose another run name.")
    return name


def resolve_run_folder(workspace: Workspace, name: str) -> Path:
    """Return the folder for a run of this name; it must not be inside another run."""
    folder = workspace.root / validate_run_name(name)
    if not folder.resolve().is_relative_to(workspace.root):
        raise SpecError(f"Run name {name!r} points outside the runs folder. Choose another name.")
    for parent in folder.relative_to(workspace.root).parents:
        if contains_run(workspace.root / parent):
            raise SpecError(f"{parent} is already a run, and runs cannot be nested. Choose another name.")
    return folder


def validate_task(workspace: Workspace, name: str) -> str:
    """Return the name of a task in the catalogue, or of a class or function in a file that the app may read."""
    return _validate_name(workspace, name, "task", TASKS)


def validate_model(workspace: Workspace, name: str) -> str:
    """Return the name of a model in the catalogue, or of a class or function in a file that the app may read."""
    return _validate_name(workspace, name, "model", MODELS)


def _validate_name(workspace: Workspace, name: str, kind: str, registry: Registry[Any]) -> str:
    name = name.strip()
    if name in set(registry):
        return name
    prefix, code = split_prefix(name)
    file, colon, attribute = code.rpartition(":")
    if not colon or not file.endswith(".py") or not attribute.isidentifier():
        raise SpecError(f"Unknown {kind} {name!r}. Choose one from the list, or a class in a file: file.py:Class.")
    if prefix and prefix.rstrip(":") not in registry.prefixes():
        raise SpecError(f"{prefix} is not a prefix of {kind}s. Use one of: {', '.join(registry.prefixes())}.")
    path = workspace.resolve_path(file)
    if path is None:
        raise SpecError(f"{file} is outside the folders the app may read. {list_folders(workspace)}")
    return f"{prefix}{path}:{attribute}"


def check_arguments(workspace: Workspace, values: Mapping[str, Any], *, is_task: bool = False) -> None:
    """Check the arguments of a model, or of a task.

    Raises:
        SpecError: If a value contains a secret or names something that the app may not use.
    """
    redacted = redact(values, hide_generated=not is_task)
    if secrets := [key for key, value in values.items() if redacted[key] != value]:
        raise SpecError(
            f"{', '.join(secrets)} would be stored in plain text. Set an environment variable before starting the app "
            "and name it: api_key_env=VARIABLE, or $VARIABLE in a header."
        )
    check_values(workspace, values, texts=TASK_TEXTS if is_task else frozenset())


def parse_options(text: str) -> dict[str, Any]:
    """Parse `key=value` words as a shell and the command line do.

    Raises:
        SpecError: If the text cannot be parsed.
    """
    try:
        return parse_arguments(shlex.split(text))
    except ValueError as error:
        raise SpecError(f"Invalid options: {error}.") from error
