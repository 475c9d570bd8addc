"""Check what users enter and build the command of a run.

Any model or task in the catalogue may be used, including those of installed plugins, and any model class in a file that
the app may read. What options and task files may name is decided in `permissions`.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.app.permissions import TASK_TEXTS, check_task_file, check_values, find_origins, list_folders
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.core.registry import split_prefix
from auricle.engine.spec import parse_arguments
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import contains_run
from auricle.tasks.catalogue import TASKS

YAML_SUFFIXES = (".yaml", ".yml")
DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet", *YAML_SUFFIXES)
FAKE_MODEL_PREFIXES = ("echo", "fake-")
MAX_RUN_NAME_LENGTH = 120
RUN_NAME_PATTERN = re.compile(r"[\w+][\w.+ -]*(/[\w+][\w.+ -]*){0,3}")


@dataclass(frozen=True, slots=True)
class RunForm:
    """The values of the form that starts a run."""

    run_name: str
    """Folder of the run, relative to the runs folder."""
    model: str
    task: str = ""
    """Name of a task; if empty, `data` and `kind` are set."""
    data: str = ""
    kind: str = ""
    model_options: str = ""
    task_options: str = ""
    limit: int | None = None
    concurrency: int | None = None
    batch_size: int | None = None

    def build_arguments(self, workspace: Workspace) -> list[str]:
        """Return the arguments for `auricle`; raise `SpecError` if a value is invalid or not allowed."""
        arguments = ["run", self._resolve_task_or_data(workspace), "-m", validate_model(workspace, self.model)]
        arguments += self._build_limit_arguments()
        for option in split_options(workspace, self.model_options):
            arguments += ["-M", option]
        for option in split_options(workspace, self.task_options, is_task=True):
            arguments += ["-T", option]
        return [*arguments, "-o", str(resolve_run_folder(workspace, self.run_name))]

    def _resolve_task_or_data(self, workspace: Workspace) -> str:
        if not self.data:
            return validate_task(self.task)
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
    def origins(self) -> list[str]:
        """The servers in the URLs of its options."""
        return list_origins(self.model_options, self.task_options)

    def _build_limit_arguments(self) -> list[str]:
        kind = self.kind if self.data and not self.data.lower().endswith(YAML_SUFFIXES) else None
        options = {"--as": kind, "--limit": self.limit, "--batch-size": self.batch_size,
                   "--concurrency": self.concurrency}  # fmt: skip
        return [str(word) for option in options.items() if option[1] for word in option]


def list_model_names() -> list[str]:
    """List the models of the catalogue by name, fake ones last."""
    return sorted(MODELS, key=lambda name: (name.startswith(FAKE_MODEL_PREFIXES), name))


def describe_model(name: str | None) -> str:
    """Return the summary of a model in the catalogue."""
    return MODELS.summary(name) if name in set(MODELS) else "Custom model class"


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


def validate_task(name: str) -> str:
    if name not in set(TASKS):
        raise SpecError(f"Unknown task {name!r}. Choose one from the list.")
    return name


def validate_model(workspace: Workspace, name: str) -> str:
    """Return the name of a model in the catalogue, or of a class in a file that the app may read."""
    name = name.strip()
    if name in set(MODELS):
        return name
    prefix, code = split_prefix(name)
    file, colon, attribute = code.rpartition(":")
    if not colon or not file.endswith(".py") or not attribute.isidentifier():
        raise SpecError(f"Unknown model {name!r}. Choose one from the list, or enter file.py:Class.")
    path = workspace.resolve_path(file)
    if path is None:
        raise SpecError(f"{file} is outside the folders the app may read. {list_folders(workspace)}")
    return f"{prefix}{path}:{attribute}"


def split_options(workspace: Workspace, text: str, *, is_task: bool = False) -> list[str]:
    """Split the options of a model, or of a task, as a shell would.

    Raises:
        SpecError: If the text cannot be parsed, or an option contains a secret or names something that the app may not
            use.
    """
    options = _split_words(text)
    values = parse_arguments(options)
    redacted = redact(values, hide_generated=not is_task)
    if secrets := [key for key, value in values.items() if redacted[key] != value]:
        raise SpecError(
            f"{', '.join(secrets)} would be stored in plain text. Set an environment variable before starting the app "
            "and name it: api_key_env=VARIABLE, or $VARIABLE in a header."
        )
    check_values(workspace, values, texts=TASK_TEXTS if is_task else frozenset())
    return options


def parse_options(workspace: Workspace, text: str) -> dict[str, Any]:
    """Return the options as a dictionary, after the same checks."""
    return parse_arguments(split_options(workspace, text))


def list_origins(*texts: str) -> list[str]:
    """List the servers in the URLs of options, as the user entered them; none if they cannot be parsed."""
    with suppress(SpecError):
        return find_origins({"options": [parse_arguments(_split_words(text)) for text in texts]})
    return []


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SpecError(f"Invalid options: {error}.") from error
