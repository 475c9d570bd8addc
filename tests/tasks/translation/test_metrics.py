"""BLEU, chrF and TER from statistics per sentence."""

import importlib
import sys

import pytest

from auricle import Generation, Sample
from auricle.core.errors import MissingExtra
from auricle.metrics.capabilities import Bounded, Localized, ReadsAnswer
from auricle.tasks.translation import metrics as translation
from auricle.tasks.translation.metrics import bleu, bleu_char, chrf, ter


def test_any_of_several_references_counts() -> None:
    sample = Sample(id="x", inputs={}, target=["a b c d e", "v w x y z"])
    assert bleu.aggregate([bleu.score(sample, Generation(text="v w x y z"))]) == pytest.approx(100.0)


def test_bounds_are_an_empty_answer_and_the_reference() -> None:
    assert isinstance(chrf, Bounded)
    worst, best = chrf.bounds(Sample(id="x", inputs={}, target="the cat sat"))
    assert (chrf.aggregate([worst]), chrf.aggregate([best])) == (0.0, 100.0)


def test_the_first_of_several_references_is_the_best_answer() -> None:
    sample = Sample(id="x", inputs={}, target=["the cat sat there", "a dog"])
    assert isinstance(bleu, Bounded)
    worst, best = bleu.bounds(sample)
    assert worst == bleu.score(sample, Generation(text=""))
    assert best == bleu.score(sample, Generation(text="the cat sat there"))
    assert best != bleu.score(sample, Generation(text="a dog"))
    assert isinstance(bleu, ReadsAnswer)
    assert bleu.read_answer(sample, Generation(text=" a \n dog")) == "a dog"


def test_character_bleu_needs_no_spaces() -> None:
    sample = Sample(id="x", inputs={}, target="今天天气很好")
    stat = bleu_char.score(sample, Generation(text="今天天气很好"))
    assert bleu_char.aggregate([stat]) == pytest.approx(100.0)


def test_a_missing_tokeniser_is_replaced_by_characters_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "find_spec", lambda _: None)
    assert isinstance(bleu, Localized)
    japanese = bleu.with_language("ja")
    sample = Sample(id="x", inputs={}, target="今日は天気がいい")
    assert japanese.signature == "bleu:1.sacrebleu.tok:char"
    assert japanese.details([japanese.score(sample, Generation(text="今日"))]) == {
        "notes": [
            "BLEU was computed over characters (tok:char), because sacrebleu's tokeniser ja-mecab is not installed. "
            "Run: pip install 'sacrebleu[ja]'"
        ]
    }
    assert bleu.details([bleu.score(sample, Generation(text="今日"))]) == {}


def test_a_metric_for_one_language_can_be_turned_to_another() -> None:
    assert isinstance(bleu, Localized)
    chinese = bleu.with_language("zh")
    assert isinstance(chinese, Localized)
    assert chinese.with_language("").signature == bleu.signature
    assert bleu.higher_is_better
    assert not ter.higher_is_better


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "auricle.tasks.translation.metrics")
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtra, match=r"BLEU, chrF and TER .*auricle\[bleu\]"):
        importlib.import_module("auricle.tasks.translation.metrics")
