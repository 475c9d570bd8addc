"""What a task's `shots` asks for, as written in a file, on the command line or in Python."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.data.rows import revision
from auricle.prompts.budget import Budget, Shown, everything
from auricle.prompts.catalogue import RETRIEVERS

OWN = ("use", "k", "pool", "seed", "same", "order", "max_tokens", "max_seconds", "tokenizer")
ORDERS = ("nearest-last", "nearest-first", "random")
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
USUAL = "random"
"""Who chooses where only a number is given: nobody's favourites, and the same ones every time."""


def pool_named(given: Any) -> str:
    """The file that examples are taken from; empty where it is the data itself."""
    pool = given.get("pool") if isinstance(given, Mapping) else None
    return str(pool) if pool else ""


@dataclass(frozen=True)
class Options:
    """Examples as asked for, checked."""

    use: str
    k: int
    kind: Any
    """The retriever's class."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    order: str = "nearest-last"
    seed: int = 0
    same: tuple[str, ...] = ()
    tokens: int | None = None
    seconds: float | None = None
    tokenizer: str = ""

    @property
    def called(self) -> str:
        """The retriever as a signature tells it: what was not said, too."""
        usual = {
            name: parameter.default
            for name, parameter in _parameters(self.kind).items()
            if parameter.kind in NAMED and name != "seed"
        }
        told = sorted({**usual, **self.arguments}.items())
        arguments = ", ".join(f"{name}={_known(value)!r}" for name, value in told)
        return f"{_known(self.use)}({arguments})"

    def retriever(self) -> Any:
        seeded = {"seed": self.seed} if "seed" in _parameters(self.kind) else {}
        return self.kind(**self.arguments, **seeded)

    def budget(self, shown: Shown | None) -> Budget:
        return Budget(self.tokens, self.seconds, self.tokenizer, shown or everything)


def read(given: Any) -> Options:
    """Options from `3`, `bm25:4` or a mapping, or what is wrong with them."""
    options = _by_name(given)
    use = str(options.get("use") or USUAL)
    kind = _kind(use)
    arguments = {name: value for name, value in options.items() if name not in OWN}
    _refuse_unknown(use, kind, arguments)
    return Options(
        use=use,
        k=_count(options, use, arguments),
        kind=kind,
        arguments=arguments,
        order=_order(options, kind),
        seed=_whole(options, "seed", 0) or 0,
        same=_names(options.get("same") or ()),
        tokens=_whole(options, "max_tokens", 1),
        seconds=_seconds(options),
        tokenizer=str(options.get("tokenizer") or ""),
    )


def _known(value: Any) -> Any:
    """A value, but code in a file by what the file holds and not by where it lies."""
    file, suffix, attribute = value.partition(".py:") if isinstance(value, str) else ("", "", "")
    path = Path(f"{file}.py")
    return f"{path.name}@{revision(path)}:{attribute}" if suffix and path.is_file() else value


def _by_name(given: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    if isinstance(given, int) and not isinstance(given, bool):
        return {"k": given}
    if not isinstance(given, str) or not given:
        raise _wrong(f"should be a number, a retriever such as bm25:4, or options, not {given!r}")
    if given.lstrip("-").isdigit():
        return {"k": int(given)}
    use, _, count = given.rpartition(":")
    return {"use": use, "k": int(count)} if use and count.isdigit() else {"use": given}


def _kind(use: str) -> Any:
    try:
        kind = RETRIEVERS.get(use)
    except SpecError as error:
        error.where = ("shots", "use")
        raise
    if not hasattr(kind, "rank"):
        raise _wrong(f"names {use}, which is no class with a method `rank`", "use")
    return kind


def _parameters(kind: Any) -> Mapping[str, inspect.Parameter]:
    """What a retriever takes; a class without an `__init__` of its own takes nothing."""
    return {} if kind.__init__ is object.__init__ else inspect.signature(kind).parameters


def _refuse_unknown(use: str, kind: Any, arguments: Mapping[str, Any]) -> None:
    takes = [*OWN, *(name for name in _parameters(kind) if name not in OWN)]
    for name in arguments:
        if name not in takes:
            near = difflib.get_close_matches(name, takes, n=1)
            hint = f"did you mean {near[0]}?" if near else f"{use} takes {', '.join(takes)}"
            raise _wrong(f"has no option {name!r}; {hint}", name)
    for name, parameter in _parameters(kind).items():
        needed = parameter.default is parameter.empty and parameter.kind in NAMED
        if needed and name not in (*arguments, "seed"):
            raise _wrong(f"needs {name}, which {use} cannot do without", name)


def _count(options: Mapping[str, Any], use: str, arguments: Mapping[str, Any]) -> int:
    if use == "zero":
        return 0
    if "k" in options:
        return _whole(options, "k", 0) or 0
    if ids := arguments.get("ids"):
        return len(_names(ids))
    raise _wrong(f"does not say how many: give k, or {use}:4", "k")


def _order(options: Mapping[str, Any], kind: Any) -> str:
    order = options.get("order") or getattr(kind, "order", "nearest-last")
    if order not in ORDERS:
        raise _wrong(f"has the order {order!r}; there is {', '.join(ORDERS)}", "order")
    return str(order)


def _whole(options: Mapping[str, Any], name: str, least: int) -> int | None:
    value = options.get(name)
    if isinstance(value, str) and value.isdigit():  # as a command line has it
        value = int(value)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _wrong(f"has {name}: {value!r}, which should be a whole number from {least}", name)
    return value


def _seconds(options: Mapping[str, Any]) -> float | None:
    value = options.get("max_seconds")
    try:
        seconds = None if value is None else float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if seconds is not None and not seconds > 0:
        raise _wrong(f"has max_seconds: {value!r}, which should be above 0", "max_seconds")
    return seconds


def _names(value: Any) -> tuple[str, ...]:
    """One name, several, or several in one text with commas."""
    listed = value if isinstance(value, (list, tuple)) else str(value).split(",")
    return tuple(str(each).strip() for each in listed)


def _wrong(what: str, *where: str) -> SpecError:
    end = "" if what.endswith("?") else "."
    return SpecError(f"`shots` {what}{end}", where=("shots", *where))
