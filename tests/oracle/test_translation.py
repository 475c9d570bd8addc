"""BLEU and chrF compared with sacrebleu's corpus scores."""

from collections.abc import Callable
from typing import Any

import pytest
import sacrebleu

from auricle import Generation, Metric, Sample
from auricle.metrics.translation import bleu, chrf

PAIRS = [
    ("the cat sat on the mat", "the cat sat on a mat"),
    ("it is raining heavily today", "today it rains heavily"),
    ("I would like a cup of tea", "I would like a cup of coffee please"),
]


@pytest.mark.parametrize(("metric", "oracle"), [(bleu, sacrebleu.corpus_bleu), (chrf, sacrebleu.corpus_chrf)])
def test_the_aggregate_of_sentence_statistics_equals_the_corpus_score(
    metric: Metric, oracle: Callable[..., Any]
) -> None:
    stats = [metric.score(Sample(id="x", inputs={}, target=target), Generation(text=text)) for target, text in PAIRS]
    expected = oracle([text for _, text in PAIRS], [[target for target, _ in PAIRS]]).score
    assert metric.aggregate(stats) == pytest.approx(expected, abs=1e-9)
