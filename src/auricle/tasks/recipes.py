"""How a task asks: the inferencer, the prompt and the examples that its options name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.registry import import_object
from auricle.core.types import Input, Json, RejectedRow, Sample
from auricle.prompts import Prompt
from auricle.prompts.few_shot import FewShotSelector
from auricle.tasks.catalogue import INFERENCERS
from auricle.tasks.inferencers import Choose, Inferencer, Respond
from auricle.tasks.options import TaskOptions, split_list

METRICS_BY_INFERENCER: Mapping[str, tuple[str, ...]] = {
    "choose": ("acc", "acc_token", "acc_char", "acc_byte"),
    "first-token": ("acc_first",),
    "labels": ("acc_whole",),
    "continue": ("token_perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"),
}
"""What counts answers of an inferencer that writes nothing."""
DEFAULT_AGGREGATIONS: Mapping[str, str] = {"converse": "turns", "rounds": "last"}
"""Which of several answers counts where nothing is said of it."""

Samples = Iterable[Sample | RejectedRow]


@dataclass(frozen=True)
class Recipe:
    """How samples are asked about, what counts the answers, and which of several answers."""

    inferencer: Inferencer
    metrics: tuple[str, ...]
    aggregations: str | Sequence[str]
    prompt: Prompt | None = None
    displayed_prompt: Prompt | None = None
    """What tells which columns are shown: the prompt, or what an inferencer has instead."""


def build_recipe(
    options: TaskOptions, prompt: Any, metrics: tuple[str, ...], default_inferencer: str = "respond"
) -> Recipe:
    """What options say of asking, and otherwise what the kind of task does."""
    name, given = _parse_inferencer(options.inferencer, default_inferencer)
    try:
        make = INFERENCERS.get(name)
    except SpecError as error:
        error.location = ("inferencer",)
        raise
    takes = inspect.signature(make).parameters
    if unknown := [each for each in given if each not in takes]:
        raise SpecError(
            f"The inferencer {name} takes no {', '.join(unknown)}; it takes {', '.join(takes)}.",
            location=("inferencer", unknown[0]),
        )
    said = None
    if "prompt" in takes and (options.prompt or prompt):
        said = Prompt.of(options.prompt or prompt, system=options.system)
    settings = {
        "prompt": said,
        "system": options.system,
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "stop": tuple(split_list(options.stop)),
        "samples": options.samples,
        "abbr": options.name or PurePath(options.data).stem,
    }
    made = _build_inferencer(make, name, {**{k: v for k, v in settings.items() if k in takes}, **given})
    answers, shows = (_select_aggregations(made, name, options), said or getattr(made, "prompt_columns", None))
    return Recipe(made, _select_metrics(made, name, metrics), answers, said, shows)


def _parse_inferencer(setting: Any, default: str) -> tuple[str, dict[str, Any]]:
    """An inferencer's name and what it is given: from a name alone, or from `use` and the rest."""
    if not setting:
        return default, {}
    if isinstance(setting, str):
        return setting, {}
    if not isinstance(setting, Mapping):
        raise SpecError(f"inferencer should be a name, not {setting!r}.", location=("inferencer",))
    fields = {name: _to_tuple(value) for name, value in setting.items()}
    return str(fields.pop("use", default)), fields


def _to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _build_inferencer(factory: Callable[..., Any], name: str, settings: dict[str, Any]) -> Inferencer:
    if isinstance(settings.get("next"), str):
        settings["next"] = import_object(settings["next"])
    try:
        made: Inferencer = factory(**settings)
    except TypeError as error:
        raise SpecError(f"The inferencer {name}: {error}.", location=("inferencer",)) from error
    if not hasattr(made, "needs"):
        raise SpecError(
            f"{name} does not say what a model needs: give it `needs`, such as 'generate'.", location=("inferencer",)
        )
    return made


def _select_metrics(inferencer: Inferencer, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(inferencer, Choose):
        also = (*("acc_pmi",) * inferencer.unconditional, *("acc_whole",) * inferencer.whole)
        return (*METRICS_BY_INFERENCER["choose"], *also)
    return METRICS_BY_INFERENCER.get(name, default)


def _select_aggregations(inferencer: Inferencer, name: str, options: TaskOptions) -> str | Sequence[str]:
    if options.answers:
        return options.answers
    if isinstance(inferencer, Respond) and inferencer.samples > 1:
        return "mean"
    if getattr(inferencer, "mode", "") == "last":
        return ""
    return DEFAULT_AGGREGATIONS.get(name, "")


def with_shots(recipe: Recipe, shots: FewShotSelector) -> Recipe:
    """The same way, with examples before each sample."""
    if recipe.prompt is None:
        raise SpecError("This inferencer has no prompt to show examples in.", location=("shots",))
    prompt = replace(recipe.prompt, shots=shots)
    return replace(recipe, inferencer=replace(recipe.inferencer, prompt=prompt), prompt=prompt)  # type: ignore[type-var]


def promote_columns(prompt: Prompt | None) -> Callable[[Sample], Sample]:
    """What makes of a row's other columns inputs, where a prompt shows them.

    What is shown is part of what was asked: a row in which it changes is asked again.
    """
    wanted = tuple(prompt.fields) if prompt else ()

    def promoted(sample: Sample) -> Sample:
        new: dict[str, Input] = {
            name: _to_input(sample.meta[name]) for name in wanted if name not in sample.inputs and name in sample.meta
        }
        return replace(sample, inputs={**sample.inputs, **new}) if new else sample

    return promoted


def required_fields(prompt: Prompt | None) -> tuple[str, ...]:
    """The inputs that a prompt cannot do without."""
    fields = prompt.fields if prompt else {}
    return tuple(name for name, optional in fields.items() if not optional)


def _to_input(value: Json) -> Input:
    if isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    return str(value)
