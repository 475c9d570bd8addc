"""Check what users enter and build the command of a run.

Any model or task in the catalogue may be used, including those of installed plugins. Files, including Python files with
a model class, must be in a folder that was named when the app was started. Import paths such as `module:Class` are
rejected.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError
from auricle.core.redaction import SECRET_NAME
from auricle.core.registry import split_prefix
from auricle.engine.spec import parse_arguments
from auricle.models.catalogue import MODELS
from auricle.runs.run_directory import contains_run
from auricle.tasks.catalogue import TASKS

DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".yaml", ".yml")
FAKE_MODEL_PREFIXES = ("echo", "fake-")
MAX_RUN_NAME_LENGTH = 120
RUN_NAME_PATTERN = re.compile(r"[\w+][\w.+ -]*(/[\w+][\w.+ -]*){0,3}")
IMPORT_PATH_PATTERN = re.compile(r"([A-Za-z_]\w*)(\.\w+)*:[A-Za-z_]\w*")
URL_PATTERN = re.compile(r"(https?|wss?)://[\w.-]")
SEPARATOR_PATTERN = re.compile(r"[:=,;@\s]")


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
        for flag, text in (("-M", self.model_options), ("-T", self.task_options)):
            for option in split_options(workspace, text):
                arguments += [flag, option]
        return [*arguments, "-o", str(resolve_run_folder(workspace, self.run_name))]

    def _resolve_task_or_data(self, workspace: Workspace) -> str:
        if not self.data:
            return validate_task(self.task)
        path = workspace.resolve_path(self.data)
        if path is None or path.suffix.lower() not in DATA_SUFFIXES:
            raise SpecError(
                f"Cannot use {self.data!r}: expected a {', '.join(DATA_SUFFIXES)} file in a folder the app may read. "
                f"{_describe_readable_folders(workspace)}"
            )
        return str(path)

    def _build_limit_arguments(self) -> list[str]:
        kind = self.kind if self.data and not self.data.endswith((".yaml", ".yml")) else None
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
        raise SpecError(f"{file} is outside the folders the app may read. {_describe_readable_folders(workspace)}")
    return f"{prefix}{path}:{attribute}"


def split_options(workspace: Workspace, text: str) -> list[str]:
    """Split a text into `key=value` options, as a shell would.

    Raises:
        SpecError: If the text cannot be parsed, or an option contains a secret, an import path or a path that the app
            may not read.
    """
    try:
        options = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"Invalid options: {error}.") from error
    for key, value in parse_arguments(options).items():
        if SECRET_NAME.search(key) and value:
            raise SpecError(
                f"{key} would be stored in plain text. Set an environment variable before starting the app and use "
                f"{key}_env=VARIABLE."
            )
        for string in iter_strings(value):
            _check_option_value(workspace, key, string)
    return options


def parse_options(workspace: Workspace, text: str) -> dict[str, Any]:
    """Return the options as a dictionary, after the same checks."""
    return parse_arguments(split_options(workspace, text))


def iter_strings(value: Any) -> Iterator[str]:
    """Yield all strings in a nested value, including the keys of mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (str(name), *iter_strings(item))
    elif isinstance(value, Sequence):
        for item in value:
            yield from iter_strings(item)


def _check_option_value(workspace: Workspace, key: str, value: str) -> None:
    if (match := IMPORT_PATH_PATTERN.fullmatch(value)) and find_spec(match[1]) is not None:
        raise SpecError(f"{key}={value} is an import path. The app only accepts file.py:Class.")
    for part in () if URL_PATTERN.match(value) else {value, *SEPARATOR_PATTERN.split(value)}:
        if _looks_like_path(part) and workspace.resolve_path(part) is None:
            raise SpecError(
                f"{key}={value} is outside the folders the app may read. {_describe_readable_folders(workspace)}"
            )


def _looks_like_path(text: str) -> bool:
    if text.startswith(("/", "~", "./", "../")) or "/../" in text:
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _describe_readable_folders(workspace: Workspace) -> str:
    folders = ", ".join(map(str, (workspace.root, *workspace.allowed_folders)))
    return f"Readable folders: {folders}. Restart the app with --allow DIR to add one."
