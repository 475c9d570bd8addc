"""From a form to words of the command line: only models, data and folders the app may use.

Names of the catalogue and of installed plugins may be said by anybody. Files, also those of code,
have to lie in a folder that was named when the app was started; code is not named in other ways.
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
from auricle.tasks.catalogue import TASKS

DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".yaml", ".yml")
RUN_NAME_PATTERN = re.compile(r"[\w+][\w.+ -]*(/[\w+][\w.+ -]*){0,3}")
IMPORT_PATH_PATTERN = re.compile(r"([A-Za-z_]\w*)(\.\w+)*:[A-Za-z_]\w*")
URL_PATTERN = re.compile(r"(https?|wss?)://[\w.-]")
SEPARATOR_PATTERN = re.compile(r"[:=,;@\s]")


@dataclass(frozen=True, slots=True)
class RunForm:
    """A benchmark somebody wants run."""

    run_name: str
    """The name of its folder on the shelf."""
    model: str
    task: str = ""
    """A name, or else `data` is given with its kind."""
    data: str = ""
    kind: str = ""
    model_options: str = ""
    task_options: str = ""
    limit: int | None = None
    concurrency: int | None = None
    batch_size: int | None = None

    def build_arguments(self, workspace: Workspace) -> list[str]:
        """The command that does it, or what of it cannot be."""
        told = ["run", self._resolve_task_or_data(workspace), "-m", validate_model(workspace, self.model)]
        told += self._build_limit_arguments()
        for letter, text in (("-M", self.model_options), ("-T", self.task_options)):
            for word in split_options(workspace, text):
                told += [letter, word]
        return [*told, "-o", str(resolve_run_folder(workspace, self.run_name))]

    def _resolve_task_or_data(self, workspace: Workspace) -> str:
        if not self.data:
            return validate_task(self.task)
        path = workspace.resolve_path(self.data)
        if path is None or path.suffix.lower() not in DATA_SUFFIXES:
            raise SpecError(
                f"{self.data!r} is no {', '.join(DATA_SUFFIXES)} file in a folder this app may read. "
                f"{_describe_readable_folders(workspace)}"
            )
        return str(path)

    def _build_limit_arguments(self) -> list[str]:
        kind = self.kind if self.data and not self.data.endswith((".yaml", ".yml")) else None
        given = {"--as": kind, "--limit": self.limit, "--batch-size": self.batch_size,
                 "--concurrency": self.concurrency}  # fmt: skip
        return [str(word) for pair in given.items() if pair[1] for word in pair]


def validate_run_name(name: str) -> str:
    """A name under which a run may be kept: words, maybe in folders."""
    name = name.strip()
    if not RUN_NAME_PATTERN.fullmatch(name) or len(name) > 120:
        raise SpecError(f"{name!r} is no name for a run: letters, digits, '.', '-', '+' and '/', no '..'.")
    if name.partition("/")[0] == "demo":
        raise SpecError("The folder demo is the demo's own; give this run another name.")
    return name


def resolve_run_folder(workspace: Workspace, name: str) -> Path:
    """Where a run of that name is to be; not inside another, where nobody would find it."""
    folder = workspace.root / validate_run_name(name)
    if not folder.resolve().is_relative_to(workspace.root):
        raise SpecError(f"{name!r} leads out of the runs folder.")
    for above in folder.relative_to(workspace.root).parents:
        if (workspace.root / above / "spec.json").exists():
            raise SpecError(f"{above} is a run itself; give this one another name.")
    return folder


def validate_task(name: str) -> str:
    if name not in set(TASKS):
        raise SpecError(f"No task called {name!r}.")
    return name


def validate_model(workspace: Workspace, name: str) -> str:
    """A model's name if it may be used here: the catalogue's, or a class in a file that may be."""
    name = name.strip()
    if name in set(MODELS):
        return name
    prefix, code = split_prefix(name)
    file, colon, attribute = code.rpartition(":")
    if not colon or not file.endswith(".py") or not attribute.isidentifier():
        raise SpecError(f"No model called {name!r}: choose a name of the list, or file.py:Class.")
    path = workspace.resolve_path(file)
    if path is None:
        raise SpecError(f"{file} is in no folder this app may read. {_describe_readable_folders(workspace)}")
    return f"{prefix}{path}:{attribute}"


def split_options(workspace: Workspace, text: str) -> list[str]:
    """`key=value` words, as a shell would part them; paths are looked at, secrets refused."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"The options cannot be read: {error}.") from error
    for key, value in parse_arguments(words).items():
        if SECRET_NAME.search(key) and value:
            raise SpecError(
                f"{key} would be written down. Put the secret into an environment variable before "
                f"starting the app, and say {key}_env=VARIABLE."
            )
        for each in _iter_strings(value):
            _check_option_value(workspace, key, each)
    return words


def parse_options(workspace: Workspace, text: str) -> dict[str, Any]:
    """The same as arguments."""
    return parse_arguments(split_options(workspace, text))


def _iter_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from (str(name), *_iter_strings(each))
    elif isinstance(value, Sequence):
        for each in value:
            yield from _iter_strings(each)


def _check_option_value(workspace: Workspace, key: str, value: str) -> None:
    """Refuse paths elsewhere, and code."""
    if (code := IMPORT_PATH_PATTERN.fullmatch(value)) and find_spec(code[1]) is not None:
        raise SpecError(f"{key}={value} names code; this app takes file.py:Class alone.")
    for piece in () if URL_PATTERN.match(value) else {value, *SEPARATOR_PATTERN.split(value)}:
        if _looks_like_path(piece) and workspace.resolve_path(piece) is None:
            raise SpecError(f"{key}={value} is in no folder this app may read. {_describe_readable_folders(workspace)}")


def _looks_like_path(text: str) -> bool:
    """Does this lead to a file, or try to?"""
    if text.startswith(("/", "~", "./", "../")) or "/../" in text:
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _describe_readable_folders(workspace: Workspace) -> str:
    known = ", ".join(map(str, (workspace.root, *workspace.allowed_folders)))
    return f"It may read {known}; start it with --allow DIR for more."
