"""ROUGE-L and CIDEr-D compared with values of the COCO caption tools."""

import json
from typing import Any

import numpy as np
import pytest

from auricle import Metric
from auricle.core.types import Generation, Sample
from auricle.metrics.capabilities import Bounded
from auricle.tasks.questions.captions import CiderAggregator, cider, rouge_l
from tests.support import paths

GOLDEN = json.loads((paths.GOLDEN / "captions.json").read_text())
ROWS = GOLDEN["rows"]


def golden_stats(metric: Metric) -> list[Any]:
    return [
        metric.score(Sample(id=str(index), inputs={}, target=row["references"]), Generation(text=row["caption"]))
        for index, row in enumerate(ROWS)
    ]


def test_rouge_l_equals_the_coco_tools() -> None:
    stats = golden_stats(rouge_l)
    assert stats == pytest.approx([row["rouge_l"] for row in ROWS], abs=1e-12)
    assert rouge_l.aggregate(stats) == pytest.approx(GOLDEN["rouge_l"], abs=1e-12)


def test_cider_equals_the_coco_tools() -> None:
    stats = golden_stats(cider)
    assert CiderAggregator().sample_scores(stats) == pytest.approx([row["cider"] for row in ROWS], abs=1e-12)
    assert cider.aggregate(stats) == pytest.approx(GOLDEN["cider"], abs=1e-12)


@pytest.mark.parametrize("metric", [rouge_l, cider])
def test_the_bounds_of_a_caption_are_those_of_silence_and_of_a_reference(metric: Metric) -> None:
    sample = Sample(id="0", inputs={}, target=["A dog barks loudly", "a loud dog"])
    references = ("a dog barks loudly", "a loud dog")
    expected = (("", *references), (references[0], *references)) if metric is cider else (0.0, 1.0)
    assert isinstance(metric, Bounded)
    assert metric.bounds(sample) == expected


def test_weighted_cider_keeps_the_document_counts_of_the_corpus() -> None:
    stats = golden_stats(cider)
    value = CiderAggregator().prepare_weighted(stats)
    assert value(np.ones(len(stats))) == pytest.approx(GOLDEN["cider"])
    assert value(np.eye(len(stats))[1]) == pytest.approx(ROWS[1]["cider"])


def test_case_and_punctuation_do_not_count() -> None:
    sample = Sample(id="1", inputs={}, target=["A dog barks."])
    assert rouge_l.score(sample, Generation(text="a Dog, barks!")) == 1.0


def test_a_reference_may_be_a_single_word_or_empty() -> None:
    assert rouge_l.score(Sample(id="1", inputs={}, target="dog"), Generation(text="dog")) == 1.0
    assert rouge_l.score(Sample(id="1", inputs={}, target=["", "cat"]), Generation(text="dog")) == 0.0


def test_an_empty_caption_scores_zero() -> None:
    sample = Sample(id="1", inputs={}, target=["a dog", "a cat"])
    assert rouge_l.score(sample, Generation(text="")) == 0.0
    stats = [cider.score(sample, Generation(text="")), ("a bell", "a bell")]
    assert CiderAggregator().sample_scores(stats)[0] == 0.0


def test_a_worse_caption_has_higher_badness() -> None:
    stats = golden_stats(cider)
    assert cider.badness(stats[2]) > cider.badness(stats[1])


@pytest.mark.parametrize("metric", [rouge_l, cider])
def test_captions_without_spaces_are_compared_by_character(metric: Metric) -> None:
    samples = [Sample(id="0", inputs={}, target="一只狗在大声叫"), Sample(id="1", inputs={}, target="雨落在屋顶上")]
    stats = [metric.score(sample, Generation(text="一只狗在叫")) for sample in samples]
    assert metric.aggregate(stats) > 0
    assert metric.signature.startswith(f"{metric.name}:2.")
