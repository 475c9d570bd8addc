"""Streaming recognition: when text arrives, how it changes, and how good it is within a latency budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from rapidfuzz.distance import Levenshtein

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Output, Sample
from auricle.metrics.base import Metric, mean
from auricle.metrics.capabilities import Bounded
from auricle.metrics.pooling import PooledQuantile, ValueGroups, count_metric, require_recording, value_metric
from auricle.metrics.targets import reference_text
from auricle.tasks.asr.error_rates import ErrorRate, count_errors
from auricle.tasks.calls.metrics.hypotheses import (
    Splitter,
    count_common_prefix,
    list_emissions,
    list_hypotheses,
    list_segments,
    list_timed_words,
    shows_revisions,
    speech_interval,
)
from auricle.tasks.calls.metrics.lagging import (
    average_lagging,
    average_proportion,
    differentiable_average_lagging,
    length_adaptive_average_lagging,
)
from auricle.text import get_profile, split_mixed, split_words

TRIGGERS = ("endpoint", "end_of_turn", "end_of_audio")
"""What makes a recogniser return its final text: its own detection, or a message of the caller."""
BUDGETS = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds after the end of speech at which the word error rate of what has arrived is computed."""

WordFunction = Callable[[Sample, CallRecording, Splitter], Any]


def _with_words(make: Callable[..., Metric], name: str, title: str, measure: WordFunction, **fields: Any) -> Metric:
    """Make a metric of words after normalising; `make` is `value_metric` or `count_metric`."""
    variant = fields.pop("variant")

    def build(profile_name: str) -> Metric:
        profile = get_profile(profile_name)

        def measure_words(sample: Sample, recording: CallRecording) -> Any:
            return measure(sample, recording, lambda text: split_mixed(profile.apply(text)))

        signature = {"variant": f"{variant}.mixed.{profile.signature}", "profile": profile.name, "with_profile": build}
        return make(name, title, measure_words, **signature, **fields)

    return build("basic")


# --- delays -----------------------------------------------------------------------------------------


def _list_first_partials(sample: Sample, recording: CallRecording) -> ValueGroups:
    speech = speech_interval(recording)
    arrivals = [hypothesis.at for hypothesis in list_hypotheses(recording) if hypothesis.text]
    return [[arrivals[0] - speech[0]]] if speech and arrivals else [[]]


first_partial_delay = value_metric(
    "first_partial_delay", "First-partial delay", _list_first_partials, variant="first-audible-sent.first-text-received"
)


def _list_finalisations(sample: Sample, recording: CallRecording) -> ValueGroups:
    speech = speech_interval(recording)
    finals = [event for event in recording.select(EventKind.FINAL) if event.text.strip()]  # not those of silence
    groups: list[list[float]] = [[] for _ in TRIGGERS]
    if speech and finals:
        groups[TRIGGERS.index(_find_trigger(finals[-1].at, recording))].append(finals[-1].at - speech[1])
    return groups


def _find_trigger(final_at: float, recording: CallRecording) -> str:
    for kind in (EventKind.END_OF_TURN, EventKind.END_OF_AUDIO):
        if any(event.at <= final_at for event in recording.select(kind)):
            return kind.value
    return "endpoint"


finalisation_delay = value_metric(
    "finalisation_delay",
    "Finalisation delay",
    _list_finalisations,
    aggregate=PooledQuantile(0.5, TRIGGERS),
    variant="last-audible-sent.last-final-received",
)


def _list_emission_delays(sample: Sample, recording: CallRecording, split: Splitter, *, column: int = 0) -> ValueGroups:
    words = list_timed_words(sample, recording, split)
    hypotheses = [(hypothesis.at, split(hypothesis.text)) for hypothesis in list_hypotheses(recording)]
    return [[delays[column] for delays in list_emissions(words, hypotheses)]]


def _count_correct(sample: Sample, recording: CallRecording, split: Splitter) -> Sequence[float]:
    words = list_timed_words(sample, recording, split)
    hypotheses = [(hypothesis.at, split(hypothesis.text)) for hypothesis in list_hypotheses(recording)]
    return len(list_emissions(words, hypotheses)), len(words)


word_emission_delay = _with_words(
    value_metric,
    "word_emission_delay",
    "Word emission delay",
    _list_emission_delays,
    variant="word-end.first-text-with-it",
)
word_emission_delay_stable = _with_words(
    value_metric,
    "word_emission_delay_stable",
    "Word emission delay, stable",
    partial(_list_emission_delays, column=1),
    variant="word-end.text-with-it-to-the-end",
)
word_emission_recall = _with_words(
    count_metric,
    "word_emission_recall",
    "Word emission recall",
    _count_correct,
    columns=("correct", "words"),
    variant="timed-words",
)


# --- stability --------------------------------------------------------------------------------------


def _split_segments(recording: CallRecording, split: Splitter) -> list[list[Sequence[str]]] | None:
    """Return the words of all texts of each segment; None if revisions cannot be observed."""
    if not shows_revisions(recording):
        return None
    return [[split(text) for text in texts] for texts in list_segments(recording)]


def _count_erased(sample: Sample, recording: CallRecording, split: Splitter) -> Sequence[float] | None:
    segments = _split_segments(recording, split)
    if segments is None:
        return None
    erased = sum(len(a) - count_common_prefix(a, b) for texts in segments for a, b in pairwise(texts))
    return erased, sum(len(texts[-1]) for texts in segments)


def _count_overhead(sample: Sample, recording: CallRecording, split: Splitter) -> Sequence[float] | None:
    segments = _split_segments(recording, split)
    if segments is None:
        return None
    edits = sum(Levenshtein.distance(a, b) for texts in segments for a, b in pairwise([[], *texts]))
    return edits - sum(len(texts[-1]) for texts in segments), edits


def _count_unstable(sample: Sample, recording: CallRecording, split: Splitter) -> Sequence[float] | None:
    segments = _split_segments(recording, split)
    if segments is None:
        return None
    changed = [sum(_count_changed(a, b) for a, b in pairwise(texts)) for texts in segments]
    final_words = sum(len(texts[-1]) for texts in segments)
    return sum(changed), final_words, sum(count > 0 for count in changed), len(segments)


def _count_changed(earlier: Sequence[str], later: Sequence[str]) -> int:
    substitutions, deletions, _ = count_errors(earlier, later)
    return substitutions + deletions


normalised_erasure = _with_words(
    count_metric,
    "normalised_erasure",
    "Normalised erasure",
    _count_erased,
    columns=("erased_words", "final_words"),
    is_share=False,
    higher_is_better=False,
    variant="after-common-prefix",
)
edit_overhead = _with_words(
    count_metric,
    "edit_overhead",
    "Edit overhead",
    _count_overhead,
    columns=("unnecessary_edits", "edits"),
    higher_is_better=False,
    variant="substitution-1",
)
unstable_partial_words = _with_words(
    count_metric,
    "unstable_partial_words",
    "Unstable partial words",
    _count_unstable,
    columns=("changed_words", "final_words", "changed_segments", "segments"),
    is_share=False,
    higher_is_better=False,
    variant="substituted-or-deleted",
)


# --- lagging ----------------------------------------------------------------------------------------


def list_source_delays(recording: CallRecording, split: Splitter) -> tuple[list[float], float] | None:
    """Return how much of the speech had been sent when each word of the final text was written to stay, and its length.

    A word stays from the first hypothesis on from which all begin with the final text up to that word.
    """
    speech = speech_interval(recording)
    hypotheses = [(hypothesis.at, split(hypothesis.text)) for hypothesis in list_hypotheses(recording)]
    if not speech or not hypotheses or not hypotheses[-1][1]:
        return None
    start, end = speech
    final = hypotheses[-1][1]
    settled = [count_common_prefix(words, final) for _, words in hypotheses]
    for index in range(len(settled) - 2, -1, -1):
        settled[index] = min(settled[index], settled[index + 1])
    times = [at for at, _ in hypotheses]
    firsts = [next(at for at, size in zip(times, settled, strict=True) if size > word) for word in range(len(final))]
    return [min(max(at - start, 0.0), end - start) for at in firsts], end - start


def _lagging_metric(
    name: str, title: str, measure: Callable[[list[float], float, int], float], unit: str, profile_name: str = "basic"
) -> Metric:
    """Make a metric of the lagging of an utterance, averaged over utterances."""
    profile = get_profile(profile_name)

    def split(text: str) -> list[str]:
        return split_mixed(profile.apply(text))

    def score(sample: Sample, output: Output) -> float | None:
        delays = list_source_delays(require_recording(output), split)
        reference_length = len(split(reference_text(sample.target))) if sample.target is not None else 0
        return measure(*delays, reference_length) if delays and reference_length else None

    return Metric(
        name,
        score,
        mean,
        higher_is_better=False,
        title=title,
        variant=f"source-sent.stable-prefix.mixed.{profile.signature}",
        profile=profile.name,
        unit=unit,
        with_profile=partial(_lagging_metric, name, title, measure, unit),
    )


streaming_ap = _lagging_metric("streaming_ap", "AP", average_proportion, "")
streaming_al = _lagging_metric("streaming_al", "AL", average_lagging, "s")
streaming_laal = _lagging_metric("streaming_laal", "LAAL", length_adaptive_average_lagging, "s")
streaming_dal = _lagging_metric(
    "streaming_dal", "DAL", lambda delays, source, _: differentiable_average_lagging(delays, source), "s"
)


# --- quality within a budget --------------------------------------------------------------------------


class BudgetErrorRate(ErrorRate, Bounded):
    """The word error rate of the text that has arrived some seconds after the end of speech."""

    def __init__(self, budget: float, profile_name: str = "basic") -> None:
        name, title = f"wer_at_{budget * 1000:.0f}ms", f"WER after {budget:g} s"
        super().__init__(name, split_words, profile_name, title=title)
        self.variant += f".last-audible-sent+{budget:g}s"
        self._budget = budget

    def score(self, sample: Sample, output: Output) -> tuple[float, ...] | None:
        recording = require_recording(output)
        speech = speech_interval(recording)
        if speech is None:
            return None
        texts = [item.text for item in list_hypotheses(recording) if item.at <= speech[1] + self._budget]
        return self.count(sample.target, texts[-1] if texts else "")

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.count_bounds(sample.target)

    def with_profile(self, profile: str) -> Metric:
        return BudgetErrorRate(self._budget, profile)


wer_at_0ms, wer_at_200ms, wer_at_500ms, wer_at_1000ms, wer_at_2000ms = map(BudgetErrorRate, BUDGETS)


def _measure_time(sample: Sample, recording: CallRecording) -> Sequence[float] | None:
    speech, hypotheses = speech_interval(recording), list_hypotheses(recording)
    return (hypotheses[-1].at - speech[0], speech[1] - speech[0]) if speech and hypotheses else None


real_time_factor = count_metric(
    "real_time_factor",
    "Real-time factor",
    _measure_time,
    ("seconds_to_last_text", "seconds_of_speech"),
    is_share=False,
    higher_is_better=False,
    variant="first-audible-sent.last-text-received",
)

streaming = (
    first_partial_delay,
    finalisation_delay,
    word_emission_delay,
    word_emission_delay_stable,
    word_emission_recall,
    normalised_erasure,
    edit_overhead,
    unstable_partial_words,
    streaming_ap,
    streaming_al,
    streaming_laal,
    streaming_dal,
    wer_at_0ms,
    wer_at_200ms,
    wer_at_500ms,
    wer_at_1000ms,
    wer_at_2000ms,
    real_time_factor,
)
"""All of these metrics, for `--add-metrics streaming`."""
