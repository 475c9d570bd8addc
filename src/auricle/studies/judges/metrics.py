"""Check a judge for bias: probes that are sent to it, and statistics of its replies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auricle.core.errors import Unreadable
from auricle.core.types import Generate, Generation, Output, Predict, Record, Sample
from auricle.metrics.agreement import AlphaAggregator, JudgeScale
from auricle.metrics.base import Aggregator, Metric, Unit, mean
from auricle.metrics.calibration import CorrectedMean
from auricle.metrics.capabilities import Judged, Pairwise, list_members
from auricle.studies.judges.document import CheckResult

PADDING = (
    "\n\nThat is my answer to the question as I understood it. I have tried to keep to what was asked and to put it in "
    "plain words. Thank you for the question, and please let me know if anything in this answer is unclear or if you "
    "would like me to say it in another way. I am happy to go through it once again whenever that is convenient."
)
"""Text without any content, which makes an answer longer and not better."""
MIN_SAMPLES = 10
"""Samples below which a check has no number."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a judge replied about one sample; None where its reply cannot be read."""

    sample_id: str
    length: int
    """Characters of the answer."""
    value: float | None
    repeated: float | None = None
    """Its score when it was asked the same again."""
    padded: float | None = None
    """Its score for the answer with `PADDING`."""
    first_wins: tuple[float, ...] = ()
    """For each order of two answers, 1 if the first one won, and 0.5 for a tie."""
    label: float | None = None


# --- probes -------------------------------------------------------------------------------------


def make_probe(metric: Metric) -> Metric:
    """Return a metric that asks a judge three times: for a verdict, for the same again, and about a padded answer."""
    assert isinstance(metric, Judged)
    ask = metric.judge_requests

    def requests(sample: Sample, *outputs: Output) -> tuple[Generate | Predict, ...]:
        return (*ask(sample, *outputs) * 2, *ask(sample, *pad_outputs(outputs)))

    return metric.replace(name=f"{metric.name}.check", judge_requests=requests, companions=())


def pad_outputs(outputs: Sequence[Output]) -> list[Output]:
    return [
        replace(output, text=output.text + PADDING) if isinstance(output, Generation) else output for output in outputs
    ]


def read_probe(metric: Metric, record: Record, replies: Sequence[str]) -> ProbeResult:
    """Read the replies to a probe, or those to the requests of the metric itself."""
    sample, outputs = record.sample, record.outputs
    assert isinstance(metric, Judged)
    size = len(metric.judge_requests(sample, *outputs))
    parts = [replies[start : start + size] for start in range(0, len(replies), size or 1)]
    judged = [outputs, outputs, pad_outputs(outputs)]
    values = [_read_value(metric, sample, answer, part) for answer, part in zip(judged, parts, strict=False)]
    value, repeated, padded = (*values, None, None, None)[:3]
    return ProbeResult(
        sample.id,
        sum(len(output.text) for output in outputs if isinstance(output, Generation)),
        value,
        repeated,
        padded,
        _read_order_winners(metric, parts[0]) if parts else (),
        None if value is None else _read_label(metric, sample, value),
    )


def _read_value(metric: Metric, sample: Sample, outputs: Sequence[Output], replies: Sequence[str]) -> float | None:
    try:
        stat = metric.score(sample, *outputs, verdicts=replies)
    except Unreadable:
        return None
    value = math.nan if stat is None else metric.sample_value(stat)
    return None if math.isnan(value) else value


def _read_order_winners(metric: Metric, replies: Sequence[str]) -> tuple[float, ...]:
    if not isinstance(metric, Pairwise):
        return ()
    try:
        return tuple(metric.read_pair_verdict(reply) for reply in replies)
    except Unreadable:
        return ()


def _read_label(metric: Metric, sample: Sample, value: float) -> float | None:
    """Return the label that the corrected score of the metric would use."""
    for companion in list_members(metric)[1:]:
        if isinstance(companion.aggregate, CorrectedMean):
            try:
                stat: Any = companion.score(sample, value)
            except Unreadable:
                return None
            return float(stat[1]) if stat[2] else None
    return None


# --- checks -------------------------------------------------------------------------------------


def compute_checks(metric: Metric, results: Sequence[ProbeResult]) -> list[CheckResult]:
    """Compute the checks that need one run: position, verbosity, consistency and agreement with people."""
    changed = make_result("consistency", "verdicts that change when the same is asked again", "share")
    pairs = [(result.value, result.repeated) for result in results if None not in (result.value, result.repeated)]
    return [
        *_check_position(metric, results),
        *_check_verbosity(metric, results),
        _measure(changed, [float(value != repeated) for value, repeated in pairs], mean),
        *_check_agreement(metric, results),
    ]


def _check_position(metric: Metric, results: Sequence[ProbeResult]) -> list[CheckResult]:
    flips = make_result("position", "verdicts that change with the order of the answers", "share")
    preference = make_result("position", "preference for the answer shown first", "share", neutral=0.5)
    if not isinstance(metric, Pairwise):
        note = f"cannot be checked: {metric.name} judges one answer at a time"
        return [replace(preference, note=note)]
    pairs = [result.first_wins for result in results if len(result.first_wins) >= 2]
    return [
        _measure(flips, [float(first != 1.0 - second) for first, second, *_ in pairs], mean),
        _measure(preference, [(first + second) / 2 for first, second, *_ in pairs], mean),
    ]


def _check_verbosity(metric: Metric, results: Sequence[ProbeResult]) -> list[CheckResult]:
    from auricle.metrics.correlation import srcc

    unit = metric.unit
    padded = make_result("verbosity", "change of the score by padding without content", unit, neutral=0.0)
    changes = [(r.value, r.padded) for r in results if r.value is not None and r.padded is not None]
    labelled = [result for result in results if result.label is not None and result.value is not None]
    checks = [_measure_difference(padded, changes)]
    if labelled:
        length = make_result("verbosity", "rank correlation of length and score, at equal label", neutral=0.0)
        pairs = [(float(result.length), (result.value or 0.0) - (result.label or 0.0)) for result in labelled]
    else:
        note = "longer answers may be better ones; labels would separate the two"
        length = make_result("verbosity", "rank correlation of length and score", note=note)
        pairs = [(float(result.length), result.value) for result in results if result.value is not None]
    return [*checks, _measure(length, pairs, srcc)]


def _check_agreement(metric: Metric, results: Sequence[ProbeResult]) -> list[CheckResult]:
    from auricle.metrics.judge import KappaAggregator

    pairs = [(result.value, result.label) for result in results if None not in (result.value, result.label)]
    if not pairs:
        note = "cannot be checked: no sample has a human label; add some with --human labels.csv"
        return [make_result("agreement", "agreement with human labels", note=note)]
    level = (getattr(metric, "judge_scale", None) or JudgeScale()).level
    values = [(value, 1.0, label, 1.0) for value, label in pairs]
    kappa = KappaAggregator(quadratic=level == "interval")
    return [
        _measure(
            make_result("agreement", "verdicts equal to human labels", "share"), [float(a == b) for a, b in pairs], mean
        ),
        _measure(make_result("agreement", "Cohen's kappa with human labels"), pairs, kappa),
        _measure(make_result("agreement", "Krippendorff's alpha with human labels"), values, AlphaAggregator(level)),
    ]


def check_self_preference(own: Sequence[ProbeResult], other: Sequence[ProbeResult], unit: Unit) -> CheckResult:
    """Compare how a judge scores a model of its own family and another one, relative to the labels of people.

    Without labels for both, the difference may be one of quality, and there is no value of a judge without bias.
    """
    pairs = [(mine, theirs) for mine in own for theirs in other if mine.sample_id == theirs.sample_id]
    scored = [(mine, theirs) for mine, theirs in pairs if None not in (mine.value, theirs.value)]
    labelled = [(mine, theirs) for mine, theirs in scored if None not in (mine.label, theirs.label)]
    if len(labelled) >= MIN_SAMPLES:
        surplus = [(_excess(theirs), _excess(mine)) for mine, theirs in labelled]
        measure = "what its own family gains over another, beyond human labels"
        return _measure_difference(make_result("self-preference", measure, unit, neutral=0.0), surplus)
    note = "quality is not separated from preference; that takes human labels for both runs"
    result = make_result("self-preference", "score of its own family minus that of another", unit, note=note)
    return _measure_difference(result, [(theirs.value or 0.0, mine.value or 0.0) for mine, theirs in scored])


def _excess(result: ProbeResult) -> float:
    return (result.value or 0.0) - (result.label or 0.0)


def make_result(
    check: str, measure: str, unit: str = "", *, neutral: float | None = None, note: str = ""
) -> CheckResult:
    return CheckResult(check=check, measure=measure, unit=unit, neutral=neutral, note=note)


def _measure_difference(result: CheckResult, pairs: Sequence[tuple[float, float]]) -> CheckResult:
    """Add the mean difference of pairs, the second minus the first, and its interval to a result."""
    from auricle.metrics.intervals import compare_paired

    if len(pairs) < MIN_SAMPLES:
        return _add_shortage(result, len(pairs))
    first, second = zip(*pairs, strict=True)
    difference = compare_paired(first, second, mean)
    return replace(result, value=difference.difference, low=difference.low, high=difference.high, n=len(pairs))


def _add_shortage(result: CheckResult, count: int) -> CheckResult:
    return replace(result, n=count, note=f"{count} samples are too few; at least {MIN_SAMPLES} are needed")


def _measure(result: CheckResult, stats: Sequence[Any], aggregate: Aggregator | Callable[[Any], float]) -> CheckResult:
    """Add the value and the interval of some statistics to a result."""
    from auricle.metrics.intervals import compute_interval

    if len(stats) < MIN_SAMPLES:
        return _add_shortage(result, len(stats))
    value, interval = float(aggregate(stats)), compute_interval(stats, aggregate)
    if not math.isfinite(value):
        return replace(result, n=len(stats), note="undefined: all verdicts are equal")
    ends = (end if math.isfinite(end) else None for end in (interval.low, interval.high))
    low, high = ends
    return replace(result, value=value, low=low, high=high, n=len(stats))
