"""BLEU and chrF against sacrebleu's own corpus scores."""

from typing import Any

import pytest
import sacrebleu

from auricle import Generation, Sample
from auricle.metrics.translation import bleu, chrf

PAIRS = [
    ("the cat sat on the mat", "the cat sat on a mat"),
    ("it is raining heavily today", "today it rains heavily"),
    ("I would like a cup of tea", "I would like a cup of coffee please"),
]


@pytest.mark.parametrize(("metric", "oracle"), [(bleu, sacrebleu.corpus_bleu), (chrf, sacrebleu.corpus_chrf)])
def test_the_fold_of_sentence_statistics_is_the_corpus_score(metric: Any, oracle: Any) -> None:
    stats = [metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text)) for target, text in PAIRS]
    expected = oracle([text for _, text in PAIRS], [[target for target, _ in PAIRS]]).score
    assert metric.fold(stats) == pytest.approx(expected, abs=1e-9)


def test_several_references_are_told_as_a_list() -> None:
    sample = Sample(id="x", inputs={}, target=["a b c d e", "v w x y z"])
    assert bleu.aggregate([bleu.score(sample, Generation(text="v w x y z"))]) == pytest.approx(100.0)
