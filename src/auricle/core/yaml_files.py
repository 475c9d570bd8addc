"""Read YAML files, with the line number of each value. Everything that is read as YAML is read here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.core.errors import LocatedError, SpecError
from auricle.core.files import open_regular_file

if TYPE_CHECKING:
    import yaml

EXTENDS = "extends"
MAX_EXTENDS_DEPTH = 20
"""Longest chain of files that extend one another; a longer one is taken for a cycle."""

MAX_BYTES = 1 << 20
MAX_DEPTH = 50
MAX_INTEGER_BITS = 64  # more cannot be stored as JSON
INDICATORS = "?:@`%&*!|>"
"""Characters with a meaning of their own, which an unquoted text contains by mistake more often than not."""
QUOTED = re.compile(r"""('.'|'<[^']*'|'\\.*?')|(['"]).*?\2""")
"""What the parser quotes: tokens of its own, such as `'?'`, `'<scalar>'` and `'\\t'`, or else a name from the file."""
SURROGATE = re.compile("[\ud800-\udfff]")
MAX_VALUES = 100_000
"""Most values in a file; an alias counts as often as it is used."""

Constructor: TypeAlias = Callable[[str], Any]
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
        except LocatedError:
            raise
        except SpecError as error:
            raise LocatedError(f"{self.locate(error.location or key_path)}: {error}") from error


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML mapping.

    Raises:
        SpecError: if the file is missing or is not a YAML mapping.
    """
    return read_yaml_with_locations(path)[0]


def read_foreign_yaml(path: Path, constructors: Mapping[str, Constructor]) -> dict[str, Any]:
    """Read a YAML mapping of another framework, in which keys may repeat.

    Args:
        path: File to read.
        constructors: Functions of the text of a scalar, by the tag of the scalars they build, such as `!function`.
    """
    return _load(path, constructors)[0]


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
    content, node = _load(path, {})
    locations = SourceLocations(path)
    _record_locations(node, (), locations)
    return content, locations


def _load(path: Path, constructors: Mapping[str, Constructor]) -> tuple[dict[str, Any], yaml.Node]:
    import yaml

    text = _read_text(path)
    try:
        loader: Any = type("Loader", (_Bounds, yaml.SafeLoader), {})(text, constructors)
        node = loader.get_single_node()
        content = loader.construct_document(node) if node else None
    except yaml.YAMLError as error:
        raise SpecError(f"{path} is not valid YAML: {_describe(error, text)}.") from None  # the error quotes the file
    if not isinstance(content, dict):
        raise SpecError(f"{path} should hold `name: value` lines.")
    return content, node


def _read_text(path: Path) -> str:
    try:
        with open_regular_file(path) as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise SpecError(f"{path} is larger than {MAX_BYTES >> 20} MB. Is it a YAML file?")
        return content.decode()
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise SpecError(f"{path} is a folder, not a file.") from error
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not UTF-8 text.") from None
    except (OSError, ValueError) as error:
        raise SpecError(f"Cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}.") from error


def _describe(error: yaml.YAMLError, text: str) -> str:
    """Return what the parser reports and where, without names that the file defines, which may be secret."""
    message, hint = "", ""
    for name, separator in (("context", ", "), ("problem", "")):
        part, mark = getattr(error, name, None), getattr(error, f"{name}_mark", None)
        if part:
            place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
            message += f"{QUOTED.sub(lambda quoted: quoted[1] or '…', part)}{place}{separator}"
        if mark and (character := text[mark.index : mark.index + 1]) in INDICATORS and character:
            hint = f". If this {character!r} is part of a text, put the text in quotes"
    return f"{message or 'invalid characters'}{hint}"


class _Bounds:
    """Mixin for a loader: refuses nesting, aliases and numbers that take unbounded time or memory."""

    def __init__(self, text: str, constructors: Mapping[str, Constructor]) -> None:
        super().__init__(text)  # type: ignore[call-arg]  # of the loader
        self._constructors = constructors
        self._depth = self._count = 0
        self._sizes: dict[int, int] = {}  # number of values in each complete node, with aliases expanded

    def compose_node(self: Any, parent: Any, index: Any) -> Any:
        event, count = self.peek_event(), self._count
        self._depth += 1
        self._count += 1
        _require(self._depth <= MAX_DEPTH, f"nested more than {MAX_DEPTH} levels deep", event)
        node = super().compose_node(parent, index)  # type: ignore[misc]
        if type(event).__name__ == "AliasEvent":
            _require(id(node) in self._sizes, "an alias refers to a value that contains it", event)
            self._count += self._sizes[id(node)]
        else:
            self._sizes[id(node)] = self._count - count
        _require(self._count <= MAX_VALUES, f"more than {MAX_VALUES:,} values", event)
        self._depth -= 1
        return node

    def construct_object(self: Any, node: Any, deep: bool = False) -> Any:
        if (construct := self._constructors.get(node.tag)) and isinstance(node.value, str):
            return construct(node.value)
        value: Any = _INVALID
        # What PyYAML raises depends on the tag: `!!timestamp x` an AttributeError, `!!bool x` a KeyError, ….
        with suppress(ValueError, OverflowError, AttributeError, LookupError, TypeError):
            value = super().construct_object(node, deep)  # type: ignore[misc]
        is_valid = value is not _INVALID and _can_be_stored(value)
        kind = node.tag.rpartition(":")[2]
        _require(is_valid, f"invalid {kind}; put the value in quotes if it is text", node)
        return value


_INVALID = object()


def _can_be_stored(value: Any) -> bool:
    """Return whether a number or text can be written as JSON; others are made of these."""
    if isinstance(value, str):
        return SURROGATE.search(value) is None
    return not isinstance(value, int) or value.bit_length() <= MAX_INTEGER_BITS


def _require(is_valid: bool, problem: str, source: Any) -> None:
    if not is_valid:
        from yaml import MarkedYAMLError

        raise MarkedYAMLError(problem=problem, problem_mark=source.start_mark)


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
