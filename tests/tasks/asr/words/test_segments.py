"""Errors per segment of long references."""

import random
from typing import Any

import jiwer
import pytest

from auricle import Generation, Sample
from auricle.core.errors import SampleError
from auricle.metrics.capabilities import Restricted
from auricle.tasks.asr.words.segments import (
    count_segment_errors,
    long_form,
    lost_segments,
    read_segment_texts,
    segment_wer_mean,
)


def make_sample(target: str, segments: Any) -> Sample:
    return Sample(id="1", inputs={}, target=target, meta={"segments": segments})


@pytest.mark.parametrize("seed", range(3))
def test_the_errors_of_all_segments_are_those_of_the_whole_text(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(80):
        segments = [rng.choices("abcd", k=rng.randint(0, 5)) for _ in range(rng.randint(1, 5))] + [["a"]]
        hypothesis = rng.choices("abcd", k=rng.randint(0, 15))
        counts = count_segment_errors(segments, hypothesis)
        reference = " ".join(word for segment in segments for word in segment)
        whole = jiwer.process_words(reference, " ".join(hypothesis))
        expected = (whole.substitutions, whole.deletions, whole.insertions)
        assert tuple(sum(column) for column in list(zip(*counts, strict=True))[:3]) == expected
        assert [row.length for row in counts] == list(map(len, segments))


def test_inserted_words_belong_to_the_segment_before_them() -> None:
    def insertions(*segments: str, hypothesis: str) -> list[int]:
        return [row.insertions for row in count_segment_errors([text.split() for text in segments], hypothesis.split())]

    assert insertions("a b", "c d", hypothesis="a b x c d") == [1, 0]
    assert insertions("a b", "c d", hypothesis="x a b c d y") == [1, 1]
    assert insertions("", "c d", hypothesis="x c d") == [0, 1]
    assert count_segment_errors([], ["a"]) == []


def test_lost_segments_and_the_mean_rate_are_counted() -> None:
    sample = make_sample("One two. Three! Four, five six", [{"text": "One two."}, {"text": "Three!"}, "Four, five six"])
    stat = segment_wer_mean.score(sample, Generation(text="one two four five seven"))
    assert segment_wer_mean.aggregate([stat]) == pytest.approx((0 + 1 + 1 / 3) / 3)
    assert lost_segments.aggregate([stat]) == pytest.approx(1 / 3)
    assert lost_segments.details([stat]) == {"segments": 3, "lost": 1, "without_errors": 1}
    bounds = lost_segments.bound(sample)
    assert bounds
    assert [lost_segments.aggregate([bound]) for bound in bounds] == [1.0, 0.0]


@pytest.mark.parametrize("segments", [5, [], [{"start": 1}], [7]])
def test_other_columns_are_refused(segments: Any) -> None:
    with pytest.raises(SampleError, match="expected a list of texts"):
        read_segment_texts(make_sample("a", segments))


def test_segments_must_be_those_of_the_reference() -> None:
    with pytest.raises(SampleError, match="are not those of the reference"):
        lost_segments.score(make_sample("a b", ["a", "c"]), Generation(text="a"))
    for metric in long_form:
        assert isinstance(metric, Restricted)
        assert not metric.applies(Sample(id="1", inputs={}, target="a"))
        assert metric.signature.endswith("cut-alignment.basic:2")
