"""Named values from a YAML file, and the line each of them stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.core.errors import SpecError

if TYPE_CHECKING:
    import yaml

EXTENDS = "extends"
DEEPEST = 20  # files that extend one another; more are a circle

Place: TypeAlias = tuple[str | int, ...]
Settle: TypeAlias = Callable[[Path, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Marks:
    """Where the values of a file, and of those it extends, are written."""

    path: Path
    lines: dict[Place, str] = field(default_factory=dict)

    def at(self, place: Place) -> str:
        """`file:line` of a value, or of the nearest thing it is part of."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.lines:
                return self.lines[place[:length]]
        return str(self.path)

    @contextmanager
    def pointing(self, *place: str | int) -> Iterator[None]:
        """Tell with an error on which line the value stands that is to blame for it."""
        try:
            yield
        except SpecError as error:
            raise SpecError(f"{self.at(error.where or place)}: {error}") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """What a file holds, or what is wrong with it in one line."""
    return read_marked(path)[0]


def read_extended(path: Path, settle: Settle) -> tuple[dict[str, Any], Marks]:
    """A file's values over those of the file it extends; `settle` sees each with its own path.

    Mappings are merged, all else is replaced; a value of null takes the name away.
    """
    chain: list[tuple[Path, dict[str, Any], Marks]] = []
    at: Path | None = path
    while at is not None:
        if len(chain) == DEEPEST:
            raise SpecError(f"{path} extends more than {DEEPEST} files: a circle?")
        values, marks = read_marked(at)
        base = values.pop(EXTENDS, None)
        if base is not None and not isinstance(base, str):
            raise SpecError(f"{marks.at((EXTENDS,))}: extends should name one file.")
        chain.append((at, settle(at, values), marks))
        at = at.parent / base if base else None
    merged: dict[str, Any] = {}
    lines: dict[Place, str] = {}
    for _, values, marks in reversed(chain):
        merged = _merged(merged, values)
        lines |= marks.lines
    return merged, Marks(path, lines)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for name, value in over.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(found.get(name), Mapping):
            found[name] = _merged(found[name], value)
        else:
            found[name] = value
    return found


def read_marked(path: Path) -> tuple[dict[str, Any], Marks]:
    """What a file holds, and where."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise SpecError(f"{path} is a folder, not a file.") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not UTF-8 text.") from error
    except yaml.YAMLError as error:
        raise SpecError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise SpecError(f"{path} should hold `name: value` lines.")
    marks = Marks(path)
    _note(node, (), marks)
    return content, marks


def _note(node: yaml.Node, place: Place, marks: Marks) -> None:
    """Note the line of a value and of all within it; a name given twice would lose one of them."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, str(key.value))
            told = f"{marks.path}:{key.start_mark.line + 1}"
            if inner in marks.lines:
                raise SpecError(f"{told}: {key.value} is given twice.")
            marks.lines[inner] = told
            _note(value, inner, marks)
    elif isinstance(node, yaml.SequenceNode):
        for at, value in enumerate(node.value):
            marks.lines[(*place, at)] = f"{marks.path}:{value.start_mark.line + 1}"
            _note(value, (*place, at), marks)
