"""Entities, counted by hand and by the alignment of jiwer."""

import random
from typing import Any

import jiwer
import pytest

from auricle import Generation, Metric, Sample
from auricle.metrics.capabilities import Restricted
from auricle.metrics.intervals import compute_interval
from auricle.tasks.asr.words.entities import (
    count_entities,
    entities,
    entity_cer,
    entity_f1,
    entity_metrics,
    entity_precision,
    entity_recall,
)
from auricle.tasks.asr.words.word_lists import PhraseFinder, WordList


def score(metric: Metric, target: str, text: str, listed: Any = None) -> float:
    sample = Sample(id="1", inputs={}, target=target, meta={"entities": listed})
    return metric.aggregate([metric.score(sample, Generation(text=text))])


@pytest.mark.parametrize(
    ("target", "text", "recall", "precision"),
    [
        ("Ann Lee met Bob", "ann lee met bob", 1, 1),
        ("Ann Lee met Bob", "ann the lee met bob", 1 / 2, 1),  # something between its words
        ("Bob met me", "me met bob", 0, 0),  # in another place
        ("Bob met Bob", "bob met rob", 1 / 2, 1),  # every occurrence counts
        ("Bob met me", "bob met me and bob", 1, 1 / 2),
        ("Bob met me", "", 0, float("nan")),
        ("he met me", "bob met me", float("nan"), 0),
    ],
)
def test_entities_count_at_their_place(target: str, text: str, recall: float, precision: float) -> None:
    listed = ["Ann Lee", "Bob"]
    assert score(entity_recall, target, text, listed) == pytest.approx(recall, nan_ok=True)
    assert score(entity_precision, target, text, listed) == pytest.approx(precision, nan_ok=True)


def test_near_misses_cost_few_characters() -> None:
    assert score(entity_cer, "to Turin now", "to touring now", ["Turin"]) == pytest.approx(2 / 5)
    assert score(entity_cer, "to Turin now", "to now", ["Turin"]) == pytest.approx(1)
    assert score(entity_cer, "to Ann Lee", "to ann a lee", ["Ann Lee"]) == pytest.approx(2 / 7)


def test_details_have_every_label() -> None:
    listed: list[Any] = [{"text": "Ann", "label": "person"}, {"text": "Turin", "label": "place"}, "noon"]
    sample = Sample(id="1", inputs={}, target="Ann left Turin at noon", meta={"entities": listed})
    stat = entity_f1.score(sample, Generation(text="Anne left Turin at noon"))
    details = entity_f1.details([stat, stat])
    assert (details["recognised"], details["spoken"]) == (4, 6)
    assert {label: row["value"] for label, row in details["by_label"].items()} == {
        "person": 0.0, "place": 1.0, "without label": 1.0,
    }  # fmt: skip
    assert entity_f1.details([entity_f1.score(sample, Generation(text=""))])["spoken"] == 3


@pytest.mark.parametrize("seed", range(3))
def test_recall_of_single_words_is_that_of_the_alignment_of_jiwer(seed: int) -> None:
    rng = random.Random(seed)
    finder = PhraseFinder({("b",): "", ("d",): "x"})
    for _ in range(80):
        reference, hypothesis = (rng.choices("abcde", k=rng.randint(1, 10)) for _ in range(2))
        counts = count_entities(reference, hypothesis, finder)
        chunks = jiwer.process_words(" ".join(reference), " ".join(hypothesis)).alignments[0]
        matched = [
            word
            for chunk in chunks
            if chunk.type == "equal"
            for word in reference[chunk.ref_start_idx : chunk.ref_end_idx]
        ]
        assert sum(row.recognised for row in counts.values()) == sum(word in "bd" for word in matched)
        assert sum(row.spoken for row in counts.values()) == sum(word in "bd" for word in reference)
        assert sum(row.written for row in counts.values()) == sum(word in "bd" for word in hypothesis)
        assert sum(row.right for row in counts.values()) == sum(row.recognised for row in counts.values())


def test_numbers_have_intervals_over_samples_with_several_labels() -> None:
    listed: list[Any] = [{"text": "Ann", "label": "person"}, {"text": "Turin", "label": "place"}]
    answers = ("Ann in Turin", "Anne in Turin", "Ann in touring", "", "Ann in Turin", "Ann Ann")
    sample = Sample(id="1", inputs={}, target="Ann in Turin", meta={"entities": listed})
    for metric in entities:
        stats = [metric.score(sample, Generation(text=text)) for text in answers]
        interval = compute_interval(stats, metric.aggregate)
        assert 0 <= interval.low <= metric.aggregate(stats) <= interval.high


def test_a_list_of_the_task_needs_no_column() -> None:
    metric = entity_metrics(WordList((("Turin", "place"),)))[1]
    assert score(metric, "to Turin", "to Turin") == 1.0
    assert not isinstance(metric, Restricted)
    sample = Sample(id="1", inputs={}, target="a")
    assert not any(metric.applies(sample) for metric in entities if isinstance(metric, Restricted))


def test_only_the_error_rate_is_better_when_lower() -> None:
    assert [metric.higher_is_better for metric in entities] == [True, True, True, False]


def test_samples_with_lost_entities_are_worse() -> None:
    sample = Sample(id="1", inputs={}, target="Ann met Bob", meta={"entities": ["Ann", "Bob"]})
    right, wrong = (entity_f1.score(sample, Generation(text=text)) for text in ("Ann met Bob", "Ann met Rob"))
    assert right is not None
    assert wrong is not None
    assert entity_f1.badness(wrong) > entity_f1.badness(right)
    bounds = entity_f1.bound(sample)
    assert bounds
    assert [entity_f1.aggregate([stat]) for stat in bounds] == [0.0, 1.0]
