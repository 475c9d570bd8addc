"""lmms-eval's task YAMLs: what they include, and the functions they name."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, describe
from auricle.core.registry import import_object
from auricle.interop.lmms.stub_importer import find_checkout, stubs_importable

FUNCTION_TAG = "!function"
MAX_INCLUDE_DEPTH = 20  # files that include one another; more are a circle


@dataclass(frozen=True)
class FunctionReference:
    """A function that a YAML names: `utils.fn` of a file beside it, or of a module."""

    folder: Path
    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class TaskConfig:
    """A task's fields, with what it includes merged in; functions are loaded when asked for."""

    source: Path
    values: Mapping[str, Any]
    _modules: dict[Path, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    _functions: dict[FunctionReference, UserFunction] = field(default_factory=dict, repr=False, compare=False)

    def get(self, name: str, default: Any = None) -> Any:
        """A field; one of null is as good as none."""
        value = self.values.get(name)
        return default if value is None else value

    def get_section(self, name: str) -> dict[str, Any]:
        """A field that has fields of its own."""
        value = self.get(name, {})
        if not isinstance(value, Mapping):
            raise SpecError(f"{self.source}: {name} should hold `name: value` lines.")
        return dict(value)

    def spec_error(self, message: str) -> SpecError:
        return SpecError(f"{self.source}: {message}")

    @property
    def checkout(self) -> str:
        return find_checkout(self.source)

    def load_function(self, reference: FunctionReference) -> UserFunction:
        """The function itself, loaded once."""
        if reference not in self._functions:
            self._functions[reference] = UserFunction(reference.path, self._load(reference), self.checkout)
        return self._functions[reference]

    def _load(self, reference: FunctionReference) -> Any:
        """From a file beside the YAML, whose functions share their globals, or from a module."""
        module, _, name = reference.path.rpartition(".")
        if not module:
            raise self.spec_error(f"{FUNCTION_TAG} {reference} should be FILE.FUNCTION.")
        file = reference.folder / f"{module}.py"
        with stubs_importable(self.checkout):
            if not file.is_file():
                return self._load_from_module(module, name)
            if file not in self._modules:
                self._modules[file] = import_object(f"{file}:__dict__")
        if name not in self._modules[file]:
            raise self.spec_error(f"{file} has no function {name!r}.")
        return self._modules[file][name]

    def _load_from_module(self, module: str, name: str) -> Any:
        try:
            return import_object(f"{module}:{name}")
        except UnknownName as error:
            raise self.spec_error(f"there is no {module}.py beside it. {error}") from error

    def get_function(self, name: str) -> UserFunction | None:
        """The function a field names, if it names one."""
        value = self.get(name)
        return self.load_function(value) if isinstance(value, FunctionReference) else None


@dataclass(frozen=True)
class UserFunction:
    """Somebody's function, called with lmms-eval's names to be imported."""

    name: str
    function: Callable[..., Any] = field(repr=False)
    checkout: str = field(default="", repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Its result; what it raises costs the sample it was called for."""
        try:
            with stubs_importable(self.checkout):
                return self.function(*args, **kwargs)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SampleError(f"{self.name} raised {type(error).__name__}: {describe(error)}") from error

    def call_silently(self, *args: Any, **kwargs: Any) -> Any:
        """The same where nothing else runs beside it; what it prints is lost."""
        with redirect_stdout(io.StringIO()):
            return self(*args, **kwargs)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    def accepts(self, name: str) -> bool:
        kinds = [each.kind for each in self.parameters.values()]
        return name in self.parameters or inspect.Parameter.VAR_KEYWORD in kinds


def read_config(path: Path) -> TaskConfig:
    """A task YAML with all it includes: a file's own fields have the last word."""
    return TaskConfig(path, _read_with_includes(path, 0))


def _read_with_includes(path: Path, depth: int) -> dict[str, Any]:
    if depth == MAX_INCLUDE_DEPTH:
        raise SpecError(f"{path}: more than {MAX_INCLUDE_DEPTH} files include one another: a circle?")
    own = _load_yaml(path)
    included = own.pop("include", None) or []
    found: dict[str, Any] = {}
    for each in reversed([included] if isinstance(included, str) else included):
        beside = path.parent / each
        found |= _read_with_includes(beside if beside.is_file() else Path(each), depth + 1)
    return {**found, **own}


def _load_yaml(path: Path) -> dict[str, Any]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads functions' names, and runs nothing."""

    Loader.add_constructor(FUNCTION_TAG, lambda loader, node: FunctionReference(path.parent, str(node.value)))
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

OUTPUT_TYPES: Final = ("generate_until", "multiple_choice", "generate_until_multi_round")
UNSUPPORTED_FIELDS: Mapping[str, str] = {
    "full_docs": "a metric sees one sample at a time here; score with -T metrics=…",
    "process_results_use_image": "what is scored is in the run, without sounds and pictures; score with -T metrics=…",
    "use_prompt": "Promptsource is not read; write the template into doc_to_text",
    "num_fewshot": "examples are chosen by `shots` of a task file here (docs/prompts.md)",
    "reasoning_tags": "metrics of Auricle's drop reasoning themselves: -T metrics=…",
    "auto_strip_thinking": "metrics of Auricle's drop reasoning themselves: -T metrics=…",
}
"""Fields that change what is asked or scored and are not followed, with what to do instead."""


def reject_unsupported(config: TaskConfig, has_own_metrics: bool) -> None:
    """Refuse what would make another task of it; how it is scored does not matter with `ours`."""
    kind = config.get("output_type", OUTPUT_TYPES[0])
    if kind not in OUTPUT_TYPES:
        raise config.spec_error(f"output_type {kind} is not run here; {' and '.join(OUTPUT_TYPES)} are.")
    asked = ("use_prompt", "num_fewshot")
    for name, instead in UNSUPPORTED_FIELDS.items():
        if config.get(name) and (name in asked or not has_own_metrics):
            raise config.spec_error(f"{name} is not followed here: {instead}.")
    if config.get("repeats", 1) != 1:
        raise config.spec_error("repeats is not followed here; a task file has `samples: N` instead.")
