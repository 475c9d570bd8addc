"""BLEU, chrF and TER compared with sacrebleu's corpus scores, under the same options."""

from collections.abc import Sequence
from typing import Any

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar

from auricle import Generation, Metric, Sample
from auricle.metrics.capabilities import Localized
from auricle.tasks.translation.metrics import MECAB_PACKAGES, bleu, chrf, chrf_pp, ter

Pairs = Sequence[tuple[str, str]]

ENGLISH = [
    ("the cat sat on the mat", "the cat sat on a mat"),
    ("it is raining heavily today", "today it rains heavily"),
    ("I would like a cup of tea", "I would like a cup of coffee please"),
]
CHINESE = [
    ("今天天气很好，我们去公园散步吧。", "今天天气很好，我们去公园走走吧。"),
    ("他昨天买了一本关于Python的新书。", "他昨天买了一本Python新书。"),
]
JAPANESE = [("今日は天気がいいので公園へ行きます。", "今日はいい天気なので公園に行きます。")]
KOREAN = [("오늘은 날씨가 아주 좋습니다.", "오늘 날씨가 매우 좋습니다.")]
THAI = [("วันนี้อากาศดีมาก เราไปสวนสาธารณะกันเถอะ", "วันนี้อากาศดี เราไปสวนกันเถอะ")]
SCRIPTS = {"": ENGLISH, "de": ENGLISH, "zh": CHINESE, "yue": CHINESE, "ja": JAPANESE, "ko": KOREAN, "th": THAI}


def compute(metric: Metric, pairs: Pairs) -> float:
    samples = [(Sample(id="x", inputs={}, target=target), Generation(text=text)) for target, text in pairs]
    return metric.aggregate([metric.score(sample, output) for sample, output in samples])


def ask_sacrebleu(oracle: Any, pairs: Pairs) -> float:
    score: float = oracle.corpus_score([text for _, text in pairs], [[target for target, _ in pairs]]).score
    return score


def for_language(metric: Metric, language: str) -> Metric:
    assert isinstance(metric, Localized)
    return metric.with_language(language)


@pytest.mark.parametrize(
    ("language", "tokeniser"),
    [("", "13a"), ("de", "13a"), ("zh", "zh"), ("yue", "zh"), ("ja", "ja-mecab"), ("ko", "ko-mecab"), ("th", "char")],
)
def test_bleu_uses_the_tokeniser_of_the_language(language: str, tokeniser: str) -> None:
    metric, pairs = for_language(bleu, language), SCRIPTS[language]
    used = metric.signature.removeprefix("bleu:1.sacrebleu.tok:")
    assert used == tokeniser or (tokeniser in MECAB_PACKAGES and used == "char")
    assert compute(metric, pairs) == pytest.approx(ask_sacrebleu(BLEU(tokenize=used), pairs), abs=1e-9)


def test_bleu_of_chinese_is_not_zero() -> None:
    assert compute(bleu, CHINESE) == 0.0
    assert compute(for_language(bleu, "zh"), CHINESE) > 50


@pytest.mark.parametrize("pairs", SCRIPTS.values())
def test_chrf_needs_no_words(pairs: Pairs) -> None:
    assert compute(chrf, pairs) == pytest.approx(ask_sacrebleu(CHRF(), pairs), abs=1e-9)
    assert compute(chrf_pp, pairs) == pytest.approx(ask_sacrebleu(CHRF(word_order=2), pairs), abs=1e-9)


@pytest.mark.parametrize("language", ["", "ko", "zh", "ja"])
def test_ter_splits_chinese_and_japanese_characters(language: str) -> None:
    is_asian = language in ("zh", "ja")
    oracle = TER(normalized=is_asian, asian_support=is_asian)
    metric, pairs = for_language(ter, language), SCRIPTS[language]
    assert compute(metric, pairs) == pytest.approx(ask_sacrebleu(oracle, pairs), abs=1e-9)
    answer = "yes" if is_asian else "no"
    assert metric.signature == f"ter:1.sacrebleu.tok:tercom.norm:{answer}.asian:{answer}"


def test_ter_of_thai_counts_characters() -> None:
    split: Any = TokenizerChar()  # type: ignore[no-untyped-call]
    pairs = [(split(target), split(text)) for target, text in THAI]
    assert compute(for_language(ter, "th"), THAI) == pytest.approx(ask_sacrebleu(TER(), pairs), abs=1e-9)
    assert compute(ter, THAI) > compute(for_language(ter, "th"), THAI)


def test_ter_of_references_of_different_lengths_uses_their_mean() -> None:
    sample = Sample(id="x", inputs={}, target=["a b c", "a b c d"])
    oracle = TER().corpus_score(["a x c"], [["a b c"], ["a b c d"]])
    assert ter.aggregate([ter.score(sample, Generation(text="a x c"))]) == pytest.approx(oracle.score, abs=1e-9)
