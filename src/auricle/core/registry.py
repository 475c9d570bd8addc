"""Names to things. Built-in names are strings until asked for, so importing is cheap."""

from __future__ import annotations

import difflib
import fnmatch
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from auricle import catalogue
from auricle.catalogue import Builtin as Builtin
from auricle.core.errors import SpecError, UnknownName, told

T = TypeVar("T")


class Registry(Generic[T]):
    """A table of things by name, filled by decorator, by entry point or by `module:name`."""

    def __init__(
        self,
        kind: str,
        builtin: Mapping[str, Builtin],
        prefixes: Mapping[str, Builtin] | None = None,
    ) -> None:
        self.kind = kind
        self._builtin = builtin
        self._prefixes = prefixes or {}
        self._found: dict[str, T] = {}

    def __call__(self, name: str) -> Callable[[T], T]:
        """Decorator: `@model("whisper")`."""

        def add(thing: T) -> T:
            if name in self._builtin or not _is_same(self._found.get(name, thing), thing):
                raise SpecError(f"A {self.kind} called {name!r} is already registered.")
            self._found[name] = thing
            return thing

        return add

    def __iter__(self) -> Iterator[str]:
        plugins = (point.name for point in self._plugins())
        return iter(sorted({*self._found, *self._builtin, *plugins}))

    def about(self, name: str) -> str:
        """One line on `name`, without importing what is not imported yet."""
        if name in self._builtin:
            return self._builtin[name].about
        if name in self._found:
            return (getattr(self._found[name], "__doc__", "") or "").strip().partition("\n")[0]
        return ", ".join(f"from {point.value}" for point in self._plugins(name))

    def foreign(self) -> dict[str, str]:
        """How what was made for other frameworks is named, with a line on each."""
        form = "NAME" if self.kind == "task" else "file.py:Class"
        return {f"{name}:{form}": each.about for name, each in self._prefixes.items()}

    def get(self, name: str) -> T:
        """What `name` stands for; `package.module:attr` and `file.py:attr` need no registration."""
        if name not in self._found:
            found = self._load(name)
            if ":" in name:  # a file may have changed by the next call; names are for good
                return found
            self._found[name] = found
        return self._found[name]

    def members(self, name: str, arguments: Mapping[str, Any]) -> list[str]:
        """The names a name stands for: several, if it is another framework's group or holds `*`."""
        prefix, colon, _ = name.partition(":")
        if "*" in name and not colon:
            return fnmatch.filter(self, name) or [name]
        if not colon or prefix not in self._prefixes:
            return [name]
        of_group = getattr(self.get(name), "members", None)
        return [f"{prefix}:{each}" for each in of_group(arguments)] if of_group else [name]

    def settled(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Arguments as they hold from anywhere, where another framework's settings decide them."""
        prefix, colon, _ = name.partition(":")
        foreign = colon and prefix in self._prefixes
        own = getattr(self.get(name), "settled", None) if foreign else None
        return own(arguments) if own else arguments

    def _load(self, name: str) -> T:
        if name in self._builtin:
            return cast(T, attribute(self._builtin[name].path))
        for point in self._plugins(name):
            return cast(T, point.load())
        prefix, _, rest = name.partition(":")
        if prefix in self._prefixes:
            return cast(T, attribute(self._prefixes[prefix].path)(rest))
        if parted(name)[0]:
            uses = [each.about for table in FOREIGNERS if (each := table.get(prefix))]
            raise UnknownName(f"{prefix}: names no {self.kind}, but {' or '.join(uses)}.")
        if ":" in name:
            return cast(T, attribute(name))
        near = _near(name, list(self))
        hint = f"Did you mean {', '.join(near)}?" if near else f"See `auricle list {self.kind}s`."
        raise UnknownName(f"No {self.kind} called {name!r}. {hint}")

    def _plugins(self, name: str | None = None) -> list[EntryPoint]:
        found = entry_points(group=f"auricle.{self.kind}s")
        return [point for point in found if name is None or point.name == name]


def _near(name: str, known: Sequence[str]) -> list[str]:
    """Names that might be meant: `mmsu` of voicebench-mmsu, or a slip of the finger."""
    within = [each for each in known if len(name) > 2 and name.casefold() in each.casefold()]
    alike = difflib.get_close_matches(name, known, n=3)
    return list(dict.fromkeys([*within, *alike]))[:3]


def _is_same(one: Any, other: Any) -> bool:
    """The same thing, maybe read anew: a file given as `file.py:thing` is, each time."""
    places = [(getattr(x, "__module__", x), getattr(x, "__qualname__", x)) for x in (one, other)]
    return places[0] == places[1]


def attribute(path: str, package: str = "") -> Any:
    """The thing at `package.module:name` or `path/file.py:name`, read as a part of `package`."""
    where, _, name = path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"{path!r} should be package.module:name or path/file.py:name.")
    from_file = where.endswith(".py")
    module = _from_file(Path(where), package) if from_file else _from_package(where)
    if not hasattr(module, name):
        public = [each for each in vars(module) if not each.startswith("_")]
        near = difflib.get_close_matches(name, public, n=3) or public[:5]
        raise UnknownName(f"{where} has no {name!r}; it has {', '.join(near) or 'nothing'}.")
    return getattr(module, name)


def _from_package(name: str) -> Any:
    if str(Path.cwd()) not in sys.path:  # an installed command does not see the user's folder
        sys.path.append(str(Path.cwd()))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and not (name == error.name or name.startswith(error.name + ".")):
            raise SpecError(f"{name} needs the package {error.name!r}, not installed.") from error
        raise UnknownName(f"No module called {name!r} to import from here.") from error
    except (Exception, SystemExit) as error:
        raise SpecError(
            f"{name} cannot be loaded: {type(error).__name__}: {told(error)}"
        ) from error


def _from_file(path: Path, package: str = "") -> Any:
    if not path.is_file():
        raise UnknownName(f"There is no file {path}.")
    path = path.resolve()
    name = f"{package}.{path.stem}" if package else f"auricle_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up here
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise SpecError(
            f"{path} cannot be loaded: {type(error).__name__}: {told(error)}"
        ) from error
    return module


FOREIGN_TASKS = {
    "kimi": Builtin(
        "auricle.interop.kimi:task_of", "a dataset of Kimi-Audio-Evalkit, by its name or its class"
    ),
    "lmms": Builtin("auricle.interop.lmms:task_of", "a task of lmms-eval, by its YAML file"),
    "ser": Builtin(
        "auricle.interop.ser:task_of", "a dataset of a suite for emotions, by its class"
    ),
}
"""Datasets of other frameworks, by what stands before their name, `module:Class` or file."""
FOREIGN = {
    "cmi": Builtin("auricle.interop.cmi.model:model_of", "a class written for CMI-RewardBench"),
    "kimi": Builtin("auricle.interop.kimi:model_of", "a class written for Kimi-Audio-Evalkit"),
    "lmms": Builtin("auricle.interop.lmms:model_of", "a class written for lmms-eval"),
    "ser": Builtin("auricle.interop.ser:model_of", "a wrapper of a suite for speech emotions"),
}
"""Classes written for other frameworks, by what stands before `module:Class` or `file.py:Class`."""
FOREIGN_INFERENCERS = {
    "aisbench": Builtin(
        "auricle.interop.aisbench:inferencer_of", "an inferencer class written for AISBench"
    ),
}

FOREIGNERS = (FOREIGN, FOREIGN_INFERENCERS, FOREIGN_TASKS)


def parted(name: str) -> tuple[str, str]:
    """The prefix of another framework, with its colon, if a name has one; and the rest."""
    prefix, colon, rest = name.partition(":")
    foreign = any(prefix in each for each in FOREIGNERS)
    return (prefix + colon, rest) if colon and foreign else ("", name)


task: Registry[Callable[..., Any]] = Registry("task", catalogue.TASKS, FOREIGN_TASKS)

model: Registry[Any] = Registry("model", catalogue.MODELS, FOREIGN)

inferencer: Registry[Callable[..., Any]] = Registry(
    "inferencer", catalogue.INFERENCERS, FOREIGN_INFERENCERS
)

metric: Registry[Any] = Registry("metric", catalogue.METRICS)

retriever: Registry[Any] = Registry("retriever", catalogue.RETRIEVERS)

encoder: Registry[Any] = Registry("encoder", catalogue.ENCODERS)
