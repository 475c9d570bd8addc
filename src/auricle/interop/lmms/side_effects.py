"""What somebody's function would do besides reckoning: ask a server, open a file, throw dice."""

from __future__ import annotations

import dis
import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from auricle.core.errors import Unreadable

NETWORK = ("requests", "httpx", "aiohttp", "urllib", "urllib3", "openai", "anthropic", "google")
JUDGES = ("lmms_eval.llm_judge", "lmms_eval.verifiers")
FILES = ("open", "generate_submission_file")
IMPORTED = object()
"""Stands for a module that is imported within a function."""


def impure(function: Callable[..., Any]) -> str:
    """The name of the first thing a function reaches that is no reckoning; empty for none."""
    return next((name for name, thing in _reached(function) if _is_outside(name, thing)), "")


def _reached(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function imports and the global names it uses, and those of its neighbours."""
    seen: set[Any] = set()
    left = [function]
    while left:
        here = left.pop()
        if not isinstance(here, FunctionType) or here in seen:
            continue
        seen.add(here)
        for each in _codes(here.__code__):
            yield from ((name, IMPORTED) for name in _imports(each))
            for name in each.co_names:
                thing = here.__globals__.get(name)
                yield name, thing
                left += _neighbours(thing, here)


def _neighbours(thing: Any, of: FunctionType) -> list[Any]:
    """Functions, or a class's methods, of the same file."""
    if isinstance(thing, type) and thing.__module__ == of.__module__:
        return list(vars(thing).values())
    own = isinstance(thing, FunctionType) and thing.__globals__ is of.__globals__
    return [thing] if own else []


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _imports(code: CodeType) -> list[str]:
    return [str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"]


def _is_outside(name: str, thing: Any) -> bool:
    if thing is None:
        return name == "open"
    home = name if thing is IMPORTED else _home(thing)
    return home.partition(".")[0] in NETWORK or home.startswith(JUDGES) or name in FILES


def _home(thing: Any) -> str:
    """The module that a thing is, or comes from."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    return str(getattr(thing, "__module__", None) or "")


class Dice:
    """`random`, for whoever would guess what an answer means: it cannot be read, and is told so."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def guess(*_: Any, **__: Any) -> Any:
            raise Unreadable(f"no answer could be read, and random.{name} would have guessed one")

        return guess


def without_dice(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, in whose file nothing is drawn at random any more."""
    held = getattr(function, "__globals__", {})
    for name, value in list(held.items()):
        if value is random:
            held[name] = Dice()
        elif getattr(value, "__self__", None) is getattr(random, "_inst", random):
            held[name] = getattr(Dice(), value.__name__)
    return function
