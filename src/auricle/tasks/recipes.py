"""How a task asks: the inferencer, the prompt and the examples that its options name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.registry import import_object
from auricle.core.types import Input, Json, Rejected, Sample
from auricle.prompts import Prompt
from auricle.prompts.few_shot import Shots
from auricle.tasks.catalogue import INFERENCERS
from auricle.tasks.inferencers import Choose, Inferencer, Respond
from auricle.tasks.options import Options, listed

SCORED_BY: Mapping[str, tuple[str, ...]] = {
    "choose": ("acc", "acc_token", "acc_char", "acc_byte"),
    "first-token": ("acc_first",),
    "labels": ("acc_whole",),
    "continue": ("token_perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"),
}
"""What counts answers of an inferencer that writes nothing."""
COUNTED: Mapping[str, str] = {"converse": "turns", "rounds": "last"}
"""Which of several answers counts where nothing is said of it."""

Samples = Iterable[Sample | Rejected]


@dataclass(frozen=True)
class Way:
    """How samples are asked about, what counts the answers, and which of several answers."""

    inferencer: Inferencer
    metrics: tuple[str, ...]
    answers: str | Sequence[str]
    prompt: Prompt | None = None
    shows: Prompt | None = None
    """What tells which columns are shown: the prompt, or what an inferencer has instead."""


def way(options: Options, prompt: Any, metrics: tuple[str, ...], use: str = "respond") -> Way:
    """What options say of asking, and otherwise what the kind of task does."""
    name, given = _named(options.inferencer, use)
    try:
        make = INFERENCERS.get(name)
    except SpecError as error:
        error.where = ("inferencer",)
        raise
    takes = inspect.signature(make).parameters
    if unknown := [each for each in given if each not in takes]:
        raise SpecError(
            f"The inferencer {name} takes no {', '.join(unknown)}; it takes {', '.join(takes)}.",
            where=("inferencer", unknown[0]),
        )
    said = None
    if "prompt" in takes and (options.prompt or prompt):
        said = Prompt.of(options.prompt or prompt, system=options.system)
    settings = {
        "prompt": said,
        "system": options.system,
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "stop": tuple(listed(options.stop)),
        "samples": options.samples,
        "abbr": options.name or PurePath(options.data).stem,
    }
    made = _made(make, name, {**{k: v for k, v in settings.items() if k in takes}, **given})
    answers, shows = _answers(made, name, options), said or getattr(made, "shows", None)
    return Way(made, _metrics(made, name, metrics), answers, said, shows)


def _named(given: Any, use: str) -> tuple[str, dict[str, Any]]:
    """An inferencer's name and what it is given: from a name alone, or from `use` and the rest."""
    if not given:
        return use, {}
    if isinstance(given, str):
        return given, {}
    if not isinstance(given, Mapping):
        raise SpecError(f"inferencer should be a name, not {given!r}.", where=("inferencer",))
    fields = {name: _settled(value) for name, value in given.items()}
    return str(fields.pop("use", use)), fields


def _settled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _made(make: Callable[..., Any], name: str, settings: dict[str, Any]) -> Inferencer:
    if isinstance(settings.get("next"), str):
        settings["next"] = import_object(settings["next"])
    try:
        made: Inferencer = make(**settings)
    except TypeError as error:
        raise SpecError(f"The inferencer {name}: {error}.", where=("inferencer",)) from error
    if not hasattr(made, "needs"):
        raise SpecError(
            f"{name} does not say what a model needs: give it `needs`, such as 'generate'.",
            where=("inferencer",),
        )
    return made


def _metrics(made: Inferencer, name: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(made, Choose):
        also = (*("acc_pmi",) * made.unconditional, *("acc_whole",) * made.whole)
        return (*SCORED_BY["choose"], *also)
    return SCORED_BY.get(name, otherwise)


def _answers(made: Inferencer, name: str, options: Options) -> str | Sequence[str]:
    if options.answers:
        return options.answers
    if isinstance(made, Respond) and made.samples > 1:
        return "mean"
    if getattr(made, "mode", "") == "last":
        return ""
    return COUNTED.get(name, "")


def with_shots(way: Way, shots: Shots) -> Way:
    """The same way, with examples before each sample."""
    if way.prompt is None:
        raise SpecError("This inferencer has no prompt to show examples in.", where=("shots",))
    prompt = replace(way.prompt, shots=shots)
    return replace(way, inferencer=replace(way.inferencer, prompt=prompt), prompt=prompt)  # type: ignore[type-var]


def shown(prompt: Prompt | None) -> Callable[[Sample], Sample]:
    """What makes of a row's other columns inputs, where a prompt shows them.

    What is shown is part of what was asked: a row in which it changes is asked again.
    """
    wanted = tuple(prompt.fields) if prompt else ()

    def promoted(sample: Sample) -> Sample:
        new: dict[str, Input] = {
            name: _text(sample.meta[name])
            for name in wanted
            if name not in sample.inputs and name in sample.meta
        }
        return replace(sample, inputs={**sample.inputs, **new}) if new else sample

    return promoted


def shown_always(prompt: Prompt | None) -> tuple[str, ...]:
    """The inputs that a prompt cannot do without."""
    fields = prompt.fields if prompt else {}
    return tuple(name for name, optional in fields.items() if not optional)


def _text(value: Json) -> Input:
    if isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    return str(value)
