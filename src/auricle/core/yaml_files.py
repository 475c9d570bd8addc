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
MAX_EXTENDS_DEPTH = 20  # files that extend one another; more are a circle

KeyPath: TypeAlias = tuple[str | int, ...]
ResolveValues: TypeAlias = Callable[[Path, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class SourceLocations:
    """Where the values of a file, and of those it extends, are written."""

    path: Path
    locations: dict[KeyPath, str] = field(default_factory=dict)

    def locate(self, key_path: KeyPath) -> str:
        """`file:line` of a value, or of the nearest thing it is part of."""
        for length in range(len(key_path), 0, -1):
            if key_path[:length] in self.locations:
                return self.locations[key_path[:length]]
        return str(self.path)

    @contextmanager
    def annotate_errors(self, *key_path: str | int) -> Iterator[None]:
        """Tell with an error on which line the value stands that is to blame for it."""
        try:
            yield
        except SpecError as error:
            raise SpecError(f"{self.locate(error.location or key_path)}: {error}") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """What a file holds, or what is wrong with it in one line."""
    return read_yaml_with_locations(path)[0]


def read_yaml_with_extends(path: Path, resolve_values: ResolveValues) -> tuple[dict[str, Any], SourceLocations]:
    """A file's values over those of the file it extends; `settle` sees each with its own path.

    Mappings are merged, all else is replaced; a value of null takes the name away.
    """
    chain: list[tuple[Path, dict[str, Any], SourceLocations]] = []
    at: Path | None = path
    while at is not None:
        if len(chain) == MAX_EXTENDS_DEPTH:
            raise SpecError(f"{path} extends more than {MAX_EXTENDS_DEPTH} files: a circle?")
        values, marks = read_yaml_with_locations(at)
        base = values.pop(EXTENDS, None)
        if base is not None and not isinstance(base, str):
            raise SpecError(f"{marks.locate((EXTENDS,))}: extends should name one file.")
        chain.append((at, resolve_values(at, values), marks))
        at = at.parent / base if base else None
    merged: dict[str, Any] = {}
    lines: dict[KeyPath, str] = {}
    for _, values, marks in reversed(chain):
        merged = _merge(merged, values)
        lines |= marks.locations
    return merged, SourceLocations(path, lines)


def _merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for name, value in overrides.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(found.get(name), Mapping):
            found[name] = _merge(found[name], value)
        else:
            found[name] = value
    return found


def read_yaml_with_locations(path: Path) -> tuple[dict[str, Any], SourceLocations]:
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
    marks = SourceLocations(path)
    _record_locations(node, (), marks)
    return content, marks


def _record_locations(node: yaml.Node, key_path: KeyPath, locations: SourceLocations) -> None:
    """Note the line of a value and of all within it; a name given twice would lose one of them."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*key_path, str(key.value))
            told = f"{locations.path}:{key.start_mark.line + 1}"
            if inner in locations.locations:
                raise SpecError(f"{told}: {key.value} is given twice.")
            locations.locations[inner] = told
            _record_locations(value, inner, locations)
    elif isinstance(node, yaml.SequenceNode):
        for at, value in enumerate(node.value):
            locations.locations[(*key_path, at)] = f"{locations.path}:{value.start_mark.line + 1}"
            _record_locations(value, (*key_path, at), locations)
