"""What somebody's function would do besides reckoning: ask a server, open a file, throw dice."""

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
"""Stands for a module that is imported within a function."""


def find_side_effect(function: Callable[..., Any]) -> str:
    """The name of the first thing a function reaches that is no reckoning; empty for none."""
    return next((name for name, thing in _reachable_names(function) if _has_side_effect(name, thing)), "")


def _reachable_names(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function imports and the global names it uses, and those of its neighbours."""
    seen: set[Any] = set()
    left = [function]
    while left:
        here = left.pop()
        if not isinstance(here, FunctionType) or here in seen:
            continue
        seen.add(here)
        for each in _nested_code(here.__code__):
            yield from ((name, IMPORT_MARKER) for name in _imported_names(each))
            for name in each.co_names:
                thing = here.__globals__.get(name)
                yield name, thing
                left += _functions_in_same_file(thing, here)


def _functions_in_same_file(value: Any, function: FunctionType) -> list[Any]:
    """Functions, or a class's methods, of the same file."""
    if isinstance(value, type) and value.__module__ == function.__module__:
        return list(vars(value).values())
    own = isinstance(value, FunctionType) and value.__globals__ is function.__globals__
    return [value] if own else []


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested_code(each)


def _imported_names(code: CodeType) -> list[str]:
    return [str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"]


def _has_side_effect(name: str, value: Any) -> bool:
    if value is None:
        return name == "open"
    home = name if value is IMPORT_MARKER else _origin_module(value)
    return home.partition(".")[0] in NETWORK_MODULES or home.startswith(JUDGE_MODULES) or name in FILE_FUNCTIONS


def _origin_module(value: Any) -> str:
    """The module that a thing is, or comes from."""
    if isinstance(value, ModuleType):
        return value.__name__
    return str(getattr(value, "__module__", None) or "")


class RandomGuard:
    """`random`, for whoever would guess what an answer means: it cannot be read, and is told so."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def guess(*_: Any, **__: Any) -> Any:
            raise Unreadable(f"no answer could be read, and random.{name} would have guessed one")

        return guess


def block_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, in whose file nothing is drawn at random any more."""
    held = getattr(function, "__globals__", {})
    for name, value in list(held.items()):
        if value is random:
            held[name] = RandomGuard()
        elif getattr(value, "__self__", None) is getattr(random, "_inst", random):
            held[name] = getattr(RandomGuard(), value.__name__)
    return function
