"""The words of `--load`: what may follow each kind of load, and what is wrong with what did."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from typing import Literal

from auricle.core.errors import SpecError
from auricle.perf.loads import (
    Burst,
    Closed,
    Load,
    Paced,
    Ramp,
    SearchPlan,
    Steps,
    SweepPlan,
    Trace,
)

GRAMMAR = {
    "serial": "serial",
    "closed": "closed:USERS[,USERS...][,ramp=SECONDS][,think=SECONDS]",
    "burst": "burst:COUNT[,COUNT...][,cap=N]",
    "constant": "constant:RATE[,RATE...][,cap=N]",
    "poisson": "poisson:RATE[,RATE...][,cap=N]",
    "gamma": "gamma:RATE[,RATE...],shape=SHAPE[,cap=N]",
    "ramp": "ramp:RATE-RATE,over=SECONDS[,exp][,poisson][,cap=N]",
    "steps": "steps:RATExSECONDS[,RATExSECONDS...][,poisson][,cap=N]",
    "trace": "trace[:scale=FACTOR][,cap=N]",
    "sweep": "sweep:POINTS[,high=USERS]",
    "search": "search:rate|closed[,low=N][,high=N][,within=SHARE][,repeat=N]",
}


class _Wrong(ValueError):
    """What is wrong, in a few words."""


class _Words:
    """What stands behind the colon; each word is taken once, and what is left is too much."""

    def __init__(self, rest: str) -> None:
        self.plain: list[str] = []
        self.options: dict[str, str] = {}
        for word in filter(None, (each.strip() for each in rest.split(","))):
            name, equals, value = word.partition("=")
            if not equals:
                self.plain.append(word)
            elif name in self.options:
                raise _Wrong(f"{name} is given twice")
            else:
                self.options[name] = value

    def flag(self, word: str) -> bool:
        """Whether the word is there."""
        if word not in self.plain:
            return False
        self.plain.remove(word)
        return True

    def amount(self, name: str, default: float, *, least: float = 0.0) -> float:
        return _amount(self.options.pop(name), name, least) if name in self.options else default

    def whole(self, name: str, default: int) -> int:
        return _whole(self.options.pop(name), name) if name in self.options else default

    def cap(self) -> int | None:
        return self.whole("cap", 0) or None

    def taken(self) -> list[str]:
        """The plain words, of which there must be some."""
        found, self.plain = self.plain, []
        if not found:
            raise _Wrong("a number is missing")
        return found

    def finish(self) -> None:
        """Refuse what nobody took."""
        left = self.plain + [f"{name}=" for name in self.options]
        if left:
            raise _Wrong(f"{left[0]} means nothing here")


def _amount(word: str, name: str, least: float = 0.0) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        bound = "above 0" if least == TINY else f"of at least {least:g}"
        raise _Wrong(f"{name} must be a number {bound}, not {word!r}")
    return value


TINY = 1e-9  # what must be more than nothing


def _whole(word: str, name: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise _Wrong(f"{name} must be a whole number above 0, not {word!r}")
    return int(word)


def _rates(words: _Words) -> list[float]:
    return [_amount(word, "a rate", TINY) for word in words.taken()]


def _closed(words: _Words) -> list[Load]:
    ramp, think = words.amount("ramp", 0.0), words.amount("think", 0.0)
    return [Closed(_whole(word, "users"), ramp, think) for word in words.taken()]


def _burst(words: _Words) -> list[Load]:
    cap = words.cap()
    return [Burst(_whole(word, "a burst"), cap) for word in words.taken()]


def _paced(kind: Literal["constant", "poisson", "gamma"]) -> Callable[[_Words], list[Load]]:
    def made(words: _Words) -> list[Load]:
        cap, shape = words.cap(), 1.0
        if kind == "gamma":
            if "shape" not in words.options:
                raise _Wrong("shape= is missing")
            shape = words.amount("shape", 1.0, least=TINY)
        return [Paced(kind, rate, shape, cap) for rate in _rates(words)]

    return made


def _ramp(words: _Words) -> list[Load]:
    if "over" not in words.options:
        raise _Wrong("over= is missing")
    over, cap = words.amount("over", 0.0, least=TINY), words.cap()
    curved, random = words.flag("exp"), words.flag("poisson")
    (bounds, *more) = words.taken()
    first, dash, last = bounds.partition("-")
    if more or not dash:
        raise _Wrong(f"a ramp goes from one rate to another, such as 1-20, not {bounds!r}")
    start = _amount(first, "the first rate", TINY if curved else 0.0)
    end = _amount(last, "the last rate", TINY if curved else 0.0)
    if start + end <= 0:
        raise _Wrong("one of the rates must be above 0")
    return [Ramp(start, end, over, curved, random, cap)]


def _steps(words: _Words) -> list[Load]:
    random, cap = words.flag("poisson"), words.cap()
    found = []
    for word in words.taken():
        rate, times, seconds = word.partition("x")
        if not times:
            raise _Wrong(f"a step is a rate and seconds, such as 5x30, not {word!r}")
        found.append((_amount(rate, "a rate", TINY), _amount(seconds, "seconds", TINY)))
    return [Steps(tuple(found), random, cap)]


def _trace(words: _Words) -> list[Load]:
    return [Trace(words.amount("scale", 1.0, least=TINY), words.cap())]


def _sweep(words: _Words) -> list[Load]:
    high = words.whole("high", 128)
    (points, *more) = words.taken()
    words.plain += more
    return [SweepPlan(_whole(points, "points"), high)]


def _search(words: _Words) -> list[Load]:
    low = words.amount("low", 1.0, least=TINY)
    high = words.amount("high", 128.0, least=TINY)
    within, repeat = words.amount("within", 0.05, least=TINY), words.whole("repeat", 1)
    over: Literal["rate", "closed"]
    if words.flag("rate"):
        over = "rate"
    elif words.flag("closed"):
        over, low, high = "closed", max(1.0, round(low)), round(high)
    else:
        raise _Wrong("rate or closed is missing")
    if low > high:
        raise _Wrong(f"low={low:g} is above high={high:g}")
    return [SearchPlan(over, low, high, within, repeat)]


MAKERS: dict[str, Callable[[_Words], list[Load]]] = {
    "serial": lambda _: [Closed(1)],
    "closed": _closed,
    "burst": _burst,
    "constant": _paced("constant"),
    "poisson": _paced("poisson"),
    "gamma": _paced("gamma"),
    "ramp": _ramp,
    "steps": _steps,
    "trace": _trace,
    "sweep": _sweep,
    "search": _search,
}


def read(text: str) -> list[Load]:
    """The loads a text names."""
    kind, _, rest = text.strip().partition(":")
    if kind not in MAKERS:
        near = difflib.get_close_matches(kind, MAKERS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(MAKERS)}."
        raise SpecError(f"No load is called {kind!r}. {hint}")
    try:
        words = _Words(rest)
        loads = MAKERS[kind](words)
        words.finish()
    except _Wrong as error:
        raise SpecError(f"Load {text!r}: {error}. Write {GRAMMAR[kind]}.") from error
    return loads
