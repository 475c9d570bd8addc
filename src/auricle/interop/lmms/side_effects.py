"""Detect functions that do more than compute: network requests, files, random numbers."""

from __future__ import annotations

import dis
import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from auricle.core.errors import Unreadable

NETWORK_MODULES = ("requests", "httpx", "aiohttp", "urllib", "urllib3", "openai", "anthropic", "google")
JUDGE_MODULES = ("lmms_eval.llm_judge", "lmms_eval.verifiers")
FILE_FUNCTIONS = ("open", "generate_submission_file")
IMPORT_MARKER = object()
"""Value for modules that are imported within a function."""


def find_side_effect(function: Callable[..., Any]) -> str:
    """Return the first name with a side effect that a function reaches, or "" if there is none."""
    return next((name for name, value in _reachable_names(function) if _has_side_effect(name, value)), "")


def _reachable_names(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the imports and globals that a function uses, and those of functions it uses in the same file."""
    seen: set[Any] = set()
    pending = [function]
    while pending:
        current = pending.pop()
        if not isinstance(current, FunctionType) or current in seen:
            continue
        seen.add(current)
        for code in _nested_code(current.__code__):
            yield from ((name, IMPORT_MARKER) for name in _imported_names(code))
            for name in code.co_names:
                value = current.__globals__.get(name)
                yield name, value
                pending += _functions_in_same_file(value, current)


def _functions_in_same_file(value: Any, function: FunctionType) -> list[Any]:
    """Return a function, or the methods of a class, if defined in the same file."""
    if isinstance(value, type) and value.__module__ == function.__module__:
        return list(vars(value).values())
    is_same_file = isinstance(value, FunctionType) and value.__globals__ is function.__globals__
    return [value] if is_same_file else []


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested_code(constant)


def _imported_names(code: CodeType) -> list[str]:
    return [
        str(instruction.argval) for instruction in dis.get_instructions(code) if instruction.opname == "IMPORT_NAME"
    ]


def _has_side_effect(name: str, value: Any) -> bool:
    if value is None:
        return name == "open"
    module = name if value is IMPORT_MARKER else _origin_module(value)
    return module.partition(".")[0] in NETWORK_MODULES or module.startswith(JUDGE_MODULES) or name in FILE_FUNCTIONS


def _origin_module(value: Any) -> str:
    """Return the name of a module, or of the module that defines a value."""
    if isinstance(value, ModuleType):
        return value.__name__
    return str(getattr(value, "__module__", None) or "")


class RandomGuard:
    """Replacement of `random` that marks an answer unreadable instead of guessing its meaning."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def raise_unreadable(*_: Any, **__: Any) -> Any:
            raise Unreadable(f"no answer could be extracted, and random.{name} would have guessed one")

        return raise_unreadable


def block_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """Replace `random` in the globals of a function's file with `RandomGuard`."""
    namespace = getattr(function, "__globals__", {})
    for name, value in list(namespace.items()):
        if value is random:
            namespace[name] = RandomGuard()
        elif getattr(value, "__self__", None) is getattr(random, "_inst", random):
            namespace[name] = getattr(RandomGuard(), value.__name__)
    return function
