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

from auricle.app.workspace import Shelf
from auricle.core.errors import SpecError
from auricle.core.redaction import SECRET
from auricle.core.registry import split_prefix
from auricle.engine.spec import parse_arguments
from auricle.models.catalogue import MODELS
from auricle.tasks.catalogue import TASKS

DATA = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".yaml", ".yml")
RUN_NAME = re.compile(r"[\w+][\w.+ -]*(/[\w+][\w.+ -]*){0,3}")
CODE = re.compile(r"([A-Za-z_]\w*)(\.\w+)*:[A-Za-z_]\w*")
ADDRESS = re.compile(r"(https?|wss?)://[\w.-]")
PIECES = re.compile(r"[:=,;@\s]")


@dataclass(frozen=True, slots=True)
class Order:
    """A benchmark somebody wants run."""

    run: str
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

    def words(self, shelf: Shelf) -> list[str]:
        """The command that does it, or what of it cannot be."""
        told = ["run", self._subject(shelf), "-m", model_of(shelf, self.model)]
        told += self._numbers()
        for letter, text in (("-M", self.model_options), ("-T", self.task_options)):
            for word in option_words(shelf, text):
                told += [letter, word]
        return [*told, "-o", str(folder_of(shelf, self.run))]

    def _subject(self, shelf: Shelf) -> str:
        if not self.data:
            return task_of(self.task)
        path = shelf.file(self.data)
        if path is None or path.suffix.lower() not in DATA:
            raise SpecError(
                f"{self.data!r} is no {', '.join(DATA)} file in a folder this app may read. "
                f"{_folders(shelf)}"
            )
        return str(path)

    def _numbers(self) -> list[str]:
        kind = self.kind if self.data and not self.data.endswith((".yaml", ".yml")) else None
        given = {"--as": kind, "--limit": self.limit, "--batch-size": self.batch_size,
                 "--concurrency": self.concurrency}  # fmt: skip
        return [str(word) for pair in given.items() if pair[1] for word in pair]


def run_name(name: str) -> str:
    """A name under which a run may be kept: words, maybe in folders."""
    name = name.strip()
    if not RUN_NAME.fullmatch(name) or len(name) > 120:
        raise SpecError(
            f"{name!r} is no name for a run: letters, digits, '.', '-', '+' and '/', no '..'."
        )
    if name.partition("/")[0] == "demo":
        raise SpecError("The folder demo is the demo's own; give this run another name.")
    return name


def folder_of(shelf: Shelf, name: str) -> Path:
    """Where a run of that name is to be; not inside another, where nobody would find it."""
    folder = shelf.root / run_name(name)
    if not folder.resolve().is_relative_to(shelf.root):
        raise SpecError(f"{name!r} leads out of the runs folder.")
    for above in folder.relative_to(shelf.root).parents:
        if (shelf.root / above / "spec.json").exists():
            raise SpecError(f"{above} is a run itself; give this one another name.")
    return folder


def task_of(name: str) -> str:
    if name not in set(TASKS):
        raise SpecError(f"No task called {name!r}.")
    return name


def model_of(shelf: Shelf, name: str) -> str:
    """A model's name if it may be used here: the catalogue's, or a class in a file that may be."""
    name = name.strip()
    if name in set(MODELS):
        return name
    prefix, code = split_prefix(name)
    file, colon, attribute = code.rpartition(":")
    if not colon or not file.endswith(".py") or not attribute.isidentifier():
        raise SpecError(f"No model called {name!r}: choose a name of the list, or file.py:Class.")
    path = shelf.file(file)
    if path is None:
        raise SpecError(f"{file} is in no folder this app may read. {_folders(shelf)}")
    return f"{prefix}{path}:{attribute}"


def option_words(shelf: Shelf, text: str) -> list[str]:
    """`key=value` words, as a shell would part them; paths are looked at, secrets refused."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SpecError(f"The options cannot be read: {error}.") from error
    for key, value in parse_arguments(words).items():
        if SECRET.search(key) and value:
            raise SpecError(
                f"{key} would be written down. Put the secret into an environment variable before "
                f"starting the app, and say {key}_env=VARIABLE."
            )
        for each in _strings(value):
            _refuse(shelf, key, each)
    return words


def options(shelf: Shelf, text: str) -> dict[str, Any]:
    """The same as arguments."""
    return parse_arguments(option_words(shelf, text))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from (str(name), *_strings(each))
    elif isinstance(value, Sequence):
        for each in value:
            yield from _strings(each)


def _refuse(shelf: Shelf, key: str, value: str) -> None:
    """Refuse paths elsewhere, and code."""
    if (code := CODE.fullmatch(value)) and find_spec(code[1]) is not None:
        raise SpecError(f"{key}={value} names code; this app takes file.py:Class alone.")
    for piece in () if ADDRESS.match(value) else {value, *PIECES.split(value)}:
        if _is_path(piece) and shelf.file(piece) is None:
            raise SpecError(f"{key}={value} is in no folder this app may read. {_folders(shelf)}")


def _is_path(piece: str) -> bool:
    """Does this lead to a file, or try to?"""
    if piece.startswith(("/", "~", "./", "../")) or "/../" in piece:
        return True
    try:
        return bool(piece) and Path(piece).exists()
    except (OSError, ValueError):
        return False


def _folders(shelf: Shelf) -> str:
    known = ", ".join(map(str, (shelf.root, *shelf.allowed)))
    return f"It may read {known}; start it with --allow DIR for more."
