"""One number in one call."""

import math
import random
from collections.abc import Callable
from typing import Any

import jiwer
import pytest
import sklearn.metrics

import auricle
from auricle import SpecError
from auricle.metrics import Measurement, accuracy, bleu, cer, macro_f1, measure, uar, wer
from tests.support.extras import require_extra

WORDS = ["the", "cat", "Sat", "on", "a", "mat.", "naïve", "it's", "x"]


def make_texts(count: int) -> tuple[list[str], list[str]]:
    chance = random.Random(7)
    references = [" ".join(chance.choices(WORDS, k=chance.randint(1, 9))) for _ in range(count)]
    hypotheses = [
        " ".join(word for each in text.split() for word in chance.choice([[each], [each], [], ["the"], [each, "a"]]))
        for text in references
    ]
    return references, hypotheses


def test_error_rates_equal_those_of_jiwer() -> None:
    references, hypotheses = make_texts(200)
    words, result = jiwer.process_words(references, hypotheses), wer(references, hypotheses)
    assert result.value == pytest.approx(words.wer, abs=1e-12)
    assert result.details["reference_length"] == words.hits + words.substitutions + words.deletions
    assert cer(references, hypotheses).value == pytest.approx(jiwer.cer(references, hypotheses), abs=1e-12)
    assert auricle.wer("one text", "one test").value == jiwer.wer("one text", "one test")


def test_labels_equal_those_of_scikit_learn() -> None:
    chance = random.Random(3)
    truth = chance.choices(["sad", "happy", "angry"], k=120)
    guess = [chance.choice([label, label, "angry"]) for label in truth]
    functions: list[tuple[Callable[..., Measurement], float]] = [
        (accuracy, sklearn.metrics.accuracy_score(truth, guess)),
        (uar, sklearn.metrics.recall_score(truth, guess, average="macro")),
        (macro_f1, sklearn.metrics.f1_score(truth, guess, average="macro")),
    ]
    for function, expected in functions:
        result = function(truth, guess)
        assert result.value == pytest.approx(expected)
        assert result.low < result.value < result.high


def test_bleu_equals_that_of_sacrebleu() -> None:
    require_extra("bleu")
    import sacrebleu

    references, hypotheses = make_texts(50)
    assert bleu(references, hypotheses).value == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [references]).score)


def test_the_interval_is_that_of_a_run_and_clusters_widen_it() -> None:
    references, hypotheses = make_texts(100)
    plain = wer(references, hypotheses)
    clustered = wer(references, hypotheses, clusters=[index // 25 for index in range(100)])
    assert plain.low < plain.value < plain.high
    assert (plain.units, clustered.units) == (100, 4)
    assert float(clustered) == plain.value


def test_profiles_normalise_both_sides() -> None:
    assert wer("The cat.", "the cat").value == 1.0
    assert wer("The cat.", "the cat", profile="basic").value == 0.0


def test_no_pairs_have_no_number() -> None:
    assert math.isnan(wer([], []).value)


@pytest.mark.parametrize(
    ("metric", "references", "hypotheses", "options", "message"),
    [
        ("wer", ["a"], ["a", "b"], {}, "1 references and 2 hypotheses"),
        ("wer", ["a"], "a", {}, "1 text hypotheses"),
        ("wer", ["a"], ["a"], {"clusters": []}, "0 clusters"),
        ("eer", ["a"], ["a"], {}, "eer cannot be computed from texts"),
        ("werr", ["a"], ["a"], {}, "Did you mean"),
    ],
)
def test_what_does_not_fit_is_refused(
    metric: str, references: Any, hypotheses: Any, options: Any, message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        measure(metric, references, hypotheses, **options)
