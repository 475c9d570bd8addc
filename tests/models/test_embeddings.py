"""Speaker embeddings: cosine scores, enrolment, and embedding each recording once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Predict, Prediction
from auricle.core.errors import NotFinite, SampleError
from auricle.models import abilities, adapt
from auricle.models.embeddings import EmbeddingMemo, EmbeddingModel, Trial, combine, is_trial, to_vector


def clip(*values: float) -> Audio:
    return Audio.of(np.array(values, dtype=np.float32), rate=100)


def trial(a: Audio, b: Audio, **others: Audio) -> Predict:
    return Predict(inputs={"a": a, "b": b, **others})


class Samples(EmbeddingModel):
    """The samples of a recording are its embedding; counts what it embeds."""

    batch_size = 2

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed(self, audios: Sequence[Audio]) -> list[Any]:
        self.batches.append(len(audios))
        return [audio.decode() for audio in audios]


X, Y, XY = clip(1, 0), clip(0, 0.5), clip(0.5, 0.5)


def test_the_score_is_the_cosine() -> None:
    (same, other, half) = Samples().predict([trial(X, X), trial(X, Y), trial(Y, XY)])
    assert same == Prediction(values={"score": 1.0}, scale="continuous")
    assert other.values["score"] == 0.0
    assert half.values["score"] == pytest.approx(np.sqrt(0.5))


def test_every_recording_is_embedded_once_and_in_batches() -> None:
    model = Samples()
    model.predict([trial(X, Y), trial(Y, XY), trial(X, clip(1, 0))])  # the last one is a copy of X
    model.predict([trial(XY, X)])
    assert model.batches == [2, 1]


def test_several_recordings_of_a_side_are_combined_at_equal_length() -> None:
    (answer,) = Samples().predict([trial(X, XY, a_2=clip(0, 0.001))])
    assert answer.values["score"] == pytest.approx(1.0, abs=1e-6)
    assert combine([np.array([3.0, 0.0]), np.array([0.0, 0.1])]) == pytest.approx([np.sqrt(0.5)] * 2)


def test_a_request_without_two_recordings_fails_with_its_inputs() -> None:
    with pytest.raises(SampleError, match="no recording under the input `b`; inputs: a"):
        Samples().predict([Predict(inputs={"a": X})])
    assert not is_trial(Predict(inputs={"a": X, "b": "text"}))
    assert len(Trial.of(trial(X, Y, a_2=XY, b_2=X)).recordings) == 4


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        (0.5, "returned float for a recording; expected a vector"),
        (np.ones((2, 3)), r"shape \(2, 3\)"),
        ([], "expected a vector"),
        ("text", "returned str"),
        ([[1.0], [1.0, 2.0]], "parts differ in size"),
    ],
)
def test_anything_but_a_vector_is_refused(vector: Any, problem: str) -> None:
    with pytest.raises(SampleError, match=problem):
        to_vector(vector)


def test_nan_is_not_a_number_of_a_vector() -> None:
    with pytest.raises(NotFinite):
        to_vector([1.0, np.nan])


def test_a_zero_vector_has_no_score() -> None:
    with pytest.raises(SampleError, match="zero everywhere"):
        Samples().predict([trial(clip(0, 0), X)])


def test_a_column_of_a_matrix_is_a_vector() -> None:
    assert to_vector(np.ones((1, 3), dtype=np.float32)).shape == (3,)


def test_vectors_of_different_sizes_have_no_cosine() -> None:
    with pytest.raises(SampleError, match="2 and 3 numbers"):
        Samples().predict([trial(X, clip(1, 1, 1))])


def test_a_wrong_number_of_vectors_is_noticed() -> None:
    class Lazy(Samples):
        def embed(self, audios: Sequence[Audio]) -> list[Any]:
            return [np.ones(2)]

    with pytest.raises(SampleError, match="returned 1 vectors for 2 recordings"):
        Lazy().predict([trial(X, Y)])


def test_the_memory_of_embeddings_is_bounded() -> None:
    memo = EmbeddingMemo(max_bytes=16)
    for key in ("first", "second"):
        memo.put(key, np.ones(1))
    memo.get("first")
    memo.put("third", np.ones(1))
    memo.put("third", np.ones(1))
    assert len(memo) == 2
    assert memo.get("second") is None
    assert memo.get("first") is not None


def test_a_class_with_embed_is_a_model() -> None:
    class Encoder:
        max_seconds = 5.0

        def embed(self, audios: Sequence[Audio]) -> list[Any]:
            return [audio.decode() for audio in audios]

    made = adapt(Encoder)
    assert abilities(made) == ["predict"]
    assert made.max_seconds == 5.0
    (answer,) = made().predict([trial(X, XY)])  # type: ignore[arg-type, misc]  # a batch model
    assert answer.values["score"] == pytest.approx(np.sqrt(0.5))
