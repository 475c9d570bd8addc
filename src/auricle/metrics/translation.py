"""BLEU and chrF, computed with sacrebleu from statistics per sentence."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Array, Metric, SumAggregator
from auricle.metrics.error_rates import reference_texts

try:  # at import, so that a missing package is reported before the run starts
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
except ImportError as missing:
    raise MissingExtra("BLEU and chrF", "bleu") from missing


@lru_cache
def _make_scorer(name: str) -> Any:
    kind, _, tokeniser = name.partition("_")
    return {"bleu": BLEU, "chrf": CHRF}[kind](**({"tokenize": tokeniser} if tokeniser else {}))


def _sacrebleu_metric(name: str, title: str) -> Metric:
    """Split a corpus metric of sacrebleu into a statistic per sentence and an aggregate.

    sacrebleu's public functions take only whole corpora; the two private methods used here are those of its own
    bootstrap.
    """

    def statistics(target: Any, text: str) -> Stat:
        references = [[reference] for reference in reference_texts(target)]
        (row,) = _make_scorer(name)._extract_corpus_statistics([text], references)  # noqa: SLF001
        return tuple(map(float, row))

    def score(sample: Sample, output: Generation) -> Stat:
        return statistics(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        best = reference_texts(sample.target)[0]
        return statistics(sample.target, ""), statistics(sample.target, best)

    def finish(totals: Array) -> float:
        counts = [int(total) for total in totals[:-1]]
        return float(_make_scorer(name)._compute_score_from_stats(counts).score)  # noqa: SLF001

    return Metric(
        name,
        score,
        SumAggregator(finish),
        title=title,
        variant="sacrebleu",
        bounds=bounds,
        unit="points",
        read_answer=lambda _, output: " ".join(output.text.split()),
    )


bleu = _sacrebleu_metric("bleu", "BLEU")
bleu_char = _sacrebleu_metric("bleu_char", "BLEU, characters")
bleu_zh = _sacrebleu_metric("bleu_zh", "BLEU, zh tokens")
chrf = _sacrebleu_metric("chrf", "chrF")
