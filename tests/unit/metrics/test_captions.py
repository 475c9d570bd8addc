"""ROUGE-L and CIDEr-D against values that the COCO caption tools gave, and MMAU's word match."""

import json
from typing import Any

import numpy as np
import pytest

from auricle.core.types import Generation, Sample
from auricle.metrics.captions import CiderAggregator, cider, rouge_l
from auricle.metrics.word_match import word_match
from tests.support import paths

GOLDEN = json.loads((paths.GOLDEN / "captions.json").read_text())
ROWS = GOLDEN["rows"]


def stats_of(metric: Any) -> Any:
    return [
        metric.score(Sample(id=str(at), inputs={}, target=row["references"]), Generation(text=row["caption"]))
        for at, row in enumerate(ROWS)
    ]


def test_rouge_l_is_what_the_coco_tools_say() -> None:
    found = stats_of(rouge_l)
    assert found == pytest.approx([row["rouge_l"] for row in ROWS], abs=1e-12)
    assert rouge_l.aggregate(found) == pytest.approx(GOLDEN["rouge_l"], abs=1e-12)


def test_cider_is_what_the_coco_tools_say() -> None:
    found = stats_of(cider)
    assert CiderAggregator().sample_scores(found) == pytest.approx([row["cider"] for row in ROWS], abs=1e-12)
    assert cider.aggregate(found) == pytest.approx(GOLDEN["cider"], abs=1e-12)


def test_cider_weighs_samples_under_the_counts_of_the_whole_corpus() -> None:
    found = stats_of(cider)
    weigh = cider.aggregate.weigh(found)
    assert weigh(np.ones(len(found))) == pytest.approx(GOLDEN["cider"])
    assert weigh(np.eye(len(found))[1]) == pytest.approx(ROWS[1]["cider"])


def test_case_and_punctuation_do_not_count() -> None:
    sample = Sample(id="1", inputs={}, target=["A dog barks."])
    assert rouge_l.score(sample, Generation(text="a Dog, barks!")) == 1.0


def test_an_empty_caption_is_worth_nothing() -> None:
    sample = Sample(id="1", inputs={}, target=["a dog", "a cat"])
    assert rouge_l.score(sample, Generation(text="")) == 0.0
    empty = [cider.score(sample, Generation(text="")), ("a bell", "a bell")]
    assert CiderAggregator().sample_scores(empty)[0] == 0.0


def test_the_worst_captions_are_listed_first() -> None:
    found = stats_of(cider)
    assert cider.badness(found[2]) > cider.badness(found[1])


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ("A woman", 1.0),
        ("It is a woman who speaks.", 1.0),
        ("A man", 0.0),
        ("a woman and a man", 0.0),
        ("B", 0.0),
        ("", 0.0),
    ],
)
def test_words_of_the_right_option_count_unless_another_option_is_named_too(said: str, worth: float) -> None:
    options = ["An adult man", "A woman", "A child"]
    sample = Sample(id="1", inputs={"choices": options}, target="A woman")
    assert word_match.score(sample, Generation(text=said)) == worth
