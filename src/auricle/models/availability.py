"""List the models with what is installed and which weights are at hand, without importing heavy packages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from auricle.core.errors import AuricleError
from auricle.models.adapt import adapt
from auricle.models.base import Model
from auricle.models.catalogue import MODELS
from auricle.models.checkpoints import Checkpoint, list_checkpoints
from auricle.models.listing import ModelGroup, ModelListing

GROUPS: tuple[ModelGroup, ...] = get_args(ModelGroup)
FAKE: ModelGroup = "Fake"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model of the catalogue, as a menu shows it."""

    name: str
    summary: str
    group: ModelGroup
    is_ready: bool
    """Whether nothing has to be installed, downloaded or set first, as far as this is known without loading it."""
    status: str
    """What is at hand, or what is missing, in a few words."""
    checkpoints: tuple[str, ...] = ()
    """Names of downloaded checkpoints that the model can load."""

    @property
    def is_fake(self) -> bool:
        return self.group == FAKE


def list_model_entries() -> list[ModelEntry]:
    """List the models of the catalogue by group, and those that are ready first in each."""
    checkpoints = list_checkpoints()
    entries = [_describe_model(name, checkpoints) for name in MODELS]
    return sorted(entries, key=lambda entry: (GROUPS.index(entry.group), not entry.is_ready, entry.name))


def _describe_model(name: str, checkpoints: Sequence[Checkpoint]) -> ModelEntry:
    summary = MODELS.summary(name)
    try:
        model_class = adapt(MODELS.get(name))
    except AuricleError as error:  # a package that is broken
        return ModelEntry(name, summary, "Other", is_ready=False, status=str(error))
    suitable = _list_suitable(model_class.listing, checkpoints)
    is_ready, status = _describe_status(model_class, suitable, {})
    return ModelEntry(name, summary, model_class.listing.group, is_ready, status, suitable)


def describe_readiness(model_class: type[Model], arguments: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether all that a model needs is on this machine, as far as this is known without loading it, and why."""
    return _describe_status(model_class, _list_suitable(model_class.listing, list_checkpoints()), arguments)


def _list_suitable(listing: ModelListing, checkpoints: Sequence[Checkpoint]) -> tuple[str, ...]:
    is_needed = listing.weights == "checkpoint"
    return tuple(item.name for item in checkpoints if is_needed and item.suits(listing))


def _describe_status(
    model_class: type[Model], checkpoints: Sequence[str], arguments: Mapping[str, Any]
) -> tuple[bool, str]:
    listing = model_class.listing
    if not listing.is_installed:
        return False, f"not installed: pip install 'auricle[{listing.extra}]'"
    if listing.weights == "package":
        return True, "installed"
    if listing.weights == "checkpoint":
        return _describe_weights(str(arguments.get("model") or getattr(model_class, "default_model", "")), checkpoints)
    key_variable = arguments.get("api_key_env") or getattr(model_class, "default_key_env", "")
    if key_variable and not arguments.get("api_key"):
        is_set = bool(os.environ.get(key_variable))
        return is_set, f"installed; {key_variable} is {'set' if is_set else 'not set'}"
    return True, "installed"


def _describe_weights(model: str, checkpoints: Sequence[str]) -> tuple[bool, str]:
    """Say whether the weights that a model names, or any if it names none, are on this machine."""
    if model and (model in checkpoints or Path(model).expanduser().exists()):
        return True, f"installed; {model} is on this machine"
    if checkpoints and not model:
        return True, f"installed; downloaded: {', '.join(checkpoints)}"
    return False, f"installed; {model} is not on this machine yet" if model else "installed; no weights yet"
