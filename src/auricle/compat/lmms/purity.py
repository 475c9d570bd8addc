"""What somebody's function would do besides reckoning: ask a server, open a file, throw dice."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from auricle.errors import Unreadable

NETWORK = ("requests", "httpx", "aiohttp", "urllib", "urllib3", "openai", "anthropic", "google")
JUDGES = ("lmms_eval.llm_judge", "lmms_eval.verifiers")
FILES = ("open", "generate_submission_file")


def impure(function: Callable[..., Any]) -> str:
    """The name of the first thing a function reaches that is no reckoning; empty for none."""
    return next((name for name, thing in _reached(function) if _is_outside(name, thing)), "")


def _reached(function: Any) -> Iterator[tuple[str, Any]]:
    """The global names that a function uses, and those that its neighbours in the file do."""
    seen: set[Any] = set()
    left = [function]
    while left:
        here = left.pop()
        if not isinstance(here, FunctionType) or here in seen:
            continue
        seen.add(here)
        for name in _names(here.__code__):
            thing = here.__globals__.get(name)
            yield name, thing
            if isinstance(thing, FunctionType) and thing.__globals__ is here.__globals__:
                left.append(thing)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _is_outside(name: str, thing: Any) -> bool:
    if thing is None:
        return name == "open"
    home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
    home = home or ""
    top = home.partition(".")[0]
    return top in NETWORK or home.startswith(JUDGES) or name in FILES


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
