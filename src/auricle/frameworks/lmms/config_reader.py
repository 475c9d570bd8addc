"""Read task YAMLs of lmms-eval, with the files they include and the functions they name."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from auricle.core.errors import SampleError, SpecError, UnknownName
from auricle.core.registry import import_object
from auricle.core.user_code import wrap_errors
from auricle.core.yaml_files import read_foreign_yaml
from auricle.frameworks.lmms.stubs import find_checkout, stubs_importable

FUNCTION_TAG = "!function"
MAX_INCLUDE_DEPTH = 20


@dataclass(frozen=True)
class FunctionReference:
    """A function named in a YAML: `utils.fn` from a file beside the YAML, or from a module."""

    folder: Path
    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class TaskConfig:
    """The fields of a task, merged with included files; functions are loaded on first use."""

    source: Path
    values: Mapping[str, Any]
    _modules: dict[Path, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    _functions: dict[FunctionReference, UserFunction] = field(default_factory=dict, repr=False, compare=False)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field, or the default if it is missing or null."""
        value = self.values.get(name)
        return default if value is None else value

    def get_section(self, name: str) -> dict[str, Any]:
        """Return a field that is a mapping."""
        value = self.get(name, {})
        if not isinstance(value, Mapping):
            raise self.spec_error(f"{name} should be a mapping of names to values.")
        return dict(value)

    def spec_error(self, message: str) -> SpecError:
        return SpecError(f"{self.source}: {message}")

    def load_function(self, reference: FunctionReference) -> UserFunction:
        """Load a function once."""
        if reference not in self._functions:
            checkout = find_checkout(self.source)
            with stubs_importable(checkout):
                self._functions[reference] = UserFunction(reference.path, self._load(reference), checkout)
        return self._functions[reference]

    def _load(self, reference: FunctionReference) -> Any:
        """Load a function from a file beside the YAML, whose functions share their globals, or from a module."""
        module, _, name = reference.path.rpartition(".")
        if not module:
            raise self.spec_error(f"invalid {FUNCTION_TAG} {reference}. Expected FILE.FUNCTION.")
        file = reference.folder / f"{module}.py"
        if not file.is_file():
            try:
                return import_object(f"{module}:{name}")
            except UnknownName as error:
                raise self.spec_error(f"there is no {module}.py in the same folder. {error}") from error
        if file not in self._modules:
            self._modules[file] = import_object(f"{file}:__dict__")
        if name not in self._modules[file]:
            raise self.spec_error(f"{file} has no function {name!r}.")
        return self._modules[file][name]

    def get_function(self, name: str) -> UserFunction | None:
        """Return the function that a field names, or None."""
        value = self.get(name)
        return self.load_function(value) if isinstance(value, FunctionReference) else None


@dataclass(frozen=True)
class UserFunction:
    """A function from the user's files; lmms-eval's modules are importable while it runs."""

    name: str
    function: Callable[..., Any] = field(repr=False)
    checkout: str = field(default="", repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; exceptions become `SampleError`."""
        with wrap_errors(self.name, SampleError), stubs_importable(self.checkout):
            return self.function(*args, **kwargs)

    def call_silently(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function and discard what it prints; only for use where no other thread prints."""
        with redirect_stdout(io.StringIO()):
            return self(*args, **kwargs)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    def accepts(self, name: str) -> bool:
        kinds = [parameter.kind for parameter in self.parameters.values()]
        return name in self.parameters or inspect.Parameter.VAR_KEYWORD in kinds


def read_config(path: Path) -> TaskConfig:
    """Read a task YAML; its own fields override those of included files."""
    return TaskConfig(path, _read_with_includes(path, 0))


def _read_with_includes(path: Path, depth: int) -> dict[str, Any]:
    if depth == MAX_INCLUDE_DEPTH:
        raise SpecError(f"{path}: includes are nested more than {MAX_INCLUDE_DEPTH} deep. Do they form a cycle?")
    return merge_includes(read_foreign_yaml(path, {FUNCTION_TAG: partial(FunctionReference, path.parent)}), path, depth)


def merge_includes(fields: Mapping[str, Any], path: Path, depth: int = 0) -> dict[str, Any]:
    """Merge fields of a file with those of the files they include; their own values take precedence."""
    own = {name: value for name, value in fields.items() if name != "include"}
    included = fields.get("include") or []
    merged: dict[str, Any] = {}
    for name in reversed([included] if isinstance(included, str) else included):
        sibling = path.parent / name
        merged |= _read_with_includes(sibling if sibling.is_file() else Path(name), depth + 1)
    return {**merged, **own}


OUTPUT_TYPES: Final = ("generate_until", "multiple_choice", "generate_until_multi_round")
UNSUPPORTED_FIELDS: Mapping[str, str] = {
    "full_docs": "metrics see one sample at a time; score with -T metrics=…",
    "process_results_use_image": "runs store no audio and images to score; score with -T metrics=…",
    "use_prompt": "Promptsource is not available; write the template into doc_to_text",
    "num_fewshot": "choose examples with `shots` in a task file (docs/prompts.md)",
}
"""Unsupported fields that change the prompt or the score, with what to do instead."""


def reject_unsupported(config: TaskConfig, has_own_metrics: bool) -> None:
    """Raise `SpecError` for unsupported fields; fields about scoring only matter without `has_own_metrics`."""
    output_type = config.get("output_type", OUTPUT_TYPES[0])
    if output_type not in OUTPUT_TYPES:
        raise config.spec_error(f"unsupported output_type {output_type}. Supported: {', '.join(OUTPUT_TYPES)}.")
    prompt_fields = ("use_prompt", "num_fewshot")
    for name, instead in UNSUPPORTED_FIELDS.items():
        if config.get(name) and (name in prompt_fields or not has_own_metrics):
            raise config.spec_error(f"unsupported field {name}: {instead}.")
    if config.get("repeats", 1) != 1:
        raise config.spec_error("unsupported field repeats: use `samples: N` in a task file instead.")
