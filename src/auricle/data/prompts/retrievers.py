"""Few-shot retrievers, which rank the rows of a pool: by rule, by common words, or by audio and text encoders.

The selector decides which of the rows may be shown.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from random import Random as Generator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.serialization import dumps
from auricle.core.types import Json, Sample, list_parts
from auricle.data.prompts.catalogue import ENCODERS
from auricle.media import Audio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating[Any]]
    Vectors = NDArray[np.float32]


# --- by rule: id, position, chance or label ----------------------------------------------------


class ZeroRetriever:
    """A retriever that returns no examples."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return ()


class FirstRetriever:
    """A retriever that returns the first rows of the pool, in their order."""

    order: ClassVar[str] = "nearest-first"

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return allowed


class FixedRetriever:
    """A retriever that returns the same examples for all samples, by id, in the order given."""

    order: ClassVar[str] = "nearest-first"

    def __init__(self, ids: str | int | Sequence[str | int]) -> None:
        id_list = ids if isinstance(ids, (list, tuple)) else str(ids).split(",")
        self._ids = [str(row_id).strip() for row_id in id_list]
        self._indices: list[int] = []

    def fit(self, pool: Sequence[Sample]) -> None:
        index_by_id = {sample.id: index for index, sample in enumerate(pool)}
        for row_id in self._ids:
            if row_id not in index_by_id:
                suggestions = difflib.get_close_matches(row_id, index_by_id, n=3) or list(index_by_id)[:3]
                raise SpecError(
                    f"The example pool has no usable row {row_id!r}. Similar ids: {', '.join(suggestions)}.",
                    location=("shots", "ids"),
                )
        self._indices = [index_by_id[row_id] for row_id in self._ids]

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return self._indices


class SlidingRetriever:
    """A retriever that returns the rows before the sample's own, nearest first; the pool must be the data itself."""

    def fit(self, pool: Sequence[Sample]) -> None:
        self._index_by_id = {sample.id: index for index, sample in enumerate(pool)}

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        if sample.id not in self._index_by_id:
            raise SampleError("the retriever `sliding` needs the sample itself in the example pool")
        return range(self._index_by_id[sample.id] - 1, -1, -1)


class RandomRetriever:
    """A retriever that draws rows at random, from the seed and the sample's id."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return (allowed[position] for position in lazy_shuffle(len(allowed), Generator(f"{self._seed} {sample.id}")))


class BalancedRetriever:
    """A retriever that draws equally many rows per label, at random like `random`."""

    def __init__(self, by: str = "target", seed: int = 0) -> None:
        self._by = by
        self._seed = seed
        self._indices_by_label: dict[bytes, list[int]] = {}

    def fit(self, pool: Sequence[Sample]) -> None:
        for index, sample in enumerate(pool):
            if (label := self._label(sample)) is not None:
                self._indices_by_label.setdefault(dumps(label), []).append(index)
        if not self._indices_by_label:
            raise SpecError(
                f"No row of the example pool has the field {self._by!r} to balance by.", location=("shots", "by")
            )

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        rng = Generator(f"{self._seed} {sample.id}")
        groups = list(self._indices_by_label.values())
        rng.shuffle(groups)
        draws = [_draw_allowed(group, allowed, Generator(rng.random())) for group in groups]
        while draws:
            for draw in list(draws):
                if (index := next(draw, None)) is None:
                    draws.remove(draw)
                else:
                    yield index

    def _label(self, sample: Sample) -> Json:
        return sample.target if self._by == "target" else sample.meta.get(self._by)


def _draw_allowed(indices: Sequence[int], allowed: Sequence[int], rng: Generator) -> Iterator[int]:
    return (indices[position] for position in lazy_shuffle(len(indices), rng) if indices[position] in allowed)


def lazy_shuffle(size: int, rng: Generator) -> Iterator[int]:
    """Yield the numbers below `size` in random order, at a cost proportional to those taken."""
    moved: dict[int, int] = {}
    for remaining in range(size, 0, -1):
        position = rng.randrange(remaining)
        yield moved.get(position, position)
        moved[position] = moved.get(remaining - 1, remaining - 1)


# --- by similarity: common words or embeddings, with or without diversity ----------------------

CJK_CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Han, kana and Hangul; every character counts as a word."""
TOKEN_PATTERN = re.compile(rf"[{CJK_CHARACTERS}]|[^\W{CJK_CHARACTERS}]+")
BM25_K1, BM25_B = 1.5, 0.75  # the constants k1 (saturation of term frequency) and b (weight of document length)


def tokenise(text: str) -> list[str]:
    """Split a text into words, ignoring case and character width; Chinese is split into characters."""
    return TOKEN_PATTERN.findall(unicodedata.normalize("NFKC", text).casefold())


class Bm25Similarity:
    """Similarity by common words; rare words count more, long texts less."""

    def __init__(self, field: str = "") -> None:
        self._field = field

    def fit(self, pool: Sequence[Sample]) -> None:
        self._check_field(pool)
        self._term_counts = [Counter(tokenise(sample_text(sample, self._field))) for sample in pool]
        lengths = np.array([counter.total() for counter in self._term_counts], dtype=np.float64)
        weight = BM25_K1 * (1 - BM25_B + BM25_B * lengths / max(lengths.mean(), 1.0))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for index, counts in enumerate(self._term_counts):
            for word, count in counts.items():
                indices, term_counts = postings.setdefault(word, ([], []))
                indices.append(index)
                term_counts.append(count)
        self._postings = {word: _term_scores(*counter, weight) for word, counter in postings.items()}

    def score_sample(self, sample: Sample) -> Numbers:
        return self._scores(Counter(tokenise(sample_text(sample, self._field))))

    def score_row(self, index: int) -> Numbers:
        """Return the score of every row for the words of one row, relative to that row's own score, at most 1."""
        scores = self._scores(self._term_counts[index])
        return np.minimum(scores / (scores[index] or 1.0), 1.0)

    def _scores(self, query_counts: Counter[str]) -> Numbers:
        scores = np.zeros(len(self._term_counts))
        for word, count in query_counts.items():
            if word in self._postings:
                indices, term_scores = self._postings[word]
                scores[indices] += count * term_scores
        return scores

    def _check_field(self, pool: Sequence[Sample]) -> None:
        if self._field and not any(self._field in sample.inputs for sample in pool):
            input_names = sorted({name for sample in pool for name in sample.inputs})
            raise SpecError(
                f"No row of the example pool has the input {self._field!r}. Inputs: {', '.join(input_names)}.",
                location=("shots", "field"),
            )


def _term_scores(indices: list[int], counts: list[int], weight: Numbers) -> tuple[NDArray[np.intp], Numbers]:
    """Return the rows that contain a word, and how much it adds to their scores."""
    rows, frequencies = np.array(indices, dtype=np.intp), np.array(counts, dtype=np.float64)
    rarity = np.log1p((len(weight) - len(rows) + 0.5) / (len(rows) + 0.5))
    return rows, rarity * frequencies * (BM25_K1 + 1) / (frequencies + weight[rows])


def rank_by_score(scores: NDArray[np.floating]) -> list[int]:
    """Return indices by descending score; ties keep the order of the pool."""
    ranked: list[int] = np.argsort(-scores, kind="stable").tolist()
    return ranked


class Bm25Retriever(Bm25Similarity):
    """A retriever that returns the rows with the most words in common with the sample."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))


BATCH_SIZE = 32  # samples per encoder call


class Similarity(Protocol):
    """Similarity of the rows of a pool to a sample and to each other."""

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def score_sample(self, sample: Sample) -> Numbers: ...

    def score_row(self, index: int) -> Numbers: ...


class EmbeddingSimilarity:
    """Cosine similarity of embeddings."""

    def __init__(self, encoder: str) -> None:
        self._encode = load_encoder(encoder)
        self._name = encoder

    def fit(self, pool: Sequence[Sample]) -> None:
        offsets = range(0, len(pool), BATCH_SIZE)
        self._pool = list(pool)
        self._index_by_id = {sample.id: index for index, sample in enumerate(pool)}
        self._vectors = np.concatenate([self._encode_samples(pool[offset : offset + BATCH_SIZE]) for offset in offsets])

    def score_sample(self, sample: Sample) -> Numbers:
        index = self._index_by_id.get(sample.id)
        if index is not None and self._pool[index].inputs == sample.inputs:  # already encoded
            return self.score_row(index)
        (vector,) = self._encode_samples([sample])
        similarities: Numbers = self._vectors @ vector
        return similarities

    def score_row(self, index: int) -> Numbers:
        similarities: Numbers = self._vectors @ self._vectors[index]
        return similarities

    def _encode_samples(self, samples: Sequence[Sample]) -> NDArray[np.float32]:
        """Return one unit-length vector per sample; encoders do not see the answers."""
        encoded = np.asarray(self._encode([replace(sample, target=None) for sample in samples]))
        if encoded.ndim != 2 or len(encoded) != len(samples) or not np.isfinite(encoded).all():
            raise SpecError(
                f"The encoder {self._name} returned an array of shape {encoded.shape}; expected one row of finite "
                f"numbers for each of {len(samples)} samples.",
                location=("shots", "encoder"),
            )
        lengths = np.linalg.norm(encoded, axis=1, keepdims=True)
        vectors: NDArray[np.float32] = (encoded / np.maximum(lengths, 1e-12)).astype(np.float32)
        return vectors


class DenseRetriever(EmbeddingSimilarity):
    """A retriever that returns the rows nearest to the sample by embedding."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))


class DiverseRetriever:
    """A retriever that returns rows near to the sample but different from each other (maximal marginal relevance).

    `weight` is the weight of relevance: 1 is relevance alone, 0 is diversity alone.
    """

    def __init__(self, encoder: str = "bm25", weight: float = 0.5) -> None:
        try:
            self._weight = float(weight)
        except (TypeError, ValueError):
            self._weight = -1.0
        if not 0 <= self._weight <= 1:
            raise SpecError(f"`weight` must be between 0 and 1, not {weight!r}.", location=("shots", "weight"))
        self._similarity: Similarity = Bm25Similarity() if encoder == "bm25" else EmbeddingSimilarity(encoder)

    def fit(self, pool: Sequence[Sample]) -> None:
        self._similarity.fit(pool)

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        relevance = self._similarity.score_sample(sample)
        relevance = relevance / max(float(relevance.max()), 1e-12)  # on the scale of similarity
        candidates = np.fromiter(allowed, dtype=np.intp)
        max_similarity = np.full(len(relevance), -1.0)
        while len(candidates):
            value = self._weight * relevance[candidates] - (1 - self._weight) * max_similarity[candidates]
            best = int(candidates[np.argmax(value)])
            yield best
            max_similarity = np.maximum(max_similarity, self._similarity.score_row(best))
            candidates = candidates[candidates != best]


# --- encoders, which turn samples into vectors -------------------------------------------------

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


def sample_text(sample: Sample, field: str = "") -> str:
    """Return the texts of a sample, or of one input, one per line."""
    values = sample.inputs.values() if not field else [sample.inputs.get(field, "")]
    return "\n".join(part for value in values for part in list_parts(value) if isinstance(part, str))


# --- log-mel statistics ------------------------------------------------------------


def logmel(samples: Sequence[Sample]) -> Vectors:
    """Return the mean and spread over time of the log-mel bands, which describe how a recording sounds."""
    statistics = []
    for sample in samples:
        bands = np.concatenate([_logmel_bands(clip.decode(SAMPLE_RATE)) for clip in audio_parts(sample)])
        mean = bands.mean(axis=0)
        statistics.append(np.concatenate([mean - mean.mean(), bands.std(axis=0)]).astype(np.float32))
    return np.stack(statistics)


def audio_parts(sample: Sample) -> list[Audio]:
    parts = [part for value in sample.inputs.values() for part in list_parts(value)]
    clips = [part for part in parts if isinstance(part, Audio)]
    if not clips:
        raise SampleError(f"{sample.id} has no audio to compare by")
    return clips


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
