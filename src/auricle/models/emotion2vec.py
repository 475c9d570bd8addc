"""emotion2vec: probabilities of nine emotions, computed with FunASR.

-m emotion2vec
-m emotion2vec -M model=base -M hub=hf
-m emotion2vec -M model=./emotion2vec_plus_large -M device=cuda:0
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from auricle.core.arguments import Hint
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.core.yaml_files import read_yaml
from auricle.models.base import BatchModel
from auricle.models.listing import WITHOUT_WEIGHTS, ModelListing
from auricle.models.request_input import get_single_audio
from auricle.models.transformers.weights import is_path_like, resolve_device, shorten_error

RATE = 16_000
MIN_SAMPLES = 400  # one frame of the network
SIZES = ("large", "base", "seed")
Hub: TypeAlias = Literal["ms", "hf"]
HUB_OWNERS = dict(zip(get_args(Hub), ("iic", "emotion2vec"), strict=True))
REQUIRED_FILES = ("config.yaml", "model.pt", "tokens.txt")
TRAINING_ONLY_PREFIX = "modality_encoders.AUDIO.decoder."
"""Weights used only in training; the published checkpoints do not contain them."""
LAYER_SPEC_PATTERN = re.compile(r"[\d\s()\[\],+*]+")


class Emotion2vec(BatchModel):
    """A classifier that returns probabilities under the checkpoint's own labels, such as `生气/angry` or `<unk>`."""

    listing = ModelListing(
        group="Emotion and sounds",
        extra="emotion2vec",
        packages=("funasr",),
        weights="checkpoint",
        weight_files=REQUIRED_FILES,
    )
    batch_size = 1  # FunASR processes clips one by one, whatever the batch size
    sample_rate = RATE

    def __init__(
        self,
        model: Annotated[str, Hint("weights", SIZES)] = "large",
        *,
        hub: Hub = "ms",
        revision: str | None = None,
        device: Annotated[str, Hint(choices=("auto", "cpu", "cuda:0", "mps"))] = "auto",
    ) -> None:
        """Load the model.

        Args:
            model: A directory, a hub name, or a size of emotion2vec+: `large`, `base` or `seed`.
            hub: `ms` (ModelScope) or `hf` (Hugging Face).
            revision: Revision on the hub.
            device: `auto`, `cpu`, `cuda:N` or `mps`.
        """
        if hub not in HUB_OWNERS:
            raise SpecError(f"emotion2vec: hub must be {' or '.join(HUB_OWNERS)}, not {hub!r}.")
        self.listing.require("The model emotion2vec")
        resolved_device = resolve_device("emotion2vec", device)
        folder = _resolve_model_folder(str(model), hub, revision)
        _check_folder(folder)
        with _silence_funasr() as printed:
            self._model: Any = _load_model(_import_funasr(), folder, resolved_device)
        _refuse_missing_weights(folder, printed.getvalue())

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return list(map(self._predict_one, batch))

    def _predict_one(self, request: Predict) -> Prediction:
        samples = get_single_audio(request).decode(RATE)
        if len(samples) < MIN_SAMPLES:
            raise SampleError(f"the clip has {len(samples) / RATE:.3f} s; emotion2vec needs at least 0.025 s")
        (result,) = self._model.generate(samples, granularity="utterance", extract_embedding=False)
        probabilities = zip(result["labels"], result["scores"], strict=True)
        return Prediction(values=dict(probabilities), scale="probability")

    def close(self) -> None:
        self._model = None


@contextmanager
def _silence_funasr() -> Iterator[io.StringIO]:
    """Suppress FunASR's output and warnings while it loads, and capture what it prints."""
    root, null_handler = logging.getLogger(), logging.NullHandler()
    root.addHandler(null_handler)  # FunASR reconfigures logging unless the root logger has a handler
    try:
        with redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            # FunASR skips every submodule whose import raises, even if only a warning was turned into an error.
            warnings.simplefilter("ignore")
            yield printed
    finally:
        root.removeHandler(null_handler)


def _import_funasr() -> Any:
    """Import FunASR. The import takes ten seconds, so all other checks come first."""
    import funasr

    import_errors = funasr.get_import_errors()
    for module in ("funasr.auto.auto_model", "funasr.models.emotion2vec.model"):
        if module in import_errors:  # otherwise FunASR only reports that the model is not registered
            raise SpecError(f"emotion2vec: {module} cannot be imported: {_reason(import_errors[module])}.")
    return funasr


def _resolve_model_folder(model: str, hub: str, revision: str | None) -> Path:
    """Return a local directory, or the downloaded (or cached) snapshot of a hub model."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if is_path_like(model):
        raise SpecError(f"emotion2vec: no such directory: {model}.")
    name = f"{HUB_OWNERS[hub]}/emotion2vec_plus_{model}" if model in SIZES else model
    if "/" not in name:
        raise SpecError(f"emotion2vec: {model} is neither a directory nor a size. Sizes: {', '.join(SIZES)}.")
    return _download_model(name, hub, revision)


def _download_model(name: str, hub: str, revision: str | None) -> Path:
    """Return the snapshot of a model, from the local cache if possible: asking the hub is slow when offline."""
    download, hub_errors = _modelscope_downloader() if hub == "ms" else _huggingface_downloader()
    # Earlier revisions on ModelScope have only five labels.
    options = {"revision": revision or ("master" if hub == "ms" else None)}
    with suppress(*hub_errors):
        folder = Path(download(name, **options, local_files_only=True))
        if not _missing_files(folder):
            return folder
    try:
        return Path(download(name, **options))
    except hub_errors as error:
        raise SpecError(
            f"emotion2vec: {name} is not in the local cache and could not be downloaded from the hub ({hub}): "
            f"{_reason(error)}. Set a directory instead: -M model=DIRECTORY. {WITHOUT_WEIGHTS}"
        ) from error


HubDownloader = tuple[Callable[..., str], tuple[type[Exception], ...]]
"""The download function of a hub, and the exceptions it raises."""


def _modelscope_downloader() -> HubDownloader:
    from modelscope.hub.snapshot_download import snapshot_download
    from modelscope_hub.errors import HubError

    return snapshot_download, (HubError, OSError, ValueError)


def _huggingface_downloader() -> HubDownloader:
    from huggingface_hub import snapshot_download

    return snapshot_download, (OSError, ValueError)


def _missing_files(folder: Path) -> list[str]:
    return [name for name in REQUIRED_FILES if not (folder / name).is_file()]


def _check_folder(folder: Path) -> None:
    """Check the files and the configuration. FunASR evaluates `feature_encoder_spec` as code."""
    if missing := _missing_files(folder):
        raise SpecError(f"emotion2vec: {folder} is not an emotion2vec model: missing {', '.join(missing)}.")
    config = read_yaml(folder / "config.yaml")
    if config.get("model") != "Emotion2vec":
        raise SpecError(f"emotion2vec: {folder} contains the FunASR model {config.get('model')}, not Emotion2vec.")
    try:
        layers = str(config["model_conf"]["modalities"]["audio"]["feature_encoder_spec"])
    except (KeyError, TypeError) as error:
        raise SpecError(
            f"emotion2vec: {folder / 'config.yaml'}: missing field modalities.audio.feature_encoder_spec."
        ) from error
    if not LAYER_SPEC_PATTERN.fullmatch(layers):
        raise SpecError(
            f"emotion2vec: {folder / 'config.yaml'} contains code: feature_encoder_spec must be "
            f"a list of numbers, not {layers[:60]!r}."
        )


def _load_model(funasr: Any, folder: Path, device: str) -> Any:
    import torch

    try:
        model = funasr.AutoModel(
            model=str(folder),
            config=str(folder / "config.yaml"),  # the file that was checked above
            trust_remote_code=False,
            device=device,
            ncpu=torch.get_num_threads(),  # FunASR sets this for the whole process
            disable_update=True,
            disable_pbar=True,
            ignore_init_mismatch=False,
        )
    except Exception as error:
        raise SpecError(f"emotion2vec: cannot load the model in {folder}: {_reason(error)}.") from error
    if model.model.proj is None:
        raise SpecError(f"emotion2vec: {folder} has no emotion labels in its config.yaml.")
    return model


def _refuse_missing_weights(folder: Path, printed: str) -> None:
    """Raise if weights are missing: FunASR initialises them at random and only prints a line."""
    missing_keys = re.findall(r"miss key in ckpt: ([^\s,]+)", printed)
    if required := [key for key in missing_keys if not key.startswith(TRAINING_ONLY_PREFIX)]:
        raise SpecError(
            f"emotion2vec: {folder / 'model.pt'} lacks {len(required)} weights (first: {required[0]}), "
            "which would be initialised at random. The file is incomplete or belongs to another model."
        )


def _reason(error: object) -> str:
    return shorten_error(str(error).strip().rstrip("."))
