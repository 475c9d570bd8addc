"""Read YAML files, with the line number of each value."""

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
MAX_EXTENDS_DEPTH = 20
"""Longest chain of files that extend one another; a longer one is taken for a cycle."""

KeyPath: TypeAlias = tuple[str | int, ...]
ResolveValues: TypeAlias = Callable[[Path, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class SourceLocations:
    """The location of each value in a file and the files it extends."""

    path: Path
    locations: dict[KeyPath, str] = field(default_factory=dict)

    def locate(self, key_path: KeyPath) -> str:
        """Return `file:line` of a value, or of the nearest mapping or list that contains it."""
        for length in range(len(key_path), 0, -1):
            if key_path[:length] in self.locations:
                return self.locations[key_path[:length]]
        return str(self.path)

    @contextmanager
    def annotate_errors(self, *key_path: str | int) -> Iterator[None]:
        """Prefix a `SpecError` with the location of the value that caused it."""
        try:
            yield
        except SpecError as error:
            raise SpecError(f"{self.locate(error.location or key_path)}: {error}") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping.

    Raises:
        SpecError: if the file is missing or is not a YAML mapping.
    """
    return read_yaml_with_locations(path)[0]


def read_yaml_with_extends(path: Path, resolve_values: ResolveValues) -> tuple[dict[str, Any], SourceLocations]:
    """Read a YAML file and the files it extends.

    Mappings are merged and other values replaced; null removes a key.

    Args:
        path: File to read.
        resolve_values: Called with each file's path and values, such as to make paths absolute.
    """
    chain: list[tuple[dict[str, Any], SourceLocations]] = []
    current: Path | None = path
    while current is not None:
        if len(chain) == MAX_EXTENDS_DEPTH:
            raise SpecError(f"{path} extends more than {MAX_EXTENDS_DEPTH} files. Check for a cycle.")
        values, locations = read_yaml_with_locations(current)
        base = values.pop(EXTENDS, None)
        if base is not None and not isinstance(base, str):
            raise SpecError(f"{locations.locate((EXTENDS,))}: 'extends' should name one file.")
        chain.append((resolve_values(current, values), locations))
        current = current.parent / base if base else None
    merged: dict[str, Any] = {}
    merged_locations: dict[KeyPath, str] = {}
    for values, locations in reversed(chain):
        merged = _merge(merged, values)
        merged_locations |= locations.locations
    return merged, SourceLocations(path, merged_locations)


def _merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in overrides.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(merged.get(name), Mapping):
            merged[name] = _merge(merged[name], value)
        else:
            merged[name] = value
    return merged


def read_yaml_with_locations(path: Path) -> tuple[dict[str, Any], SourceLocations]:
    """Read a YAML mapping and the location of each of its values."""
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
    locations = SourceLocations(path)
    _record_locations(node, (), locations)
    return content, locations


def _record_locations(node: yaml.Node, key_path: KeyPath, locations: SourceLocations) -> None:
    """Record the line of each value; a repeated key is an error because one value would be lost."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*key_path, str(key.value))
            location = f"{locations.path}:{key.start_mark.line + 1}"
            if inner in locations.locations:
                raise SpecError(f"{location}: {key.value} is given twice.")
            locations.locations[inner] = location
            _record_locations(value, inner, locations)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            locations.locations[(*key_path, index)] = f"{locations.path}:{value.start_mark.line + 1}"
            _record_locations(value, (*key_path, index), locations)
