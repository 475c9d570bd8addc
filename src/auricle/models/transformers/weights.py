"""Which weights, where from, onto what; and one line on why they cannot be had."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SpecError

DTYPES = ("auto", "float32", "bfloat16", "float16")
TRAINING_ONLY_WEIGHTS = ("masked_spec_embed",)
"""Weights that only training uses: a checkpoint may lack them."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What to load and how to run it: `-M name=value` of every model here."""

    model: str = ""
    """A directory, or a name on the hub."""
    revision: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    """As the checkpoint says, but float32 on a CPU, where half precision is slow or missing."""
    batch_size: int | None = None
    batch_seconds: float | None = None
    seed: int = 0
    """For answers at a temperature above 0."""

    @classmethod
    def from_options(cls, name: str, options: Mapping[str, Any]) -> Weights:
        known = [each.name for each in fields(cls)]
        if unknown := [each for each in options if each not in known]:
            raise SpecError(f"{name} takes no {', '.join(unknown)}; it takes {', '.join(known)}.")
        weights = cls(**options)
        weights._check(name)
        return weights

    def _check(self, name: str) -> None:
        if not self.model:
            raise SpecError(f"{name}: say what to load: -M model=DIRECTORY, or a hub name.")
        if self.dtype not in DTYPES:
            raise SpecError(f"{name}: dtype should be {', '.join(DTYPES)}, not {self.dtype!r}.")
        for limit in ("batch_size", "batch_seconds"):
            value = getattr(self, limit)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise SpecError(f"{name}: {limit} should be a number above 0, not {value!r}.")
        self._refuse_missing_directory()

    @property
    def location(self) -> str:
        """The directory if there is one, else the name to look for on the hub."""
        here = Path(self.model).expanduser()
        return str(here) if here.is_dir() else self.model

    def load(self, loader_class: Any, **options: Any) -> Any:
        """`kind.from_pretrained`, or one line on why there is nothing to load."""
        try:
            return loader_class.from_pretrained(self.location, revision=self.revision, **options)
        except ImportError as error:
            words = " ".join(str(error).split())[:200]
            raise SpecError(f"{self.model} needs one more package: {words}") from error
        except (OSError, ValueError, KeyError) as error:
            raise SpecError(self._load_error_message(error)) from error

    def build(self, model_class: Any, device: str, *, strict: bool = False) -> Any:
        """The model on its device, with every weight from the checkpoint and none invented.

        Where it is to be exact, a weight that the class has no place for is refused, too.
        """
        placed = {} if device == "cpu" else {"device_map": device}
        kind_of_number = "float32" if (self.dtype, device) == ("auto", "cpu") else self.dtype
        told = {"output_loading_info": True, "ignore_mismatched_sizes": True}  # refused below
        model, found = self.load(model_class, dtype=kind_of_number, **told, **placed)
        self._refuse_shape_mismatches(found["mismatched_keys"])
        missing = [each for each in found["missing_keys"] if not each.endswith(TRAINING_ONLY_WEIGHTS)]
        if missing:
            raise SpecError(
                f"{self.model} lacks {len(missing)} of the weights of a "
                f"{type(model).__name__} (first {sorted(missing)[0]}), which would be random: "
                "it was trained for something else, or is not whole."
            )
        if strict and (unknown := sorted(found["unexpected_keys"])):
            raise SpecError(
                f"{self.model} has {len(unknown)} weights that a {type(model).__name__} has no "
                f"place for (first {unknown[0]}): it is another kind of model."
            )
        return model.eval()

    def _refuse_shape_mismatches(self, mismatches: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> None:
        """Transformers would raise without a name, or make the weight up."""
        for name, found, due in sorted(mismatches):
            raise SpecError(
                f"{self.model} has {name} of shape {tuple(found)}, where its config.json asks for "
                f"{tuple(due)}: weights and configuration are of different models."
            )

    def _refuse_missing_directory(self) -> None:
        """What can only be a path is not looked for on the hub."""
        path_like = self.model.startswith((".", "/", "~")) or self.model.count("/") > 1
        if path_like and not Path(self.location).is_dir():
            raise SpecError(
                f"There is no directory {self.model} to load a model from: give -M model=DIRECTORY, or a hub name."
            )

    def _load_error_message(self, error: Exception) -> str:
        words = " ".join(str(error).split())
        reason = words if len(words) < 200 else f"{words[:200]}…"
        if Path(self.location).is_dir():
            return f"No model can be loaded from the directory {self.model}: {reason}"
        at = f" at revision {self.revision}" if self.revision else ""
        tried = (
            "HF_HUB_OFFLINE is set, so only the local cache was searched"
            if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
            else f"the hub did not give it ({_root_cause(error)})"
        )
        return (
            f"Looked for {self.model!r}{at}: no directory of that name here, and {tried}. "
            "Give a directory (-M model=DIRECTORY), or check the name and the network."
        )


def _root_cause(error: BaseException) -> str:
    """The first cause, in a few words: what is raised last is a page of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    words = " ".join(str(error).split())
    return words if len(words) < 160 else f"{words[:160]}…"


def import_transformers(model_name: str) -> Any:
    """The transformers package, without its loading bars and advice: a run has its own words."""
    try:
        import torch as torch
        import transformers
    except ImportError as error:
        raise MissingExtra(f"The model {model_name}", "transformers") from error
    transformers.utils.logging.disable_progress_bar()
    if "TRANSFORMERS_VERBOSITY" not in os.environ:
        transformers.utils.logging.set_verbosity_error()
    return transformers


def resolve_device(model_name: str, device: str) -> str:
    """The device asked for, if there is one; the best there is for `auto`."""
    import torch

    if device == "auto":
        best = "mps" if torch.backends.mps.is_available() else "cpu"
        return "cuda:0" if torch.cuda.is_available() else best
    kind, _, number = device.partition(":")
    found = {
        "cpu": not number,
        "cuda": (int(number) if number.isdigit() else 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if kind not in found or (number and not number.isdigit()):
        raise SpecError(f"{model_name}: device should be auto, cpu, cuda:0 or mps, not {device!r}.")
    if not found[kind]:
        raise SpecError(
            f"{model_name}: there is no {device} here (torch {torch.__version__}); device=auto takes what there is."
        )
    return device
