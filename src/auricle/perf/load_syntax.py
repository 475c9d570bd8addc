"""Parse the value of `--load`: its grammar and its error messages."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, cast

from auricle.core.errors import SpecError
from auricle.core.registry import Registry
from auricle.perf.load_patterns import Burst, ClosedLoop, FixedRate, Load, LoadPattern, Ramp, Steps, Trace
from auricle.perf.search import SearchPlan, Sweep


class LoadSyntaxError(ValueError):
    """A mistake in the arguments of a load."""


MIN_POSITIVE = 1e-9  # stands for "above 0"
BURSTY_SHAPE = 0.25
"""Shape of the gamma intervals of `bursty`: their standard deviation is twice their mean."""


class LoadArguments:
    """The arguments after the colon; each is taken once, and any left over is an error."""

    def __init__(self, text: str) -> None:
        self.positional: list[str] = []
        self.options: dict[str, str] = {}
        for word in filter(None, map(str.strip, text.split(","))):
            name, equals, value = word.partition("=")
            if not equals:
                self.positional.append(word)
            elif name in self.options:
                raise LoadSyntaxError(f"{name} is given twice")
            else:
                self.options[name] = value

    def take_flag(self, name: str) -> bool:
        """Remove a flag and return whether it was present."""
        if name not in self.positional:
            return False
        self.positional.remove(name)
        return True

    def take_float(self, name: str, default: float, *, minimum: float = 0.0) -> float:
        return _parse_float(self.options.pop(name), name, minimum) if name in self.options else default

    def take_int(self, name: str, default: int) -> int:
        return _parse_int(self.options.pop(name), name) if name in self.options else default

    def take_cap(self) -> int | None:
        return self.take_int("cap", 0) or None

    def take_positional(self) -> list[str]:
        """Remove and return the positional arguments; there must be at least one."""
        words, self.positional = self.positional, []
        if not words:
            raise LoadSyntaxError("a number is missing")
        return words

    def reject_unused(self) -> None:
        """Raise an error if an argument is left over."""
        unused = self.positional + [f"{name}=" for name in self.options]
        if unused:
            raise LoadSyntaxError(f"unexpected argument {unused[0]}")


def _parse_float(text: str, name: str, minimum: float = 0.0) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= minimum):
        bound = "above 0" if minimum == MIN_POSITIVE else f"of at least {minimum:g}"
        raise LoadSyntaxError(f"{name} must be a number {bound}, not {text!r}")
    return value


def _parse_int(text: str, name: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise LoadSyntaxError(f"{name} must be a whole number above 0, not {text!r}")
    return int(text)


def _parse_closed(arguments: LoadArguments) -> list[LoadPattern]:
    ramp, think = arguments.take_float("ramp", 0.0), arguments.take_float("think", 0.0)
    return [ClosedLoop(_parse_int(word, "users"), ramp, think) for word in arguments.take_positional()]


def _parse_burst(arguments: LoadArguments) -> list[LoadPattern]:
    cap = arguments.take_cap()
    return [Burst(_parse_int(word, "a burst"), cap) for word in arguments.take_positional()]


def _parse_fixed_rate(kind: Literal["constant", "poisson", "gamma"], arguments: LoadArguments) -> list[LoadPattern]:
    cap, shape = arguments.take_cap(), 1.0
    if kind == "gamma":
        if "shape" not in arguments.options:
            raise LoadSyntaxError("shape= is missing")
        shape = arguments.take_float("shape", 1.0, minimum=MIN_POSITIVE)
    rates = [_parse_float(word, "a rate", MIN_POSITIVE) for word in arguments.take_positional()]
    return [FixedRate(kind, rate, shape, cap) for rate in rates]


def _parse_bursty(arguments: LoadArguments) -> list[LoadPattern]:
    arguments.options.setdefault("shape", str(BURSTY_SHAPE))
    return _parse_fixed_rate("gamma", arguments)


def _parse_ramp(arguments: LoadArguments) -> list[LoadPattern]:
    if "over" not in arguments.options:
        raise LoadSyntaxError("over= is missing")
    ramp_seconds, cap = arguments.take_float("over", 0.0, minimum=MIN_POSITIVE), arguments.take_cap()
    exponential, is_poisson = arguments.take_flag("exp"), arguments.take_flag("poisson")
    (bounds, *extra) = arguments.take_positional()
    first_text, dash, last_text = bounds.partition("-")
    if extra or not dash:
        raise LoadSyntaxError(f"a ramp goes from one rate to another, such as 1-20, not {bounds!r}")
    start = _parse_float(first_text, "the first rate", MIN_POSITIVE if exponential else 0.0)
    end = _parse_float(last_text, "the last rate", MIN_POSITIVE if exponential else 0.0)
    if start + end <= 0:
        raise LoadSyntaxError("one of the rates must be above 0")
    return [Ramp(start, end, ramp_seconds, exponential, is_poisson, cap)]


def _parse_steps(arguments: LoadArguments) -> list[LoadPattern]:
    is_poisson, cap = arguments.take_flag("poisson"), arguments.take_cap()
    steps = []
    for word in arguments.take_positional():
        rate, separator, seconds = word.partition("x")
        if not separator:
            raise LoadSyntaxError(f"a step is a rate and seconds, such as 5x30, not {word!r}")
        steps.append((_parse_float(rate, "a rate", MIN_POSITIVE), _parse_float(seconds, "seconds", MIN_POSITIVE)))
    return [Steps(tuple(steps), is_poisson, cap)]


def _parse_trace(arguments: LoadArguments) -> list[LoadPattern]:
    return [Trace(arguments.take_float("scale", 1.0, minimum=MIN_POSITIVE), arguments.take_cap())]


def _parse_sweep(arguments: LoadArguments) -> list[LoadPattern]:
    high = arguments.take_int("high", 128)
    (points, *extra) = arguments.take_positional()
    arguments.positional += extra
    return [Sweep(_parse_int(points, "points"), high)]


def _parse_search(arguments: LoadArguments) -> list[LoadPattern]:
    low = arguments.take_float("low", 1.0, minimum=MIN_POSITIVE)
    high = arguments.take_float("high", 128.0, minimum=MIN_POSITIVE)
    tolerance, repeat = arguments.take_float("within", 0.05, minimum=MIN_POSITIVE), arguments.take_int("repeat", 1)
    variable: Literal["rate", "closed"]
    if arguments.take_flag("rate"):
        variable = "rate"
    elif arguments.take_flag("closed"):
        variable, low, high = "closed", max(1.0, round(low)), round(high)
    else:
        raise LoadSyntaxError("rate or closed is missing")
    if low > high:
        raise LoadSyntaxError(f"low={low:g} is above high={high:g}")
    return [SearchPlan(variable, low, high, tolerance, repeat)]


class LoadSyntax(NamedTuple):
    """The grammar of a kind of load, and what parses its arguments."""

    grammar: str
    parse: Callable[[LoadArguments], list[LoadPattern]]

    @property
    def summary(self) -> str:
        return self.grammar


LOAD_PATTERNS: Registry[LoadSyntax] = Registry(
    "load pattern",
    {
        "serial": LoadSyntax("serial", lambda _: [ClosedLoop(1)]),
        "closed": LoadSyntax("closed:USERS[,USERS...][,ramp=SECONDS][,think=SECONDS]", _parse_closed),
        "burst": LoadSyntax("burst:COUNT[,COUNT...][,cap=N]", _parse_burst),
        "constant": LoadSyntax("constant:RATE[,RATE...][,cap=N]", partial(_parse_fixed_rate, "constant")),
        "poisson": LoadSyntax("poisson:RATE[,RATE...][,cap=N]", partial(_parse_fixed_rate, "poisson")),
        "gamma": LoadSyntax("gamma:RATE[,RATE...],shape=SHAPE[,cap=N]", partial(_parse_fixed_rate, "gamma")),
        "bursty": LoadSyntax("bursty:RATE[,RATE...][,shape=SHAPE][,cap=N]", _parse_bursty),
        "ramp": LoadSyntax("ramp:RATE-RATE,over=SECONDS[,exp][,poisson][,cap=N]", _parse_ramp),
        "steps": LoadSyntax("steps:RATExSECONDS[,RATExSECONDS...][,poisson][,cap=N]", _parse_steps),
        "trace": LoadSyntax("trace[:scale=FACTOR][,cap=N]", _parse_trace),
        "sweep": LoadSyntax("sweep:POINTS[,high=USERS]", _parse_sweep),
        "search": LoadSyntax("search:rate|closed[,low=N][,high=N][,within=SHARE][,repeat=N]", _parse_search),
    },
    expects=(LoadSyntax, "a LoadSyntax"),
)
"""The values of `--load`, by the word before the colon."""


def parse_loads(text: str) -> list[LoadPattern]:
    """Parse a `--load` value into one load per point: `closed:1,2,4` gives three.

    Raises:
        SpecError: The text is not a load; the message shows the grammar.
    """
    kind, _, rest = text.strip().partition(":")
    syntax = LOAD_PATTERNS.get(kind)
    try:
        arguments = LoadArguments(rest)
        loads = syntax.parse(arguments)
        arguments.reject_unused()
    except LoadSyntaxError as error:
        raise SpecError(f"Load {text!r}: {error}. Expected {syntax.grammar}.") from error
    return loads


def parse_load(text: str) -> Load:
    """Parse the name of a load point, as `str(load)` gives it."""
    return cast(Load, parse_loads(text)[0])
