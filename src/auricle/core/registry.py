"""Registries: look up models, tasks, metrics and every other part that packages can add, by name.

Names of the engine and of features are import paths until they are used, so importing a registry is cheap. Other
packages add names through features, or single parts through entry points (`auricle.models`, `auricle.load_patterns`,
…). Prefixes of other frameworks, such as `kimi:`, are in the groups `model_adapters`, `task_adapters`,
`inferencer_adapters` and `metric_adapters`.
"""

from __future__ import annotations

import difflib
import fnmatch
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from auricle.core.entry_points import OWN_PACKAGE, PackageEntry, find_entries
from auricle.core.errors import AuricleError, SpecError, UnknownName, describe, kind_of
from auricle.core.features import Builtin, find_parts
from auricle.core.home_folder import keep_home_folder

T = TypeVar("T")
ADAPTED_KINDS = ("model", "task", "inferencer", "metric")


class Listing(NamedTuple):
    """A name that `auricle list` prints."""

    name: str
    summary: str
    package: str
    """The package that defines the name, with its version; empty if it is part of Auricle."""


class Registry(Generic[T]):
    """A table of objects by name, filled by decorator, entry point or `module:name`.

    Args:
        kind: What the registry contains, in the singular: "model", "load pattern", …
        builtin: Names of the room that has the registry, with their objects or where these can be imported from.
        groups: Groups of entry points, without the prefix `auricle.`. By default the plural of the kind.
        expects: Type of the objects, and its name in messages, if objects of packages should be checked.
    """

    def __init__(
        self,
        kind: str,
        builtin: Mapping[str, Builtin | T],
        *,
        groups: Sequence[str] = (),
        expects: tuple[Any, str] = (object, ""),
    ) -> None:
        self.kind = kind
        self._own = builtin
        self.plural = f"{kind.replace(' ', '-')}s"
        self._groups = groups or (self.plural.replace("-", "_"),)
        self._expects = expects
        self._registered: dict[str, T] = {}
        self._local: set[str] = set()

    @cached_property
    def builtin(self) -> Mapping[str, Builtin | T]:
        """Names that come with Auricle: those of the registry's room, and those of features."""
        return {**self._own, **find_parts(*self._groups)}

    def __call__(self, name: str) -> Callable[[T], T]:
        """Register the decorated object: `@model("whisper")`."""

        def register(value: T) -> T:
            if name in self.builtin or not _is_same(self._registered.get(name, value), value):
                raise SpecError(f"A {self.kind} named {name!r} is already registered.")
            self._registered[name] = value
            return value

        return register

    def add_object(self, value: Any) -> str:
        """Register an object of this process, such as a function of a notebook, and return its name.

        An object that can be imported is named `module:name` instead, so that other processes can use it, too. One that
        was defined again replaces the earlier one of the same name.
        """
        name = getattr(value, "__qualname__", type(value).__qualname__).rpartition(".")[2].strip("<>")
        module = getattr(value, "__module__", "__main__")
        if module != "__main__" and getattr(sys.modules.get(module), name, None) is value:
            return f"{module}:{name}"
        if name in self.builtin or name in self._entries():
            raise SpecError(f"A {self.kind} named {name!r} exists already. Rename yours.")
        self._registered[name] = value
        self._local.add(name)
        return name

    def is_local(self, name: str) -> bool:
        """Return whether only this process knows the object of that name."""
        return name in self._local

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names()))

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def find_part(self, name: str) -> Builtin | None:
        """Return what is stated of `name` without importing it; None if it is not part of Auricle or of a feature."""
        entry = self._entries().get(name)
        if entry:
            return None if name in self.builtin else entry.part
        builtin = self.builtin.get(name)
        return builtin if isinstance(builtin, Builtin) else None

    def summary(self, name: str) -> str:
        """Describe `name` in one line; one that a package defines badly is described by the error."""
        if part := self.find_part(name):
            return part.summary
        if name not in self:
            return ""
        try:
            return _first_line(self.get(name))
        except AuricleError as error:
            return str(error)

    def package(self, name: str) -> str:
        """Return the package that defines `name`, with its version; it is empty for what is part of Auricle."""
        entry = self._entries().get(name)
        return entry.origin if entry else ""

    def listings(self) -> list[Listing]:
        """List the names, and the forms of name that other frameworks add."""
        names = [Listing(name, self.summary(name), self.package(name)) for name in self]
        form = "NAME" if self.kind in ("task", "metric") else "file.py:Class"
        adapters = self._adapters().items()
        return names + [
            Listing(f"{prefix}:{form}", _adapter_summary(entry), entry.origin) for prefix, entry in adapters
        ]

    def prefixes(self) -> list[str]:
        """List the prefixes that other frameworks add, such as `kimi`."""
        return sorted(self._adapters())

    def package_names(self) -> list[str]:
        """List the names that other packages define, including those that are refused."""
        return sorted(self._entries())

    def get(self, name: str) -> T:
        """Return what `name` refers to.

        `package.module:attribute` and `file.py:attribute` need no registration.

        Raises:
            UnknownName: if there is nothing of that name.
        """
        entry = self._entries().get(name)
        if name in self._registered and not entry:
            return self._registered[name]
        value = self._load(name)
        if entry and not _is_same(self._registered.get(name, value), value):
            raise entry.conflict("code of this process", *entry.packages)
        if name in self.builtin:  # a file may change between calls, and a package is kept by its own module
            self._registered[name] = value
        return value

    def expand(self, name: str, arguments: Mapping[str, Any]) -> list[str]:
        """List the names a pattern with `*`, or a group of another framework, stands for."""
        prefix, colon, _ = name.partition(":")
        if "*" in name and not colon:
            return fnmatch.filter(self, name) or [name]
        if not colon or prefix not in self._adapters():
            return [name]
        members = getattr(self.get(name), "members", None)
        return [f"{prefix}:{member}" for member in members(arguments)] if members else [name]

    def resolve_name(self, name: str) -> str:
        """Replace a name that an adapter searches for by the class path it stands for, wherever that is."""
        prefix, rest = split_prefix(name)
        if not prefix or ":" in rest:
            return name
        class_path = getattr(self.get(name), "class_path", "")
        return f"{prefix}{class_path}" if class_path else name

    def resolve_arguments(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Make arguments independent of the working directory, where a benchmark or an adapter reads it."""
        prefix, colon, _ = name.partition(":")
        if name not in self and not (colon and prefix in self._adapters()):
            return arguments
        resolve = getattr(self.get(name), "resolve_arguments", None)
        return cast(Mapping[str, Any], resolve(arguments)) if resolve else arguments

    def _names(self) -> set[str]:
        return {*self._registered, *self.builtin, *self._entries()} - self._local

    def _load(self, name: str) -> T:
        entry = self._entries().get(name)
        if entry and name in self.builtin:
            raise entry.conflict(OWN_PACKAGE, *entry.packages)
        if entry:
            return self._load_entry(entry)
        if name in self.builtin:
            builtin = self.builtin[name]
            return cast(T, import_object(builtin.path) if isinstance(builtin, Builtin) else builtin)
        prefix, _, rest = name.partition(":")
        if adapter := self._adapters().get(prefix):
            return cast(T, adapter.load()(rest))
        if split_prefix(name)[0]:
            kinds = [kind for kind in ADAPTED_KINDS if prefix in _adapters(kind)]
            raise UnknownName(
                f"The prefix {prefix}: is for {' and '.join(f'{kind}s' for kind in kinds)}, not {self.kind}s."
            )
        if ":" in name:
            former = find_parts("former_paths").get(name)
            return cast(T, import_object(former.path if former else name))
        similar = _similar(name, list(self))
        hint = f"Did you mean {', '.join(similar)}?" if similar else f"See `auricle list {self.plural}`."
        raise UnknownName(f"Unknown {self.kind} {name!r}. {hint}")

    def _load_entry(self, entry: PackageEntry) -> T:
        value = entry.load()
        expected_type, description = self._expects
        if not isinstance(value, expected_type):
            raise entry.wrong_type(value, description)
        return cast(T, value)

    def _entries(self) -> Mapping[str, PackageEntry]:
        return find_entries(self.kind, *self._groups)

    def _adapters(self) -> Mapping[str, Builtin | PackageEntry]:
        return _adapters(self.kind)


def split_prefix(name: str) -> tuple[str, str]:
    """Split off the prefix of another framework, colon included; it is empty if there is none."""
    prefix, colon, rest = name.partition(":")
    if colon and any(prefix in _adapters(kind) for kind in ADAPTED_KINDS):
        return prefix + colon, rest
    return "", name


def name_to_title(name: str) -> str:
    """Return the title of a part that has only a name.

    Examples:
        >>> name_to_title("worst-samples")
        'Worst samples'
    """
    title = name.replace("-", " ").replace("_", " ")
    return title[:1].upper() + title[1:]


def import_object(path: str, package: str = "") -> Any:
    """Import `package.module:name` or `path/file.py:name`.

    Args:
        path: What to import.
        package: Name of the package a file is imported into.
    """
    where, _, name = path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"{path!r} should be package.module:name or path/file.py:name.")
    from_file = where.endswith(".py")
    module = _from_file(Path(where), package) if from_file else _from_package(where)
    if not hasattr(module, name):
        public = {attribute: value for attribute, value in vars(module).items() if not attribute.startswith("_")}
        # Only what the file defines, unless it is a package that collects the names of others.
        defined = [attribute for attribute, value in public.items() if _is_defined_in(module, value)] or [*public]
        names = difflib.get_close_matches(name, defined, n=3) or defined[:5]
        raise UnknownName(f"{where} has no {name!r}; it has {', '.join(names) or 'nothing'}.")
    return getattr(module, name)


def _adapters(kind: str) -> Mapping[str, Builtin | PackageEntry]:
    group = f"{kind}_adapters"
    return {**find_parts(group), **find_entries(f"prefix of {kind}s", group)}


def _adapter_summary(entry: Builtin | PackageEntry) -> str:
    if isinstance(entry, Builtin):
        return entry.summary
    try:
        return _first_line(entry.load())
    except AuricleError as error:
        return str(error)


def _first_line(value: Any) -> str:
    """Return how an object describes itself: its `summary`, or the first line of its docstring."""
    texts = (getattr(value, name, None) for name in ("summary", "__doc__"))
    text = next((text for text in texts if text and isinstance(text, str)), "")
    return text.strip().partition("\n")[0]


def _similar(name: str, names: Sequence[str]) -> list[str]:
    """Suggest names that contain `name` (mmsu: voicebench-mmsu) or are spelled like it."""
    folded = name.casefold()
    containing = [known for known in names if len(name) > 2 and folded in known.casefold()]
    close = difflib.get_close_matches(name, names, n=3)
    return list(dict.fromkeys([*containing, *close]))[:3]


def _is_same(first: Any, second: Any) -> bool:
    """Compare by qualified name: a file given as `file.py:name` is imported anew each time."""
    names = [(getattr(x, "__module__", x), getattr(x, "__qualname__", x)) for x in (first, second)]
    return names[0] == names[1]


def _is_defined_in(module: ModuleType, value: Any) -> bool:
    return isinstance(value, (type, FunctionType)) and value.__module__ == module.__name__


def _from_package(name: str) -> Any:
    if str(Path.cwd()) not in sys.path:  # an installed command does not see the working directory
        sys.path.append(str(Path.cwd()))
    try:
        with keep_home_folder():
            return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and not (name == error.name or name.startswith(error.name + ".")):
            raise SpecError(f"{name} needs the package {error.name!r}, which is not installed.") from error
        raise UnknownName(f"There is no module {name!r} to import.") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SpecError(f"{name} cannot be loaded: {kind_of(error)}: {describe(error)}") from error


def _from_file(path: Path, package: str = "") -> Any:
    if not path.is_file():
        raise UnknownName(f"There is no file {path}.")
    path = path.resolve()
    name = f"{package}.{path.stem}" if package else f"auricle_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module here
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        with keep_home_folder():
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SpecError(f"{path} cannot be loaded: {kind_of(error)}: {describe(error)}") from error
    return module
