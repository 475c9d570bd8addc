"""Speaker embeddings: one vector per recording, and the cosine of two vectors as the score of a trial.

A model that computes embeddings inherits from `EmbeddingModel` and implements `embed`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.core.errors import NotFinite, SampleError
from auricle.core.types import Predict, Prediction, Request
from auricle.media import Audio
from auricle.models.base import BatchModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[Any]

SIDES = ("a", "b")
SCORE = "score"
"""Name of the value that a model returns for a trial."""
MAX_MEMO_BYTES = 256_000_000
"""Embeddings kept in memory; those that were not used for the longest time are dropped."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Two sides to compare, each with one recording or several (enrolment)."""

    a: tuple[Audio, ...]
    b: tuple[Audio, ...]

    @classmethod
    def of(cls, request: Request) -> Trial:
        """Read the recordings of a request from its inputs `a` and `b`; further ones are `a_2`, `a_3`, …

        Raises:
            SampleError: if a side has no recording.
        """
        inputs = request.inputs if isinstance(request, Predict) else {}
        sides = {side: _list_recordings(inputs, side) for side in SIDES}
        if missing := [side for side, recordings in sides.items() if not recordings]:
            names = ", ".join(inputs) or "none"
            raise SampleError(f"no recording under the input `{missing[0]}`; inputs: {names}")
        return cls(**sides)

    @property
    def recordings(self) -> tuple[Audio, ...]:
        return self.a + self.b


def is_trial(request: Request) -> bool:
    """Return whether a request asks about two recordings under the names `a` and `b`."""
    return isinstance(request, Predict) and all(isinstance(request.inputs.get(side), Audio) for side in SIDES)


def _list_recordings(inputs: Any, side: str) -> tuple[Audio, ...]:
    pattern = re.compile(rf"{side}(_\d+)?")
    return tuple(part for name, part in inputs.items() if isinstance(part, Audio) and pattern.fullmatch(name))


class EmbeddingMemo:
    """Embeddings of recordings by their content, so that each recording is embedded once.

    Args:
        max_bytes: Size of the vectors that are kept.
    """

    def __init__(self, max_bytes: int = MAX_MEMO_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: str) -> Vector | None:
        """Return the embedding of a recording with this hash, if it is kept."""
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: str, vector: Vector) -> None:
        """Keep an embedding, and drop others beyond the limit."""
        replaced = self._vectors.pop(key, None)
        self._vectors[key] = vector
        self._bytes += vector.nbytes - (0 if replaced is None else replaced.nbytes)
        while self._bytes > self._max_bytes and len(self._vectors) > 1:
            self._bytes -= self._vectors.popitem(last=False)[1].nbytes


class EmbeddingModel(BatchModel, ABC):
    """A model that turns a recording into a vector; recordings are compared by the cosine of their vectors.

    Several recordings of a side are combined as the mean of their vectors, each scaled to length one. Recordings are
    not decoded in advance, because each is embedded only once: `embed` decodes them.

    Examples:
        >>> import numpy as np
        >>> class Loudness(EmbeddingModel):
        ...     def embed(self, audios):
        ...         return [np.array([np.abs(audio.decode()).mean(), 1.0]) for audio in audios]
        >>> clip = Audio.of(np.full(100, 0.5, dtype=np.float32), rate=100)
        >>> Loudness().predict([Predict(inputs={"a": clip, "b": clip})])[0].values["score"]
        1.0
    """

    batch_size = 16

    @abstractmethod
    def embed(self, audios: Sequence[Audio]) -> Sequence[Any]:
        """Return one vector per recording, in the order of the recordings.

        Args:
            audios: Recordings that differ in content.

        Raises:
            SampleError: if a recording cannot be embedded, for instance because it has no speech.
        """

    @cached_property
    def _memo(self) -> EmbeddingMemo:
        return EmbeddingMemo()

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        trials = [Trial.of(request) for request in batch]
        vectors = self._embed_distinct(audio for trial in trials for audio in trial.recordings)
        return [score_trial(trial, lambda audio: vectors[audio.hash]) for trial in trials]

    def _embed_distinct(self, audios: Iterable[Audio]) -> dict[str, Vector]:
        """Return the vectors of recordings by their hash; those that are not in memory are computed in batches."""
        recordings = {audio.hash: audio for audio in audios}
        stored = {key: self._memo.get(key) for key in recordings}
        vectors = {key: vector for key, vector in stored.items() if vector is not None}
        missing = [key for key in recordings if key not in vectors]
        for start in range(0, len(missing), self.batch_size):
            keys = missing[start : start + self.batch_size]
            answers = list(self.embed([recordings[key] for key in keys]))
            if len(answers) != len(keys):
                raise SampleError(f"embed returned {len(answers)} vectors for {len(keys)} recordings")
            for key, answer in zip(keys, answers, strict=True):
                vectors[key] = to_vector(answer)
                self._memo.put(key, vectors[key])
        return vectors


@dataclass(frozen=True, slots=True)
class OpenTrial:
    """A trial with the vectors in memory, and a request for each recording whose vector is missing."""

    trial: Trial
    vectors: Mapping[str, Vector]
    questions: tuple[Predict, ...]


class TrialScorer:
    """Scores trials with a function that returns the vector of one recording, each of which it receives once."""

    def __init__(self) -> None:
        self._memo = EmbeddingMemo()

    def open(self, request: Request) -> OpenTrial:
        """Read a trial, and list the requests that are needed to score it."""
        trial = Trial.of(request)
        recordings = {audio.hash: audio for audio in trial.recordings}
        stored = {key: self._memo.get(key) for key in recordings}
        vectors = {key: vector for key, vector in stored.items() if vector is not None}
        context, seed = getattr(request, "context", {}), getattr(request, "seed", 0)
        missing = [audio for key, audio in recordings.items() if key not in vectors]
        questions = tuple(Predict(inputs={"audio": audio}, seed=seed, context=context) for audio in missing)
        return OpenTrial(trial, vectors, questions)

    def score(self, opened: OpenTrial, answers: Sequence[Any]) -> Prediction:
        """Score a trial from the answers to its questions."""
        vectors = dict(opened.vectors)
        for question, answer in zip(opened.questions, answers, strict=True):
            assert question.audio is not None
            vectors[question.audio.hash] = to_vector(answer)
            self._memo.put(question.audio.hash, vectors[question.audio.hash])
        return score_trial(opened.trial, lambda audio: vectors[audio.hash])


def score_trial(trial: Trial, embedding: Callable[[Audio], Vector]) -> Prediction:
    """Score a trial by the cosine of its embeddings.

    Args:
        trial: The recordings.
        embedding: Function from a recording to its vector.
    """
    a, b = (combine([embedding(audio) for audio in side]) for side in (trial.a, trial.b))
    if a.shape != b.shape:
        raise SampleError(f"the embeddings have {len(a)} and {len(b)} numbers; expected the same size")
    return Prediction(values={SCORE: max(-1.0, min(1.0, float(a @ b)))}, scale="continuous")


def combine(vectors: Sequence[Vector]) -> Vector:
    """Return the mean of vectors scaled to length one, scaled to length one."""
    import numpy as np

    if len({len(vector) for vector in vectors}) > 1:
        raise SampleError("the embeddings of one side differ in size")
    return _normalise(np.mean([_normalise(vector) for vector in vectors], axis=0))


def _normalise(vector: Vector) -> Vector:
    import numpy as np

    values = np.asarray(vector, dtype=np.float64)
    length = float(np.sqrt(values @ values))
    if length == 0.0:
        raise SampleError("the embedding is zero everywhere, so that its direction is undefined")
    unit: Vector = values / length
    return unit


def to_vector(value: Any) -> Vector:
    """Convert what a model returns for a recording to a vector of floats.

    Raises:
        SampleError: if it is not a list or array of numbers.
    """
    import numpy as np

    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach().cpu().numpy()
    try:
        vector = np.asarray(value)
    except (TypeError, ValueError):
        raise SampleError("the embedding is not a vector: its parts differ in size") from None
    if vector.ndim == 2 and 1 in vector.shape:
        vector = vector.ravel()
    if vector.ndim != 1 or not vector.size or vector.dtype.kind not in "fiu":
        kind = f"an array of shape {vector.shape}" if vector.ndim else type(value).__name__
        raise SampleError(f"the model returned {kind} for a recording; expected a vector of numbers (an embedding)")
    if not np.isfinite(vector).all():
        raise NotFinite("the embedding contains NaN or infinity")
    return vector if vector.dtype == np.float32 else vector.astype(np.float64)
