"""Metrics of who speaks when: diarisation error rate, Jaccard error rate and number of speakers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Array, Details, MeanAggregator, Metric, RatioAggregator
from auricle.tasks.meetings.metrics.diarisation import Comparison, Scoring, Turns, compare_turns
from auricle.tasks.meetings.metrics.turns import MAX_CACHED, Identity, Reference, read_reference, read_speakers

MISSED, FALSE_ALARM, CONFUSION, TOTAL, SCORED, WITH_UEM, ZERO_LENGTH, REFERENCE_OVERLAP, ANSWER_OVERLAP = range(9)
"""Columns of the statistic: seconds of errors, of reference speech and of scored time, whether there is a UEM, the
number of turns without duration that were left out, and the seconds in which speakers overlap themselves."""
SpeakerFactory = Callable[[Scoring], Metric]


def has_speakers(sample: Sample) -> bool:
    """Return whether the reference of a sample has turns with speakers, or states that there are none."""
    return read_reference(sample).has_speakers


def compare(sample: Sample, segments: Sequence[Segment], scoring: Scoring) -> Comparison | None:
    """Compare the turns of a recording; None if the convention ignores it because the reference has none."""
    return _compare(Identity(sample.meta, segments), scoring)


@lru_cache(maxsize=MAX_CACHED)  # several metrics compare the same turns
def _compare(key: Identity, scoring: Scoring) -> Comparison | None:
    meta, segments = key.values
    reference = read_reference(Sample(id="", inputs={}, meta=meta))
    turns = Turns.from_segments(reference.segments or ())
    if scoring.convention == "md-eval" and not len(turns.starts):
        return None
    return compare_turns(turns, Turns.from_segments(segments), scoring, reference.regions, reference.ignored)


def count_zero_length(reference: Reference) -> int:
    """Return how many turns of a reference have no duration."""
    return reference.zero_length + _count_empty(reference.segments or ())


def _count_empty(segments: Sequence[Segment]) -> int:
    return sum(segment.end <= segment.start for segment in segments)


SELF_OVERLAP_RULES = {
    "pyannote": "Each of them counts, as in pyannote.metrics; -T convention=md-eval counts a speaker once.",
    "md-eval": "The speaker counts once, as in md-eval; pyannote.metrics counts every turn.",
}
"""What each convention does with turns of the same speaker that overlap."""


def _error_details(scoring: Scoring, totals: Array) -> Details:
    names = ("missed", "false_alarm", "confusion", "reference_speech", "scored_time")
    details: dict[str, Any] = {name: round(float(total), 6) for name, total in zip(names, totals, strict=False)}
    details |= {"recordings_with_uem": int(totals[WITH_UEM]), "zero_length_turns": int(totals[ZERO_LENGTH])}
    reference, answers = totals[REFERENCE_OVERLAP], totals[ANSWER_OVERLAP]
    if reference or answers:
        details["notes"] = [
            f"Turns of the same speaker overlap for {reference:,.2f} s in the references and {answers:,.2f} s in the "
            f"answers. {SELF_OVERLAP_RULES[scoring.convention]}"
        ]
    return details


def der_metric(
    scoring: Scoring, name: str = "der", title: str = "DER", columns: Sequence[int] = (MISSED, FALSE_ALARM, CONFUSION)
) -> Metric:
    """Make the metric of seconds of errors per second of reference speech, or of one kind of error."""

    def measure(sample: Sample, segments: Sequence[Segment]) -> tuple[float, ...] | None:
        comparison = compare(sample, segments, scoring)
        if comparison is None:
            return None
        reference = read_reference(sample)
        has_uem, dropped = reference.regions is not None, count_zero_length(reference) + _count_empty(segments)
        overlaps = comparison.sum_self_overlaps()
        return (*comparison.sum_errors(), comparison.scored_seconds(), float(has_uem), float(dropped), *overlaps)

    def bounds(sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        missed, _, _, total, *rest = measure(sample, ()) or (0.0,) * 9
        return (missed if MISSED in columns else 0.0, 0.0, 0.0, total, *rest), (0.0, 0.0, 0.0, total, *rest)

    return Metric(
        name,
        lambda sample, output: measure(sample, read_speakers(output)),
        RatioAggregator(
            columns, TOTAL, partial(_error_details, scoring), is_share=len(columns) == 1 and FALSE_ALARM not in columns
        ),
        higher_is_better=False,
        version=2,
        title=title,
        variant=f"pooled.{scoring.variant}",
        bounds=bounds,
        unit="share",
        badness=lambda stat: sum(stat[column] for column in columns) / max(1.0, stat[TOTAL]),
        applies=has_speakers,
    )


def _part_factory(name: str, title: str, column: int) -> SpeakerFactory:
    return lambda scoring: der_metric(scoring, name, title, (column,))


def jer_metric(scoring: Scoring) -> Metric:
    """Make the metric of 1 minus the Jaccard index of a speaker's turns, the mean over all speakers of all files."""

    def measure(sample: Sample, segments: Sequence[Segment]) -> tuple[float, float] | None:
        comparison = compare(sample, segments, scoring)
        if comparison is None:
            return None
        errors = comparison.jaccard_errors()
        return sum(errors), float(len(errors))

    def bounds(sample: Sample) -> tuple[tuple[float, float], tuple[float, float]]:
        count = (measure(sample, ()) or (0.0, 0.0))[1]
        return (count, count), (0.0, count)

    return Metric(
        "jer",
        lambda sample, output: measure(sample, read_speakers(output)),
        RatioAggregator((0,), 1, lambda totals: {"speakers": int(totals[1])}, is_share=True),
        higher_is_better=False,
        version=2,
        title="JER",
        variant=f"speakers.{scoring.variant}",
        bounds=bounds,
        unit="share",
        applies=has_speakers,
    )


# --- number of speakers --------------------------------------------------------------------------


def count_speakers(segments: Sequence[Segment], reference: Reference) -> int:
    """Return how many speakers have a turn in the regions of the UEM, or anywhere if there is none."""
    regions = reference.regions
    return len(
        {
            segment.speaker
            for segment in segments
            if segment.end > segment.start
            and (
                regions is None or any(segment.start < region.end and region.start < segment.end for region in regions)
            )
        }
    )


def _count_both(sample: Sample, output: Generation) -> tuple[int, int]:
    reference = read_reference(sample)
    return count_speakers(reference.segments or (), reference), count_speakers(read_speakers(output), reference)


def _score_count_error(sample: Sample, output: Generation) -> tuple[float, ...]:
    expected, actual = _count_both(sample, output)
    return abs(actual - expected), max(0, expected - actual), max(0, actual - expected), expected, actual


def _count_details(totals: Array) -> Details:
    names = ("", "missing", "additional", "in_reference", "in_answers")
    return {name: int(total) for name, total in zip(names, totals, strict=False) if name}


def _score_count_accuracy(sample: Sample, output: Generation) -> float:
    expected, actual = _count_both(sample, output)
    return float(expected == actual)


speaker_count_error = Metric(
    "speaker_count_error",
    _score_count_error,
    RatioAggregator(denominator=-1, details=_count_details),
    higher_is_better=False,
    title="Speaker count error",
    variant="mean-absolute",
    unit="points",
    applies=has_speakers,
)
speaker_count_accuracy = Metric(
    "speaker_count_accuracy",
    _score_count_accuracy,
    MeanAggregator(),
    title="Right speaker count",
    unit="share",
    credit=float,
    applies=has_speakers,
)

FACTORIES: dict[str, SpeakerFactory] = {
    "der": der_metric,
    "der_miss": _part_factory("der_miss", "Missed speech", MISSED),
    "der_false_alarm": _part_factory("der_false_alarm", "False alarm", FALSE_ALARM),
    "der_confusion": _part_factory("der_confusion", "Speaker confusion", CONFUSION),
    "jer": jer_metric,
    "speaker_count_error": lambda _: speaker_count_error,
    "speaker_count_accuracy": lambda _: speaker_count_accuracy,
}
"""The metrics as functions of what is scored."""

der, der_miss, der_false_alarm, der_confusion, jer = (
    FACTORIES[name](Scoring()) for name in ("der", "der_miss", "der_false_alarm", "der_confusion", "jer")
)
