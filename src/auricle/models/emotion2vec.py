"""emotion2vec: nine emotions and how likely each is, as FunASR runs it.

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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.core.yaml_files import read_yaml
from auricle.models.audio_input import get_single_audio
from auricle.models.base import BatchModel
from auricle.models.transformers.weights import resolve_device

RATE = 16_000
MIN_SAMPLES = 400  # samples: one frame of the network
SIZES = ("large", "base", "seed")
HUB_OWNERS = {"ms": "iic", "hf": "emotion2vec"}
REQUIRED_FILES = ("config.yaml", "model.pt", "tokens.txt")
TRAINING_ONLY_PREFIX = "modality_encoders.AUDIO.decoder."
"""Weights that only training uses: the published checkpoints lack them."""
LAYER_SPEC_PATTERN = re.compile(r"[\d\s()\[\],+*]+")


class Emotion2vec(BatchModel):
    """Probabilities of a checkpoint's labels, in its own spelling: `生气/angry`, `<unk>`."""

    batch_size = 1  # FunASR hears one clip after another, however many it is given
    sample_rate = RATE

    def __init__(
        self, model: str = "large", *, hub: str = "ms", revision: str | None = None, device: str = "auto"
    ) -> None:
        """`model` is a directory, `large`, `base` or `seed` (of emotion2vec+), or a hub name."""
        if hub not in HUB_OWNERS:
            raise SpecError(f"emotion2vec: hub should be {' or '.join(HUB_OWNERS)}, not {hub!r}.")
        if find_spec("funasr") is None:
            raise MissingExtra("The model emotion2vec", "emotion2vec")
        place = resolve_device("emotion2vec", device)
        folder = _resolve_model_folder(str(model), hub, revision)
        _check_folder(folder)
        with _silence_funasr() as printed:
            self._model: Any = _load_model(_import_funasr(), folder, place)
        _refuse_missing_weights(folder, printed.getvalue())

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [self._predict_one(request) for request in batch]

    def _predict_one(self, request: Predict) -> Prediction:
        samples = get_single_audio(request).decode(RATE)
        if len(samples) < MIN_SAMPLES:
            raise SampleError(f"{len(samples) / RATE:.3f} s of sound; emotion2vec needs 0.025 s")
        (heard,) = self._model.generate(samples, granularity="utterance", extract_embedding=False)
        shares = zip(heard["labels"], heard["scores"], strict=True)
        return Prediction(values=dict(shares), scale="probability")

    def close(self) -> None:
        self._model = None


@contextmanager
def _silence_funasr() -> Iterator[io.StringIO]:
    """FunASR prints, warns and sets up everybody's logging as it loads; what it printed is kept."""
    root, silence = logging.getLogger(), logging.NullHandler()
    root.addHandler(silence)  # with a handler there, it leaves the level of the rest alone
    try:
        with redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            # It drops each of its modules whose import raises, be it for a warning.
            warnings.simplefilter("ignore")
            yield printed
    finally:
        root.removeHandler(silence)


def _import_funasr() -> Any:
    """FunASR, which takes ten seconds to import: what can be checked is checked before."""
    import funasr

    failed = funasr.get_import_errors()
    for module in ("funasr.auto.auto_model", "funasr.models.emotion2vec.model"):
        if module in failed:  # else it would only say that no such model is registered
            raise SpecError(f"emotion2vec: {module} cannot be imported: {_shorten_error(failed[module])}.")
    return funasr


def _resolve_model_folder(model: str, hub: str, revision: str | None) -> Path:
    """The directory itself, which needs no network; else what a hub gave, now or before."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise SpecError(f"emotion2vec: there is no directory {model}.")
    name = f"{HUB_OWNERS[hub]}/emotion2vec_plus_{model}" if model in SIZES else model
    if "/" not in name:
        raise SpecError(
            f"emotion2vec: there is no directory {model}, nor a size of that name; sizes are {', '.join(SIZES)}."
        )
    return _download_model(name, hub, revision)


def _download_model(name: str, hub: str, revision: str | None) -> Path:
    """Without asking the hub where it was fetched before: offline, that takes long and fails."""
    download, trouble = _modelscope_downloader() if hub == "ms" else _huggingface_downloader()
    # ModelScope's earlier revisions know five labels.
    wanted = {"revision": revision or ("master" if hub == "ms" else None)}
    with suppress(*trouble):
        folder = Path(download(name, **wanted, local_files_only=True))
        if not _missing_files(folder):
            return folder
    try:
        return Path(download(name, **wanted))
    except trouble as error:
        raise SpecError(
            f"emotion2vec: {name} is not on this machine, and the hub ({hub}) did not give it "
            f"({_shorten_error(error)}). Give a directory: -M model=DIRECTORY."
        ) from error


HubDownloader = tuple[Callable[..., str], tuple[type[Exception], ...]]
"""How to fetch from it, and what it raises."""


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
    """What FunASR would only stumble over; and it evaluates one line of the configuration."""
    if missing := _missing_files(folder):
        raise SpecError(f"emotion2vec: {folder} is no emotion2vec with labels: it has no {', no '.join(missing)}.")
    config = read_yaml(folder / "config.yaml")
    if config.get("model") != "Emotion2vec":
        raise SpecError(f"emotion2vec: {folder} holds FunASR's {config.get('model')}, not Emotion2vec.")
    try:
        layers = str(config["model_conf"]["modalities"]["audio"]["feature_encoder_spec"])
    except (KeyError, TypeError) as error:
        raise SpecError(
            f"emotion2vec: {folder / 'config.yaml'} has no modalities.audio.feature_encoder_spec."
        ) from error
    if not LAYER_SPEC_PATTERN.fullmatch(layers):
        raise SpecError(
            f"emotion2vec: {folder / 'config.yaml'} would run code: feature_encoder_spec should be "
            f"a list of numbers, not {layers[:60]!r}."
        )


def _load_model(funasr: Any, folder: Path, device: str) -> Any:
    import torch

    try:
        model = funasr.AutoModel(
            model=str(folder),
            config=str(folder / "config.yaml"),  # that which was checked, and no other
            trust_remote_code=False,
            device=device,
            ncpu=torch.get_num_threads(),  # it sets the number for everybody
            disable_update=True,
            disable_pbar=True,
            ignore_init_mismatch=False,
        )
    except Exception as error:
        raise SpecError(f"emotion2vec: the model in {folder} cannot be loaded: {_shorten_error(error)}.") from error
    if model.model.proj is None:
        raise SpecError(f"emotion2vec: {folder} has no emotion labels: its config.yaml names none.")
    return model


def _refuse_missing_weights(folder: Path, printed: str) -> None:
    """FunASR fills what a checkpoint lacks with random numbers, and prints a line on it."""
    named = re.findall(r"miss key in ckpt: ([^\s,]+)", printed)
    if lacking := [each for each in named if not each.startswith(TRAINING_ONLY_PREFIX)]:
        raise SpecError(
            f"emotion2vec: {folder / 'model.pt'} lacks {len(lacking)} weights "
            f"(first {lacking[0]}), which would be random: it is another model's, or not whole."
        )


def _shorten_error(error: object) -> str:
    words = " ".join(str(error).split()).rstrip(".")
    return words if len(words) < 200 else f"{words[:200]}…"
