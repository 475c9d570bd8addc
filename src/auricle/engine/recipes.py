"""Build the inferencer, prompt, metrics and few-shot examples that the options of a task select."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, TypeVar

from auricle.core.errors import SpecError
from auricle.core.registry import import_object
from auricle.core.types import Input, RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.data.prompts import Prompt
from auricle.data.prompts.few_shot import FewShotSelector
from auricle.engine.catalogue import INFERENCERS
from auricle.engine.inferencers import Inferencer, Respond
from auricle.engine.task_options import GenerationOptions, split_list

DEFAULT_AGGREGATIONS: Mapping[str, str] = {"converse": "turns", "rounds": "last"}
"""Default aggregation of several answers."""

Samples = Iterable[Sample | RejectedRow]
ManifestT = TypeVar("ManifestT", bound=Manifest)


@dataclass(frozen=True)
class Recipe:
    """An inferencer with the metrics and aggregations that suit it."""

    inferencer: Inferencer
    metrics: tuple[str, ...]
    aggregations: str | Sequence[str]
    prompt: Prompt | None = None
    displayed_prompt: Prompt | None = None
    """Decides which columns become inputs: the prompt, or the templates of an inferencer without one."""


def build_recipe(
    options: GenerationOptions, prompt: Any, metrics: tuple[str, ...], default_inferencer: str = "respond"
) -> Recipe:
    """Build the recipe that the options select.

    Args:
        options: Options of the task.
        prompt: Prompt of the task kind, used if the options have none.
        metrics: Metrics of the task kind, used unless the inferencer has its own (`default_metrics`), because its
            output is not text.
        default_inferencer: Inferencer of the task kind.
    """
    name, settings = _parse_inferencer(options.inferencer, default_inferencer)
    try:
        factory = INFERENCERS.get(name)
    except SpecError as error:
        error.location = ("inferencer",)
        raise
    parameters = inspect.signature(factory).parameters
    if unknown := [setting for setting in settings if setting not in parameters]:
        raise SpecError(
            f"Unknown setting of the inferencer {name}: {', '.join(unknown)}. Settings: {', '.join(parameters)}.",
            location=("inferencer", unknown[0]),
        )
    parsed_prompt = None
    if "prompt" in parameters and (options.prompt or prompt):
        parsed_prompt = Prompt.of(options.prompt or prompt, system=options.system)
    defaults = {
        "prompt": parsed_prompt,
        "system": options.system,
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "stop": tuple(split_list(options.stop)),
        "samples": options.samples,
        "language": options.language,
        "abbr": options.name or PurePath(options.data).stem,
    }
    defaults = {name: value for name, value in defaults.items() if name in parameters}
    inferencer = _build_inferencer(factory, name, {**defaults, **settings})
    return Recipe(
        inferencer,
        getattr(inferencer, "default_metrics", None) or (*metrics, *getattr(inferencer, "further_metrics", ())),
        _select_aggregations(inferencer, name, options),
        parsed_prompt,
        getattr(inferencer, "prompt_columns", None) or parsed_prompt,
    )


def _parse_inferencer(setting: Any, default: str) -> tuple[str, dict[str, Any]]:
    """Return the name and settings of an inferencer, given as a name or as a mapping with `use`."""
    if not setting:
        return default, {}
    if isinstance(setting, str):
        return setting, {}
    if not isinstance(setting, Mapping):
        raise SpecError(
            f"Invalid inferencer {setting!r}: expected a name or a mapping with `use`.", location=("inferencer",)
        )
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in setting.items()}
    return str(fields.pop("use", default)), fields


def _build_inferencer(factory: Callable[..., Any], name: str, settings: dict[str, Any]) -> Inferencer:
    if isinstance(settings.get("next"), str):
        settings["next"] = import_object(settings["next"])
    try:
        inferencer: Inferencer = factory(**settings)
    except TypeError as error:
        raise SpecError(f"Cannot build the inferencer {name}: {error}.", location=("inferencer",)) from error
    if not hasattr(inferencer, "needs"):
        raise SpecError(
            f"The inferencer {name} has no attribute `needs`. Set it to the ability a model must have, "
            "such as 'generate'.",
            location=("inferencer",),
        )
    return inferencer


def _select_aggregations(inferencer: Inferencer, name: str, options: GenerationOptions) -> str | Sequence[str]:
    if options.answers:
        return options.answers
    if isinstance(inferencer, Respond) and inferencer.samples > 1:
        return "mean"
    if getattr(inferencer, "mode", "") == "last":
        return ""
    default: str = getattr(inferencer, "aggregation", "")
    return DEFAULT_AGGREGATIONS.get(name, default)


def with_shots(recipe: Recipe, shots: FewShotSelector) -> Recipe:
    """Return the recipe with few-shot examples before each sample."""
    if add_shots := getattr(recipe.inferencer, "with_shots", None):
        return replace(recipe, inferencer=add_shots(shots))
    if recipe.prompt is None:
        raise SpecError("This inferencer has no prompt, so few-shot examples cannot be used.", location=("shots",))
    prompt = replace(recipe.prompt, shots=shots)
    return replace(recipe, inferencer=replace(recipe.inferencer, prompt=prompt), prompt=prompt)  # type: ignore[type-var]


def promote_columns(prompt: Prompt | None) -> Callable[[Sample], Sample]:
    """Return a function that turns the metadata columns shown by a prompt into inputs.

    Inputs identify a sample, so a row whose displayed columns change is asked again when a run is resumed.
    """
    fields = tuple(prompt.fields) if prompt else ()

    def promote(sample: Sample) -> Sample:
        values = {name: sample.meta[name] for name in fields if name not in sample.inputs and name in sample.meta}
        if not values:
            return sample
        promoted: dict[str, Input] = {
            name: [str(item) for item in value] if isinstance(value, (list, tuple)) else str(value)
            for name, value in values.items()
        }
        return replace(sample, inputs={**sample.inputs, **promoted})

    return promote


def with_columns(manifest: ManifestT, prompt: Prompt | None) -> ManifestT:
    """Return the manifest with the columns that a prompt requires or shows."""
    if prompt is None:
        return manifest
    required = tuple(name for name, optional in prompt.fields.items() if not optional)
    return replace(manifest, prompt_fields=required, shown_columns=(*prompt.fields, *prompt.example_fields))
