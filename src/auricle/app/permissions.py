"""Check what the values of a form and of a task file may name: files, code, environment variables and servers.

Files, including Python files, must be in a folder that was named when the app was started, whatever links and `..` are
on the way. Import paths such as `module:function` are rejected. Environment variables must be those with the keys of
known providers, or named with `auricle ui --allow-env`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError
from auricle.core.registry import split_prefix
from auricle.core.yaml_files import EXTENDS, MAX_EXTENDS_DEPTH, read_yaml
from auricle.engine.conditions import PERTURB_ARGUMENT, Condition
from auricle.engine.suites import list_part_files
from auricle.engine.task_options import PROVENANCE_OPTIONS
from auricle.models.http.config import ENV_REFERENCE

KEY_VARIABLES = ("AZURE_OPENAI_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")
"""Environment variables with the keys of known providers."""
TASK_TEXTS = frozenset(
    ("prompt", "question", "system", "stop", "labels", "option", "choices", "templates", "text", "name")
) | frozenset(PROVENANCE_OPTIONS)
"""Task arguments that are texts, in which a slash does not begin a path."""
IMPORT_PATH_PATTERN = re.compile(r"([A-Za-z_]\w*)(\.\w+)*:[A-Za-z_]\w*")
URL_PATTERN = re.compile(r"((?:https?|wss?)://)([^\s/?#,;\"'\\]+)[^\s,;\"']*", re.IGNORECASE)
LIST_SEPARATOR = re.compile(r"[,;\s]+")
PART_SEPARATOR = re.compile(r"[:=,;@\s]")


def check_values(
    workspace: Workspace, values: Mapping[str, Any], base: Path = Path(), texts: frozenset[str] = frozenset()
) -> None:
    """Check the arguments of a model or a task.

    Args:
        workspace: What the app may use.
        values: The arguments, with any nesting.
        base: Folder that relative paths start from.
        texts: Arguments whose strings name nothing.

    Raises:
        SpecError: If a value names something that the app may not use.
    """
    for keys, string in iter_strings(values):
        if keys[-1:] == (PERTURB_ARGUMENT,):
            _check_condition(workspace, string, base)
        elif texts.isdisjoint(keys):
            _check_variables(workspace, keys, string)
            _check_code_and_paths(workspace, ".".join(keys), string, base)


def _check_condition(workspace: Workspace, text: str, base: Path) -> None:
    """Raise `SpecError` if a condition is invalid, or reads a file or folder that the app may not read."""
    for condition in Condition.expand(text):
        for path in condition.list_paths():
            if workspace.resolve_path(base / path) is None:
                raise SpecError(f"{text}: {path} is outside the folders the app may read. {list_folders(workspace)}")


def check_task_file(workspace: Workspace, path: Path) -> None:
    """Check a task file, the files it extends and the task files of a suite in the same way.

    Paths are relative to the file that names them.
    """
    for part in list(_check_extended_files(workspace, path)):
        list(_check_extended_files(workspace, part))  # a suite has no suites as parts


def _check_extended_files(workspace: Workspace, path: Path) -> Iterator[Path]:
    """Check a file and those it extends, and yield the task files that they list as parts of a suite."""
    for _ in range(MAX_EXTENDS_DEPTH):
        values = read_yaml(path)
        extended = values.pop(EXTENDS, None)
        yield from list_part_files(values, path.parent)
        try:
            check_values(workspace, values, path.parent, TASK_TEXTS)
        except SpecError as error:
            raise SpecError(f"{path.name}: {error}") from error
        if not isinstance(extended, str):
            return
        path = path.parent / extended
        if workspace.resolve_path(path) is None:
            raise SpecError(f"extends: {extended} is outside the folders the app may read. {list_folders(workspace)}")
    raise SpecError(f"{path} extends more than {MAX_EXTENDS_DEPTH} files. Check for a cycle.")


def find_origins(values: Mapping[str, Any]) -> list[str]:
    """List the servers in the URLs among the arguments, such as `http://localhost:8000`, without user names."""
    strings = (re.sub(r"[\t\r\n]", "", string) for _, string in iter_strings(values))  # as parsers of URLs do
    urls = (match for string in strings for match in URL_PATTERN.finditer(string))
    return sorted({f"{url[1]}{url[2].rpartition('@')[2]}".lower() for url in urls})


def iter_strings(value: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield all strings in a nested value, including the keys of mappings, each with the keys that lead to it."""
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield keys, str(name)
            yield from iter_strings(item, (*keys, str(name)))
    elif isinstance(value, Sequence):
        for item in value:
            yield from iter_strings(item, keys)


def list_folders(workspace: Workspace) -> str:
    """Say which folders the app may read, and how to add one."""
    folders = ", ".join(map(str, (workspace.root, *workspace.allowed_folders)))
    return f"Readable folders: {folders}. Restart the app with --allow DIR to add one."


def _check_variables(workspace: Workspace, keys: tuple[str, ...], string: str) -> None:
    variables = [string] if keys and keys[-1].endswith("_env") else []
    if "headers" in keys:
        variables += [match[1] or match[2] for match in ENV_REFERENCE.finditer(string)]
    for name in variables:
        if name not in (*KEY_VARIABLES, *workspace.allowed_variables):
            raise SpecError(
                f"{'.'.join(keys)}: the app may not use the environment variable {name!r}. Restart it with "
                f"--allow-env NAME, or use one of: {', '.join((*KEY_VARIABLES, *workspace.allowed_variables))}."
            )


def _check_code_and_paths(workspace: Workspace, name: str, string: str, base: Path) -> None:
    for word in LIST_SEPARATOR.split(string):
        match = IMPORT_PATH_PATTERN.fullmatch(split_prefix(word)[1])
        if match and ".py:" not in word and find_spec(match[1]) is not None:
            raise SpecError(f"{name}={string} contains an import path, {word}. The app only accepts file.py:Class.")
    without_urls = URL_PATTERN.sub(" ", string)
    for part in {without_urls, *PART_SEPARATOR.split(without_urls)}:
        if _looks_like_path(part, base) and workspace.resolve_path(part if part[0] == "~" else base / part) is None:
            raise SpecError(f"{name}={string} is outside the folders the app may read. {list_folders(workspace)}")


def _looks_like_path(text: str, base: Path) -> bool:
    is_explicit = text.startswith(("/", "~", "./", "../")) or "/../" in text
    return is_explicit or (bool(text.strip()) and os.path.lexists(base / text))
