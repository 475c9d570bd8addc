"""BLEU and chrF from statistics per sentence."""

import importlib
import sys

import pytest

from auricle import Generation, Sample
from auricle.core.errors import MissingExtra
from auricle.metrics.translation import bleu, bleu_char, chrf


def test_any_of_several_references_counts() -> None:
    sample = Sample(id="x", inputs={}, target=["a b c d e", "v w x y z"])
    assert bleu.aggregate([bleu.score(sample, Generation(text="v w x y z"))]) == pytest.approx(100.0)


def test_bounds_are_an_empty_answer_and_the_reference() -> None:
    assert chrf.bounds
    worst, best = chrf.bounds(Sample(id="x", inputs={}, target="the cat sat"))
    assert (chrf.aggregate([worst]), chrf.aggregate([best])) == (0.0, 100.0)


def test_the_first_of_several_references_is_the_best_answer() -> None:
    sample = Sample(id="x", inputs={}, target=["the cat sat there", "a dog"])
    assert bleu.bounds
    worst, best = bleu.bounds(sample)
    assert worst == bleu.score(sample, Generation(text=""))
    assert best == bleu.score(sample, Generation(text="the cat sat there"))
    assert best != bleu.score(sample, Generation(text="a dog"))
    assert bleu.read_answer
    assert bleu.read_answer(sample, Generation(text=" a \n dog")) == "a dog"


def test_character_bleu_needs_no_spaces() -> None:
    sample = Sample(id="x", inputs={}, target="今天天气很好")
    stat = bleu_char.score(sample, Generation(text="今天天气很好"))
    assert bleu_char.aggregate([stat]) == pytest.approx(100.0)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "auricle.metrics.translation")
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtra, match=r"BLEU and chrF .*auricle\[bleu\]"):
        importlib.import_module("auricle.metrics.translation")
