"""lmms-eval's task YAMLs: what they include, and the functions they name."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, told
from auricle.core.registry import import_object
from auricle.interop.lmms.stubs import checkout_of, registered

TAG = "!function"
DEEPEST = 20  # files that include one another; more are a circle


@dataclass(frozen=True)
class Named:
    """A function that a YAML names: `utils.fn` of a file beside it, or of a module."""

    folder: Path
    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class Config:
    """A task's fields, with what it includes merged in; functions are loaded when asked for."""

    source: Path
    values: Mapping[str, Any]
    _modules: dict[Path, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    _functions: dict[Named, Function] = field(default_factory=dict, repr=False, compare=False)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """A field; one of null is as good as none."""
        value = self.values.get(name)
        return otherwise if value is None else value

    def part(self, name: str) -> dict[str, Any]:
        """A field that has fields of its own."""
        value = self.get(name, {})
        if not isinstance(value, Mapping):
            raise SpecError(f"{self.source}: {name} should hold `name: value` lines.")
        return dict(value)

    def refuse(self, words: str) -> SpecError:
        return SpecError(f"{self.source}: {words}")

    @property
    def checkout(self) -> str:
        return checkout_of(self.source)

    def function(self, named: Named) -> Function:
        """The function itself, loaded once."""
        if named not in self._functions:
            self._functions[named] = Function(named.path, self._loaded(named), self.checkout)
        return self._functions[named]

    def _loaded(self, named: Named) -> Any:
        """From a file beside the YAML, whose functions share their globals, or from a module."""
        module, _, name = named.path.rpartition(".")
        if not module:
            raise self.refuse(f"{TAG} {named} should be FILE.FUNCTION.")
        file = named.folder / f"{module}.py"
        with registered(self.checkout):
            if not file.is_file():
                return self._of_module(module, name)
            if file not in self._modules:
                self._modules[file] = import_object(f"{file}:__dict__")
        if name not in self._modules[file]:
            raise self.refuse(f"{file} has no function {name!r}.")
        return self._modules[file][name]

    def _of_module(self, module: str, name: str) -> Any:
        try:
            return import_object(f"{module}:{name}")
        except UnknownName as error:
            raise self.refuse(f"there is no {module}.py beside it. {error}") from error

    def callable(self, name: str) -> Function | None:
        """The function a field names, if it names one."""
        value = self.get(name)
        return self.function(value) if isinstance(value, Named) else None


@dataclass(frozen=True)
class Function:
    """Somebody's function, called with lmms-eval's names to be imported."""

    name: str
    body: Callable[..., Any] = field(repr=False)
    checkout: str = field(default="", repr=False)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Its result; what it raises costs the sample it was called for."""
        try:
            with registered(self.checkout):
                return self.body(*given, **named)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SampleError(
                f"{self.name} raised {type(error).__name__}: {told(error)}"
            ) from error

    def quietly(self, *given: Any, **named: Any) -> Any:
        """The same where nothing else runs beside it; what it prints is lost."""
        with redirect_stdout(io.StringIO()):
            return self(*given, **named)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.body).parameters

    def takes(self, name: str) -> bool:
        kinds = [each.kind for each in self.parameters.values()]
        return name in self.parameters or inspect.Parameter.VAR_KEYWORD in kinds


def read(path: Path) -> Config:
    """A task YAML with all it includes: a file's own fields have the last word."""
    return Config(path, _read(path, 0))


def _read(path: Path, depth: int) -> dict[str, Any]:
    if depth == DEEPEST:
        raise SpecError(f"{path}: more than {DEEPEST} files include one another: a circle?")
    own = _loaded(path)
    included = own.pop("include", None) or []
    found: dict[str, Any] = {}
    for each in reversed([included] if isinstance(included, str) else included):
        beside = path.parent / each
        found |= _read(beside if beside.is_file() else Path(each), depth + 1)
    return {**found, **own}


def _loaded(path: Path) -> dict[str, Any]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads functions' names, and runs nothing."""

    Loader.add_constructor(TAG, lambda loader, node: Named(path.parent, str(node.value)))
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), Loader)  # noqa: S506 - a safe one
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise SpecError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(found, dict):
        raise SpecError(f"{path} should hold `name: value` lines.")
    return found


# --- what cannot be had --------------------------------------------------------------------

KINDS: Final = ("generate_until", "multiple_choice", "generate_until_multi_round")
UNKNOWN: Mapping[str, str] = {
    "full_docs": "a metric sees one sample at a time here; score with -T metrics=…",
    "process_results_use_image": "what is scored is in the run, without sounds and pictures; "
    "score with -T metrics=…",
    "use_prompt": "Promptsource is not read; write the template into doc_to_text",
    "num_fewshot": "examples are chosen by `shots` of a task file here (docs/prompts.md)",
    "reasoning_tags": "metrics of Auricle's drop reasoning themselves: -T metrics=…",
    "auto_strip_thinking": "metrics of Auricle's drop reasoning themselves: -T metrics=…",
}
"""Fields that change what is asked or scored and are not followed, with what to do instead."""


def refuse_unknown(config: Config, ours: bool) -> None:
    """Refuse what would make another task of it; how it is scored does not matter with `ours`."""
    kind = config.get("output_type", KINDS[0])
    if kind not in KINDS:
        raise config.refuse(f"output_type {kind} is not run here; {' and '.join(KINDS)} are.")
    asked = ("use_prompt", "num_fewshot")
    for name, instead in UNKNOWN.items():
        if config.get(name) and (name in asked or not ours):
            raise config.refuse(f"{name} is not followed here: {instead}.")
    if config.get("repeats", 1) != 1:
        raise config.refuse("repeats is not followed here; a task file has `samples: N` instead.")
