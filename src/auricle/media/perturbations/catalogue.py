"""The names of perturbations, and how they are written: `noise:snr=20,10` or `band:300-3400+codec:g711`."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import unquote

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import ConditionStep, Perturbation, PerturbationChain

S = TypeVar("S", bound=ConditionStep)

PERTURBATIONS: Mapping[str, str] = {
    "noise": "noise:Noise",
    "talker": "noise:Talker",
    "reverb": "reverb:Reverb",
    "codec": "codecs:Codec",
    "loss": "loss:Loss",
    "band": "bands:Band",
    "resample": "bands:Resample",
    "gain": "amplitude:Gain",
    "clip": "amplitude:Clip",
    "quantise": "amplitude:Quantise",
    "speed": "tempo:Speed",
    "tempo": "tempo:Tempo",
    "pitch": "tempo:Pitch",
    "pad": "silence:Pad",
    "pause": "silence:Pause",
    "truncate": "silence:Truncate",
    "replace": "content:Replace",
    "shuffle": "content:Shuffle",
    "mask": "content:Mask",
}
"""Module and class of each perturbation, by its name."""


def get_perturbation(name: str, further_names: Iterable[str] = ()) -> type[Perturbation]:
    """Return the class of a perturbation.

    Args:
        name: Name of the perturbation.
        further_names: Other names that are valid where this one stands, for the message.

    Raises:
        SpecError: if there is none of that name.
    """
    if name not in PERTURBATIONS:
        names = [*PERTURBATIONS, *further_names]
        near = get_close_matches(name, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of {', '.join(names)}."
        raise SpecError(f"Unknown perturbation {name!r}. {hint}")
    module, _, attribute = PERTURBATIONS[name].partition(":")
    kind: type[Perturbation] = getattr(import_module(f"auricle.media.perturbations.{module}"), attribute)
    return kind


def expand_steps(text: str, get_class: Callable[[str], type[S]]) -> list[tuple[S, ...]]:
    """Parse steps in which arguments may have several values, and return all combinations.

    >>> [str(step) for (step,) in expand_steps("noise:snr=20,10", get_perturbation)]
    ['noise:snr=20', 'noise:snr=10']

    Args:
        text: Name and arguments; several steps that are applied one after the other are joined by `+`.
        get_class: Returns the class of a step by its name.

    Raises:
        SpecError: if a name or a value is invalid.
    """
    return list(product(*(_expand_step(step.strip(), text, get_class) for step in text.split("+"))))


def parse_chain(text: str, seed: str = "", others: tuple[Any, ...] = ()) -> PerturbationChain:
    """Parse perturbations with one value for each argument, as `str(chain)` returns them."""
    return PerturbationChain(_parse_steps(text), seed, others)


@lru_cache(maxsize=1024)  # the journal of a run has the same text in every line
def _parse_steps(text: str) -> tuple[Perturbation, ...]:
    chains = expand_steps(text, get_perturbation)
    if len(chains) != 1:
        raise SpecError(f"{text!r} stands for {len(chains)} perturbations. Give one value for each argument.")
    return chains[0]


def _expand_step(text: str, whole: str, get_class: Callable[[str], type[S]]) -> Iterator[S]:
    name, _, rest = text.partition(":")
    kind = get_class(name)
    values = _split_values(kind, rest, whole)
    for combination in product(*values.values()):
        try:
            yield kind(**dict(zip(values, combination, strict=True)))
        except TypeError as error:  # an argument without a default
            missing = [
                argument.name for argument in fields(kind) if _is_required(argument) and argument.name not in values
            ]
            raise SpecError(f"{whole!r}: {name} needs {', '.join(missing)}.") from error


def _is_required(argument: Field[Any]) -> bool:
    return argument.default is MISSING and argument.default_factory is MISSING


def _split_values(kind: type[ConditionStep], text: str, whole: str) -> dict[str, list[Any]]:
    """Return the values of each argument; a value without a name belongs to the argument before it."""
    hints = get_type_hints(kind)
    types_by_name = {argument.name: hints[argument.name] for argument in fields(kind)}
    values: dict[str, list[Any]] = {}
    current = next(iter(types_by_name), "")
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, equals, value = word.partition("=")
        if equals:
            current = name
        else:
            value = word
        if current not in types_by_name:
            known = ", ".join(types_by_name) or "no arguments"
            raise SpecError(f"{whole!r}: {kind.name} has no argument {current!r}; it has {known}.")
        values.setdefault(current, []).append(_convert(unquote(value), types_by_name[current], f"{whole!r}: {current}"))
    return values


def _convert(text: str, annotation: Any, where: str) -> Any:
    """Convert a value to the type of its argument."""
    origin, choices = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        if text not in choices:
            raise SpecError(f"{where} must be one of {', '.join(map(str, choices))}, not {text!r}.")
        return text
    if origin in (Union, types.UnionType):
        annotation = next(choice for choice in choices if choice is not type(None))
    try:
        value = {float: float, int: int}.get(annotation, str)(text)
    except ValueError:
        raise SpecError(f"{where} must be a number, not {text!r}.") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise SpecError(f"{where} must be a finite number, not {text!r}.")
    return value
