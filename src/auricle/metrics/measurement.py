"""One number in one call: `auricle.wer(references, hypotheses)`, with its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from auricle.core.errors import AuricleError, SpecError
from auricle.core.result_table import MIN_INTERVAL_UNITS, ResultTable, format_number
from auricle.core.types import Generation, Input, Output, Prediction, Sample, Stat
from auricle.metrics.base import Metric, SupportsContexts
from auricle.metrics.capabilities import Choosing, Localized, Profiled, UsesSynonyms
from auricle.metrics.catalogue import METRICS
from auricle.metrics.intervals import compute_interval


class MeasureKeywords(TypedDict, total=False):
    """Further arguments of `measure` and of the functions named after metrics."""

    profile: str
    """Text normaliser for both sides, such as `basic` or `whisper-en`; see `auricle list profiles`. [default: none]"""
    language: str
    """Language of the texts, such as `zh`, for metrics that split texts by their language."""
    clusters: Sequence[Any]
    """For each pair what it belongs to, such as its speaker: clusters, not pairs, are then independent."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Measurement(ResultTable):
    """A number with its 95 % interval; `float(…)` and `.value` are the number alone.

    Examples:
        >>> measure("wer", "one two", "one too")
        <wer 50.00 %, n=1>
    """

    shown_columns: ClassVar[tuple[str, ...]] = ("metric", "value", "low", "high", "interval", "units", "pairs")
    metric: str
    """Name of the metric."""
    value: float
    """The number; NaN if it is undefined."""
    low: float
    """Lower end of the 95 % interval; NaN if it is unknown."""
    high: float
    """Upper end."""
    interval: str
    """How the interval was computed."""
    units: int
    """Number of independent units: clusters, or pairs."""
    pairs: int
    """Pairs that the number is computed from."""
    details: dict[str, Any]
    """What the metric reports beside the number, such as counts of errors."""
    unit: str
    """What the number counts."""
    signature: str
    """Exactly what was measured."""

    def list_rows(self) -> list[dict[str, Any]]:
        return [{name: value for name, value in asdict(self).items() if name != "details"} | self.details]

    def describe(self) -> str:
        return self.signature

    def __float__(self) -> float:
        return self.value

    def list_shown_rows(self) -> list[dict[str, Any]]:
        """Return the row that is printed, without the interval of too few units."""
        unknown = {} if self._has_interval else {"low": None, "high": None}
        return [row | unknown for row in self.list_rows()]

    @property
    def _has_interval(self) -> bool:
        return self.units >= MIN_INTERVAL_UNITS and not math.isnan(self.low)

    def __repr__(self) -> str:
        low, high = (format_number(end, self.unit) for end in (self.low, self.high))
        interval = f" [{low}, {high}]" if self._has_interval else ""
        return f"<{self.metric} {format_number(self.value, self.unit)}{interval}, n={self.pairs:,}>"


def measure(
    metric: str, references: Sequence[Any] | str, hypotheses: Sequence[str] | str, **options: Unpack[MeasureKeywords]
) -> Measurement:
    """Compute a metric over pairs of a reference and what a model answered.

    Args:
        metric: Name of a metric that compares an answer with its reference; see `auricle list metrics`.
        references: References, or one of them. A list in place of a reference has all acceptable ones.
        hypotheses: Answers in the same order.
        options: `profile`, the text normaliser of both sides (none by default), such as `basic`; `language` of the
            texts, for metrics that split texts by it; `clusters`, for each pair what it belongs to, such as its
            speaker: clusters, not pairs, are then independent.

    Returns:
        The number over all pairs, with its 95 % interval.

    Examples:
        >>> measure("ter", ["the cat sat"], ["the cat sat"]).value
        0.0
    """
    if isinstance(references, str) and isinstance(hypotheses, str):
        references, hypotheses = [references], [hypotheses]
    if isinstance(references, str) or isinstance(hypotheses, str) or len(references) != len(hypotheses):
        sizes = ["1 text" if isinstance(side, str) else f"{len(side)}" for side in (references, hypotheses)]
        raise SpecError(f"There are {sizes[0]} references and {sizes[1]} hypotheses: expected one of each per pair.")
    chosen = _choose(metric, options)
    pairs = list(_score(chosen, references, hypotheses))
    stats: Any = [stat for _, stat, _ in pairs]
    aggregate = chosen.aggregate
    if isinstance(aggregate, SupportsContexts):
        aggregate = aggregate.with_contexts({context for _, _, context in pairs})
    clusters = options.get("clusters")
    codes = None
    if clusters is not None:
        if len(clusters) != len(references):
            raise SpecError(f"There are {len(references)} references and {len(clusters)} clusters: expected as many.")
        codes = np.unique([str(clusters[index]) for index, _, _ in pairs], return_inverse=True)[1]
    interval = compute_interval(stats, aggregate, clusters=codes) if pairs else None
    describe = getattr(aggregate, "details", None)
    return Measurement(
        metric=chosen.name,
        value=float(aggregate(stats)) if pairs else math.nan,
        low=interval.low if interval else math.nan,
        high=interval.high if interval else math.nan,
        interval=interval.method if interval else "",
        units=interval.units if interval else 0,
        pairs=len(pairs),
        details=describe(stats) if describe and pairs else {},
        unit=chosen.unit,
        signature=chosen.signature,
    )


def _choose(name: str, options: MeasureKeywords) -> Metric:
    chosen: Metric = METRICS.get(name)
    if isinstance(chosen, Profiled):
        chosen = chosen.with_profile(options.get("profile", "none"))
    if isinstance(chosen, Localized):
        chosen = chosen.with_language(options.get("language", ""))
    return chosen.without_synonyms() if isinstance(chosen, UsesSynonyms) else chosen


def _score(metric: Metric, references: Sequence[Any], hypotheses: Sequence[str]) -> Iterator[tuple[int, Stat, Any]]:
    """Yield the index, the statistic and the context of each pair that the metric applies to."""
    outputs: dict[Any, Output] = {text: Generation(text=str(text)) for text in hypotheses}
    inputs: dict[str, Input] = {}
    if isinstance(metric, Choosing):  # labels, which need not be read from texts
        inputs["choices"] = labels = sorted({*map(str, references), *map(str, hypotheses)})
        outputs = {
            text: Prediction(values={label: float(label == str(text)) for label in labels}, scale="probability")
            for text in outputs
        }
    extract = getattr(metric.aggregate, "extract_context", None)
    for index, (reference, hypothesis) in enumerate(zip(references, hypotheses, strict=True)):
        sample, output = Sample(id=str(index), inputs=inputs, target=reference), outputs[hypothesis]
        try:
            stat = metric.score(sample, output)
        except (AuricleError, TypeError) as error:
            raise SpecError(f"{metric.name} cannot be computed from texts (pair {index}): {error}") from error
        if stat is not None:
            yield index, stat, extract(sample, output) if extract else None


def wer(
    references: Sequence[str] | str, hypotheses: Sequence[str] | str, **options: Unpack[MeasureKeywords]
) -> Measurement:
    """Compute the word error rate, pooled over all pairs: (S + D + I) / N, equal to jiwer's.

    Args:
        references: Reference transcripts, or one.
        hypotheses: Transcripts of a model in the same order.
        options: `profile`, `language` and `clusters`, as in `measure`.
            Without a profile, case and punctuation count.

    Examples:
        >>> result = wer(["the cat sat", "hello"], ["the cat sit", "hello"])
        >>> result.value, result.details["substitutions"]
        (0.25, 1)
        >>> wer("The cat.", "the cat", profile="basic").value
        0.0
    """
    return measure("wer", references, hypotheses, **options)


def cer(
    references: Sequence[str] | str, hypotheses: Sequence[str] | str, **options: Unpack[MeasureKeywords]
) -> Measurement:
    """Compute the character error rate, pooled over all pairs, equal to jiwer's.

    Args:
        references: Reference transcripts, or one.
        hypotheses: Transcripts of a model in the same order.
        options: See `wer`.

    Examples:
        >>> cer(["abcd"], ["abed"]).value
        0.25
    """
    return measure("cer", references, hypotheses, **options)


def bleu(
    references: Sequence[Any] | str, hypotheses: Sequence[str] | str, **options: Unpack[MeasureKeywords]
) -> Measurement:
    """Compute the BLEU of a corpus, from 0 to 100, equal to sacrebleu's (`pip install 'auricle[bleu]'`).

    Args:
        references: Reference translations; a list in place of one has all acceptable ones.
        hypotheses: Translations of a model in the same order.
        options: See `wer`; `language` is the target language.

    Examples:
        >>> round(bleu(["the cat sat on the mat"], ["the cat sat on the mat"]).value)
        100
    """
    return measure("bleu", references, hypotheses, **options)


def accuracy(references: Sequence[str], hypotheses: Sequence[str], **options: Unpack[MeasureKeywords]) -> Measurement:
    """Compute the share of labels that are right.

    Args:
        references: True labels.
        hypotheses: Predicted labels in the same order.
        options: `clusters`, as in `measure`.

    Examples:
        >>> accuracy(["sad", "happy"], ["sad", "sad"]).value
        0.5
    """
    return measure("accuracy", references, hypotheses, **options)


def uar(references: Sequence[str], hypotheses: Sequence[str], **options: Unpack[MeasureKeywords]) -> Measurement:
    """Compute the unweighted average recall of labels, also known as balanced accuracy.

    Args:
        references: True labels.
        hypotheses: Predicted labels in the same order.
        options: `clusters`, as in `measure`.

    Examples:
        >>> uar(["sad", "sad", "happy"], ["sad", "happy", "happy"]).value
        0.75
    """
    return measure("uar", references, hypotheses, **options)


def macro_f1(references: Sequence[str], hypotheses: Sequence[str], **options: Unpack[MeasureKeywords]) -> Measurement:
    """Compute the mean F1 of labels.

    Args:
        references: True labels.
        hypotheses: Predicted labels in the same order.
        options: `clusters`, as in `measure`.

    Examples:
        >>> round(macro_f1(["sad", "sad", "happy"], ["sad", "happy", "happy"]).value, 3)
        0.667
    """
    return measure("macro_f1", references, hypotheses, **options)
