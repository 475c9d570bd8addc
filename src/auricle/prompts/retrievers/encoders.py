"""Encoders that turn samples into vectors, from their audio or their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Sample, list_parts
from auricle.prompts.catalogue import ENCODERS
from auricle.prompts.retrievers.bm25 import sample_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Encoder: TypeAlias = Callable[[Sequence[Sample]], Any]
SAMPLE_RATE, FRAME_LENGTH, HOP_LENGTH, FFT_SIZE, MEL_BANDS = 16_000, 400, 160, 512, 64
"""Frames of 25 ms every 10 ms, in 64 mel bands up to 8 kHz."""
POWER_FLOOR = 1e-10


def load_encoder(name: str) -> Encoder:
    """Load `logmel`, `text:MODEL`, `audio:MODEL`, or a function in a module or a file."""
    kind, _, model = str(name).partition(":")
    try:
        if kind in ("text", "audio"):
            if not model:
                raise SpecError(f"The encoder {kind} needs a model: {kind}:FOLDER.")  # noqa: TRY301
            encoder: Encoder = ENCODERS.get(kind)(model)
        else:
            encoder = ENCODERS.get(name)
    except SpecError as error:
        error.location = ("shots", "encoder")
        raise
    return encoder


# --- log-mel statistics ------------------------------------------------------------


def logmel(samples: Sequence[Sample]) -> Vectors:
    """Return the mean and spread over time of the log-mel bands, which describe how a recording sounds."""
    return np.stack([_logmel_statistics(audio_parts(sample)) for sample in samples])


def audio_parts(sample: Sample) -> list[Audio]:
    parts = [part for value in sample.inputs.values() for part in list_parts(value)]
    clips = [part for part in parts if isinstance(part, Audio)]
    if not clips:
        raise SampleError(f"{sample.id} has no audio to compare by")
    return clips


def _logmel_statistics(clips: Sequence[Audio]) -> Vectors:
    bands = np.concatenate([_logmel_bands(clip.decode(SAMPLE_RATE)) for clip in clips])
    mean = bands.mean(axis=0)
    return np.concatenate([mean - mean.mean(), bands.std(axis=0)]).astype(np.float32)


def _logmel_bands(values: Vectors) -> NDArray[np.float64]:
    """Return the log-mel bands, one row per frame; clips shorter than a frame are padded with silence."""
    padded = np.pad(values, (0, max(0, FRAME_LENGTH - len(values))))
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME_LENGTH)[::HOP_LENGTH] * np.hanning(FRAME_LENGTH)
    power = np.abs(np.fft.rfft(frames, FFT_SIZE)) ** 2
    bands: NDArray[np.float64] = np.log(np.maximum(power @ _mel_filters().T, POWER_FLOOR))
    return bands


@cache
def _mel_filters() -> NDArray[np.float64]:
    """Build triangular mel filters, one row per band."""
    top = 2595 * np.log10(1 + SAMPLE_RATE / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, MEL_BANDS + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(FFT_SIZE, 1 / SAMPLE_RATE)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
    return np.maximum(np.minimum(rising, falling), 0.0)


# --- transformers models ------------------------------------------------------------


class _TransformersEncoder:
    """A transformers model whose last hidden layer is averaged."""

    def __init__(self, model: str) -> None:
        self._model = model

    def _load(self, auto_class: str) -> Any:
        try:
            import transformers
        except ImportError as error:
            raise MissingExtra(f"The encoder {self._model}", "transformers") from error
        try:
            return getattr(transformers, auto_class).from_pretrained(self._model)
        except (OSError, ValueError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise SpecError(
                f"Cannot load the encoder {self._model}: {reason}", location=("shots", "encoder")
            ) from error

    @cached_property
    def _network(self) -> Any:
        network = self._load("AutoModel").eval()
        return network.get_encoder() if network.config.is_encoder_decoder else network

    def _last_hidden_state(self, model_inputs: Any) -> Any:
        import torch

        with torch.inference_mode():
            return self._network(**model_inputs).last_hidden_state


class TextEncoder(_TransformersEncoder):
    """An encoder that averages a text model over the tokens of a sample's texts."""

    def __call__(self, samples: Sequence[Sample]) -> Vectors:
        texts = [sample_text(sample) for sample in samples]
        inputs = self._tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        mask = inputs["attention_mask"][:, :, None]
        layer = self._last_hidden_state(inputs)
        vectors: Vectors = ((layer * mask).sum(1) / mask.sum(1).clamp(min=1)).float().numpy()
        return vectors

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._load("AutoTokenizer")
        max_positions = getattr(self._network.config, "max_position_embeddings", None)
        tokenizer.model_max_length = min(tokenizer.model_max_length, max_positions or 512)
        return tokenizer


class AudioEncoder(_TransformersEncoder):
    """An encoder that averages an audio model over the time of a sample's audio."""

    def __call__(self, samples: Sequence[Sample]) -> Vectors:
        return np.stack([np.mean([self._encode_audio(clip) for clip in audio_parts(sample)], 0) for sample in samples])

    def _encode_audio(self, audio: Audio) -> Vectors:
        rate = self._extractor.sampling_rate
        inputs = self._extractor(audio.decode(rate), sampling_rate=rate, return_tensors="pt")
        vector: Vectors = self._last_hidden_state(inputs)[0].mean(0).float().numpy()
        return vector

    @cached_property
    def _extractor(self) -> Any:
        return self._load("AutoFeatureExtractor")
