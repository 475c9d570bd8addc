"""What a task's `shots` asks for, as written in a file, on the command line or in Python."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.data.row_files import file_revision
from auricle.prompts.catalogue import RETRIEVERS
from auricle.prompts.example_budget import ExampleBudget, ExampleRenderer, all_parts

COMMON_OPTIONS = ("use", "k", "pool", "seed", "same", "order", "max_tokens", "max_seconds", "tokenizer")
ORDERS = ("nearest-last", "nearest-first", "random")
NAMED_PARAMETER_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
DEFAULT_RETRIEVER = "random"
"""Who chooses where only a number is given: nobody's favourites, and the same ones every time."""


def pool_path(raw_options: Any) -> str:
    """The file that examples are taken from; empty where it is the data itself."""
    pool = raw_options.get("pool") if isinstance(raw_options, Mapping) else None
    return str(pool) if pool else ""


@dataclass(frozen=True)
class FewShotOptions:
    """Examples as asked for, checked."""

    retriever_name: str
    k: int
    retriever_class: Any
    """The retriever's class."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    order: str = "nearest-last"
    seed: int = 0
    disjoint_fields: tuple[str, ...] = ()
    max_tokens: int | None = None
    max_seconds: float | None = None
    tokenizer: str = ""

    @property
    def signature(self) -> str:
        """The retriever as a signature tells it: what was not said, too."""
        usual = {
            name: parameter.default
            for name, parameter in _constructor_parameters(self.retriever_class).items()
            if parameter.kind in NAMED_PARAMETER_KINDS and name != "seed"
        }
        told = sorted({**usual, **self.arguments}.items())
        arguments = ", ".join(f"{name}={_portable_value(value)!r}" for name, value in told)
        return f"{_portable_value(self.retriever_name)}({arguments})"

    def build_retriever(self) -> Any:
        seeded = {"seed": self.seed} if "seed" in _constructor_parameters(self.retriever_class) else {}
        return self.retriever_class(**self.arguments, **seeded)

    def build_budget(self, render_example: ExampleRenderer | None) -> ExampleBudget:
        return ExampleBudget(self.max_tokens, self.max_seconds, self.tokenizer, render_example or all_parts)


def parse_few_shot_options(raw_options: Any) -> FewShotOptions:
    """Options from `3`, `bm25:4` or a mapping, or what is wrong with them."""
    options = _as_mapping(raw_options)
    use = str(options.get("use") or DEFAULT_RETRIEVER)
    kind = _load_retriever_class(use)
    arguments = {name: value for name, value in options.items() if name not in COMMON_OPTIONS}
    _check_arguments(use, kind, arguments)
    return FewShotOptions(
        retriever_name=use,
        k=_parse_count(options, use, arguments),
        retriever_class=kind,
        arguments=arguments,
        order=_parse_order(options, kind),
        seed=_parse_int(options, "seed", 0) or 0,
        disjoint_fields=_parse_names(options.get("same") or ()),
        max_tokens=_parse_int(options, "max_tokens", 1),
        max_seconds=_parse_max_seconds(options),
        tokenizer=str(options.get("tokenizer") or ""),
    )


def _portable_value(value: Any) -> Any:
    """A value, but code in a file by what the file holds and not by where it lies."""
    file, suffix, attribute = value.partition(".py:") if isinstance(value, str) else ("", "", "")
    path = Path(f"{file}.py")
    return f"{path.name}@{file_revision(path)}:{attribute}" if suffix and path.is_file() else value


def _as_mapping(raw_options: Any) -> Mapping[str, Any]:
    if isinstance(raw_options, Mapping):
        return {str(name): value for name, value in raw_options.items()}
    if isinstance(raw_options, int) and not isinstance(raw_options, bool):
        return {"k": raw_options}
    if not isinstance(raw_options, str) or not raw_options:
        raise _options_error(f"should be a number, a retriever such as bm25:4, or options, not {raw_options!r}")
    if raw_options.lstrip("-").isdigit():
        return {"k": int(raw_options)}
    use, _, count = raw_options.rpartition(":")
    return {"use": use, "k": int(count)} if use and count.isdigit() else {"use": raw_options}


def _load_retriever_class(retriever_name: str) -> Any:
    try:
        kind = RETRIEVERS.get(retriever_name)
    except SpecError as error:
        error.location = ("shots", "use")
        raise
    if not hasattr(kind, "rank"):
        raise _options_error(f"names {retriever_name}, which is no class with a method `rank`", "use")
    return kind


def _constructor_parameters(retriever_class: Any) -> Mapping[str, inspect.Parameter]:
    """What a retriever takes; a class without an `__init__` of its own takes nothing."""
    return {} if retriever_class.__init__ is object.__init__ else inspect.signature(retriever_class).parameters


def _check_arguments(retriever_name: str, retriever_class: Any, arguments: Mapping[str, Any]) -> None:
    takes = [
        *COMMON_OPTIONS,
        *(name for name in _constructor_parameters(retriever_class) if name not in COMMON_OPTIONS),
    ]
    for name in arguments:
        if name not in takes:
            near = difflib.get_close_matches(name, takes, n=1)
            hint = f"did you mean {near[0]}?" if near else f"{retriever_name} takes {', '.join(takes)}"
            raise _options_error(f"has no option {name!r}; {hint}", name)
    for name, parameter in _constructor_parameters(retriever_class).items():
        needed = parameter.default is parameter.empty and parameter.kind in NAMED_PARAMETER_KINDS
        if needed and name not in (*arguments, "seed"):
            raise _options_error(f"needs {name}, which {retriever_name} cannot do without", name)


def _parse_count(options: Mapping[str, Any], retriever_name: str, arguments: Mapping[str, Any]) -> int:
    if retriever_name == "zero":
        return 0
    if "k" in options:
        return _parse_int(options, "k", 0) or 0
    if ids := arguments.get("ids"):
        return len(_parse_names(ids))
    raise _options_error(f"does not say how many: give k, or {retriever_name}:4", "k")


def _parse_order(options: Mapping[str, Any], retriever_class: Any) -> str:
    order = options.get("order") or getattr(retriever_class, "order", "nearest-last")
    if order not in ORDERS:
        raise _options_error(f"has the order {order!r}; there is {', '.join(ORDERS)}", "order")
    return str(order)


def _parse_int(options: Mapping[str, Any], name: str, minimum: int) -> int | None:
    value = options.get(name)
    if isinstance(value, str) and value.isdigit():  # as a command line has it
        value = int(value)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise _options_error(f"has {name}: {value!r}, which should be a whole number from {minimum}", name)
    return value


def _parse_max_seconds(options: Mapping[str, Any]) -> float | None:
    value = options.get("max_seconds")
    try:
        seconds = None if value is None else float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if seconds is not None and not seconds > 0:
        raise _options_error(f"has max_seconds: {value!r}, which should be above 0", "max_seconds")
    return seconds


def _parse_names(value: Any) -> tuple[str, ...]:
    """One name, several, or several in one text with commas."""
    listed = value if isinstance(value, (list, tuple)) else str(value).split(",")
    return tuple(str(each).strip() for each in listed)


def _options_error(problem: str, *where: str) -> SpecError:
    end = "" if problem.endswith("?") else "."
    return SpecError(f"`shots` {problem}{end}", location=("shots", *where))
