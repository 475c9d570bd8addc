"""Where the weights of a model come from, and the device they run on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from auricle.core.arguments import Hint
from auricle.core.errors import MissingExtra, SpecError

Dtype: TypeAlias = Literal["auto", "float32", "bfloat16", "float16"]
DTYPES = get_args(Dtype)
TRAINING_ONLY_WEIGHTS = ("masked_spec_embed",)  # weights used only in training; a checkpoint may lack them


class MissingWeights(SpecError):
    """The weights of a model are neither on this machine nor could they be downloaded."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The options of every local model, set with `-M name=value`."""

    model: Annotated[str, Hint("weights", is_required=True, default_attribute="default_model")] = ""
    """A directory or a hub name."""
    revision: str | None = None
    """Revision on the hub."""
    device: Annotated[str, Hint(choices=("auto", "cpu", "cuda:0", "mps"), is_common=True)] = "auto"
    """Where the model runs; `auto` is the first GPU, or else the CPU."""
    dtype: Dtype = "auto"
    """`auto` is the checkpoint's format, but float32 on a CPU, where half precision is slow or missing."""
    batch_size: int | None = None
    """Maximum number of requests per batch."""
    batch_seconds: float | None = None
    """Maximum seconds of audio per batch, padding included."""

    @classmethod
    def from_options(cls, name: str, options: Mapping[str, Any], model_options: Sequence[str] = ()) -> Weights:
        """Read the options that all models share; the error message lists `model_options`, too."""
        accepted = [option.name for option in fields(cls)]
        if unknown := [option for option in options if option not in accepted]:
            known = ", ".join(dict.fromkeys([*accepted, *model_options]))
            raise SpecError(f"{name}: unknown option {', '.join(unknown)}. Accepted: {known}.")
        weights = cls(**options)
        weights._check(name)
        return weights

    def _check(self, name: str) -> None:
        if not self.model:
            raise SpecError(f"{name}: missing model. Set -M model=DIRECTORY or a hub name.")
        if self.dtype not in DTYPES:
            raise SpecError(f"{name}: dtype must be one of {', '.join(DTYPES)}, not {self.dtype!r}.")
        for limit in ("batch_size", "batch_seconds"):
            value = getattr(self, limit)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise SpecError(f"{name}: {limit} must be a number above 0, not {value!r}.")
        if is_path_like(self.model) and not Path(self.location).is_dir():
            raise SpecError(f"No such model directory: {self.model}. Set -M model=DIRECTORY or a hub name.")

    @property
    def location(self) -> str:
        """Return the directory if it exists, otherwise the hub name."""
        folder = Path(self.model).expanduser()
        return str(folder) if folder.is_dir() else self.model

    def load(self, loader_class: Any, **options: Any) -> Any:
        """Call `loader_class.from_pretrained`, and raise a one-line error if it fails."""
        try:
            return loader_class.from_pretrained(self.location, revision=self.revision, **options)
        except ImportError as error:
            reason = " ".join(str(error).split())[:200]
            raise SpecError(f"{self.model} needs another package: {reason}") from error
        except (OSError, ValueError, KeyError) as error:
            if not Path(self.location).is_dir():
                raise MissingWeights(self._not_found_message(error)) from error
            raise SpecError(f"Cannot load a model from the directory {self.model}: {shorten_error(error)}") from error

    def build(self, model_class: Any, device: str, *, strict: bool = False) -> Any:
        """Load the model on its device, and raise if weights are missing from the checkpoint.

        With `strict`, also raise if the checkpoint has weights that the model does not use.
        """
        device_options = {} if device == "cpu" else {"device_map": device}
        dtype = "float32" if (self.dtype, device) == ("auto", "cpu") else self.dtype
        options = {"output_loading_info": True, "ignore_mismatched_sizes": True}  # mismatches raise below
        model, info = self.load(model_class, dtype=dtype, **options, **device_options)
        self._refuse_shape_mismatches(info["mismatched_keys"])
        missing = [key for key in info["missing_keys"] if not key.endswith(TRAINING_ONLY_WEIGHTS)]
        if missing:
            raise SpecError(
                f"{self.model} lacks {len(missing)} weights of a {type(model).__name__} "
                f"(first: {sorted(missing)[0]}), which would be initialised at random. "
                "The checkpoint is incomplete or was trained for another task."
            )
        if strict and (unknown := sorted(info["unexpected_keys"])):
            raise SpecError(
                f"{self.model} has {len(unknown)} weights that a {type(model).__name__} does not use "
                f"(first: {unknown[0]}). It is a different kind of model."
            )
        return model.eval()

    def _refuse_shape_mismatches(self, mismatches: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> None:
        """Raise on the first mismatch; transformers would not name the weight, or would initialise it at random."""
        for name, actual, expected in sorted(mismatches):
            raise SpecError(
                f"{self.model}: {name} has the shape {tuple(actual)}, but config.json requires {tuple(expected)}. "
                "Weights and configuration belong to different models."
            )

    def _not_found_message(self, error: Exception) -> str:
        revision = f" at revision {self.revision}" if self.revision else ""
        lookup = (
            "HF_HUB_OFFLINE is set, so only the local cache was searched"
            if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
            else f"it could not be downloaded from the hub ({_root_cause(error)})"
        )
        return (
            f"Model {self.model!r}{revision} not found: there is no such directory, and {lookup}. "
            "Set a directory with -M model=DIRECTORY, or check the name and the network."
        )


def is_path_like(name: str) -> bool:
    """Return whether a name can only be a path, because hub names have the form `owner/name`."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _root_cause(error: BaseException) -> str:
    """Return the first cause of an error in one line; the last one is a page of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return shorten_error(error, 160)


def shorten_error(error: object, limit: int = 200) -> str:
    """Return the message of an error in one line."""
    words = " ".join(str(error).split())
    return words if len(words) < limit else f"{words[:limit]}…"


def import_transformers(model_name: str) -> Any:
    """Import transformers without its progress bars and warnings."""
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
    """Return the requested device if it is available, or the best one for `auto`."""
    import torch

    if device == "auto":
        fallback = "mps" if torch.backends.mps.is_available() else "cpu"
        return "cuda:0" if torch.cuda.is_available() else fallback
    kind, _, number = device.partition(":")
    available = {
        "cpu": not number,
        "cuda": (int(number) if number.isdigit() else 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if kind not in available or (number and not number.isdigit()):
        raise SpecError(f"{model_name}: device must be auto, cpu, cuda:0 or mps, not {device!r}.")
    if not available[kind]:
        raise SpecError(f"{model_name}: {device} is not available (torch {torch.__version__}). Use device=auto.")
    return device
