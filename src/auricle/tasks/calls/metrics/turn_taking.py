"""Who speaks when: answers, barge-ins, sounds that ask for nothing, pauses, overlap and silence.

Every rate has its counts in the details. What cannot be decided, such as a barge-in while the agent ends by itself, is
left out of the rate and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from auricle.core.calls import CallRecording, StepKind
from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, divide
from auricle.metrics.pooling import (
    AGENT_WAS_SILENT,
    CALL_DROPPED,
    NEAR_OWN_END,
    NOT_REPORTED,
    PLAYED,
    PooledQuantile,
    ValueGroups,
    count_metric,
    require_recording,
    value_metric,
)
from auricle.metrics.scales import UNKNOWN
from auricle.tasks.calls.metrics.turns import (
    RESUME_WINDOW,
    STOP_WINDOW,
    YIELD_WINDOW,
    Interval,
    Overlap,
    intersect,
    is_cut_by_drop,
    list_asking_turns,
    list_exchanges,
    list_intrusions,
    list_lost,
    list_overlaps,
    list_pause_results,
    list_turns,
    merge_intervals,
)

MEDIAN_WITHIN_WINDOW = PooledQuantile(0.5, scale=replace(UNKNOWN, lowest=0.0, highest=YIELD_WINDOW))
SHORT_SPEECH = 1.0
"""Speech of an agent below this many seconds may be a backchannel."""
PAUSE_LENGTHS = (0.75, 1.5)
"""Limits in seconds between short, medium and long pauses."""


# --- answers --------------------------------------------------------------------------------------


def _count_answers(sample: Sample, recording: CallRecording) -> Sequence[float]:
    exchanges = list_exchanges(recording)
    answers = [exchange.answer for exchange in exchanges if exchange.answer]
    cut = sum(is_cut_by_drop(answer, recording) for answer in answers)
    unreached = len(list_lost(recording, "say", "interrupt"))
    return len(answers) - cut, len(exchanges) + unreached, cut + unreached


response_rate = count_metric(
    "response_rate",
    "Response rate",
    _count_answers,
    ("answered", "turns", "call_dropped"),
    variant=f"before-next-turn-or-end.{PLAYED}",
)


# --- barge-ins ------------------------------------------------------------------------------------


def _list_barge_ins(recording: CallRecording) -> list[Overlap]:
    return [overlap for overlap in list_overlaps(recording) if overlap.turn.kind == "interrupt"]


def _count_undecided(recording: CallRecording, kind: StepKind) -> dict[str, int]:
    """Count the sounds of a kind whose effect on the agent cannot be seen, by reason."""
    overlaps = [overlap for overlap in list_overlaps(recording) if overlap.turn.kind == kind]
    sounds = [turn for turn in list_turns(recording) if turn.kind == kind]
    reactions = Counter(overlap.reaction for overlap in overlaps)
    return {
        NEAR_OWN_END: reactions["unknown"],
        AGENT_WAS_SILENT: len(sounds) - len(overlaps),
        CALL_DROPPED: reactions["lost"] + len(list_lost(recording, kind)),
    }


def _count_without_latency(recording: CallRecording) -> dict[str, int]:
    deaf = sum(overlap.reaction == "went_on" for overlap in _list_barge_ins(recording))
    return {**_count_undecided(recording, "interrupt"), "the agent did not yield": deaf}


def _count_without_signal(recording: CallRecording) -> dict[str, int]:
    undecided = _count_undecided(recording, "interrupt")
    silent = sum(overlap.signal_seconds is None for overlap in _list_barge_ins(recording))
    return {AGENT_WAS_SILENT: undecided[AGENT_WAS_SILENT], NOT_REPORTED: silent}


def _count_yields(sample: Sample, recording: CallRecording) -> Sequence[float]:
    decided = [overlap for overlap in _list_barge_ins(recording) if overlap.is_decided]
    near_own_end, agent_was_silent, call_dropped = _count_undecided(recording, "interrupt").values()
    return (
        sum(overlap.reaction == "stopped" for overlap in decided),
        len(decided),
        near_own_end,
        agent_was_silent,
        sum(overlap.signal_seconds is not None for overlap in decided),
        call_dropped,
    )


barge_in_yield = count_metric(
    "barge_in_yield",
    "Barge-in yield rate",
    _count_yields,
    ("yielded", "barge_ins", "near_own_end", "agent_was_silent", "detected", "call_dropped"),
    variant=f"silent-within-{YIELD_WINDOW:g}s.{PLAYED}",
    left_out=partial(_count_undecided, kind="interrupt"),
)


def _count_successes(sample: Sample, recording: CallRecording) -> Sequence[float]:
    exchanges = [(exchange.turn.step, exchange.answer) for exchange in list_exchanges(recording)]
    answered = {step for step, answer in exchanges if answer and not is_cut_by_drop(answer, recording)}
    barge_ins = [overlap for overlap in _list_barge_ins(recording) if overlap.reaction != "unknown"]
    successes = [item for item in barge_ins if item.reaction == "stopped" and item.turn.step in answered]
    lost = len(list_lost(recording, "interrupt"))
    return len(successes), len(barge_ins) + lost, lost + sum(item.reaction == "lost" for item in barge_ins)


barge_in_success = count_metric(
    "barge_in_success",
    "Barge-in success",
    _count_successes,
    ("yielded_and_answered", "barge_ins", "call_dropped"),
    variant=f"silent-within-{YIELD_WINDOW:g}s-and-answered.{PLAYED}",
    left_out=lambda recording: {**_count_undecided(recording, "interrupt"), CALL_DROPPED: 0},
)


def _list_yield_latencies(sample: Sample, recording: CallRecording) -> ValueGroups:
    barge_ins = _list_barge_ins(recording)
    return [[overlap.stop_seconds for overlap in barge_ins if overlap.stop_seconds is not None]]


yield_latency = value_metric(
    "yield_latency",
    "Yield latency",
    _list_yield_latencies,
    aggregate=MEDIAN_WITHIN_WINDOW,
    variant=f"first-audible-sent.last-audible-played.within-{YIELD_WINDOW:g}s.{PLAYED}",
    left_out=_count_without_latency,
)


def _list_signal_delays(sample: Sample, recording: CallRecording) -> ValueGroups:
    barge_ins = _list_barge_ins(recording)
    return [[overlap.signal_seconds for overlap in barge_ins if overlap.signal_seconds is not None]]


stop_signal_delay = value_metric(
    "stop_signal_delay",
    "Stop-signal delay",
    _list_signal_delays,
    aggregate=MEDIAN_WITHIN_WINDOW,
    variant="first-audible-sent.stop-signal-received",
    left_out=_count_without_signal,
)


# --- sounds that ask for nothing --------------------------------------------------------------------


def _false_yield_metric(
    suffix: Literal["backchannel", "vocalisation", "aside", "noise"], title: str, kind: StepKind
) -> Metric:
    """Make the metric of how often the agent stops because of one kind of sound that asks for nothing."""

    def count(sample: Sample, recording: CallRecording) -> Sequence[float]:
        decided = [item for item in list_overlaps(recording) if item.turn.kind == kind and item.is_decided]
        return (
            sum(overlap.reaction == "stopped" for overlap in decided),
            len(decided),
            sum(overlap.resumed for overlap in decided),
            *_count_undecided(recording, kind).values(),
        )

    return count_metric(
        f"false_yield_{suffix}",
        title,
        count,
        ("stopped", "sounds", "resumed", "near_own_end", "agent_was_silent", "call_dropped"),
        higher_is_better=False,
        variant=f"silent-within-{STOP_WINDOW:g}s.resumed-within-{RESUME_WINDOW:g}s.{PLAYED}",
        left_out=partial(_count_undecided, kind=kind),
    )


false_yield_backchannel = _false_yield_metric("backchannel", "False yields to backchannels", "backchannel")
false_yield_vocalisation = _false_yield_metric("vocalisation", "False yields to vocalisations", "vocalise")
false_yield_aside = _false_yield_metric("aside", "False yields to talk to others", "aside")
false_yield_noise = _false_yield_metric("noise", "False yields to noise", "noise")


# --- speech of the agent during turns -----------------------------------------------------------------


class PauseAggregator(RatioAggregator):
    """The share of pauses in which the agent stayed silent; a call has two counts per class of length, and one more."""

    def __init__(self) -> None:
        super().__init__((0, 2, 4), 7, is_share=True)

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        counts = totals.astype(int).tolist()
        short, long = (f"{limit:g}s" for limit in PAUSE_LENGTHS)
        names = (f"below_{short}", f"{short}_to_{long}", f"above_{long}")
        by_length = {
            name: {"silent": silent, "pauses": count, "share": divide(silent, count)}
            for name, silent, count in zip(names, counts[0:6:2], counts[1:6:2], strict=True)
            if count
        }
        return {"pauses": counts[7], "agent_already_spoke": counts[6], "by_length": by_length}


def _score_pauses(sample: Sample, output: CallRecording) -> tuple[float, ...] | None:
    counts = [0.0] * 8
    for (start, end), is_silent in list_pause_results(require_recording(output)):
        if is_silent is None:
            counts[6] += 1
            continue
        length_class = sum(end - start > limit for limit in PAUSE_LENGTHS)
        counts[2 * length_class] += is_silent
        counts[2 * length_class + 1] += 1
        counts[7] += 1
    return tuple(counts) if counts[7] else None


def _count_spoken_pauses(_: Sample, output: Output) -> Mapping[str, int]:
    results = [is_silent for _, is_silent in list_pause_results(require_recording(output))]
    return {"the agent already spoke when the pause began": results.count(None)}


pause_handling = Metric(
    "pause_handling",
    _score_pauses,
    PauseAggregator(),
    title="Pause handling",
    unit="share",
    variant=f"no-start-in-pause.{PLAYED}",
    left_out=_count_spoken_pauses,
)


def _count_intrusions(sample: Sample, recording: CallRecording) -> Sequence[float]:
    intrusions = list_intrusions(recording)
    short = sum(span.seconds < SHORT_SPEECH for _, span in intrusions)
    interrupted = {turn.step for turn, _ in intrusions}
    return len(intrusions), len(list_asking_turns(recording)), short, len(interrupted)


agent_interruption = count_metric(
    "agent_interruption",
    "Agent interruptions per turn",
    _count_intrusions,
    ("interruptions", "turns", f"shorter_than_{SHORT_SPEECH:g}s", "interrupted_turns"),
    is_share=False,
    higher_is_better=False,
    variant=f"start-inside-turn.{PLAYED}",
)


# --- shares of time ---------------------------------------------------------------------------------


def _caller_intervals(recording: CallRecording) -> list[Interval]:
    """Return when the caller speaks; noise is no speech."""
    return merge_intervals([(span.start, span.end) for span in recording.caller if span.kind != "noise"])


def _agent_intervals(recording: CallRecording) -> list[Interval]:
    return merge_intervals([(span.start, span.end) for span in recording.agent])


def _total(intervals: Sequence[Interval]) -> float:
    return sum(end - start for start, end in intervals)


def _measure_overlap(sample: Sample, recording: CallRecording) -> Sequence[float]:
    caller, agent = _caller_intervals(recording), _agent_intervals(recording)
    return intersect(caller, agent), _total(merge_intervals([*caller, *agent]))


def _measure_talk(sample: Sample, recording: CallRecording) -> Sequence[float]:
    agent = _total(_agent_intervals(recording))
    return agent, agent + _total(_caller_intervals(recording))


def _measure_silence(sample: Sample, recording: CallRecording) -> Sequence[float]:
    speech = merge_intervals([*_caller_intervals(recording), *_agent_intervals(recording)])
    return max(0.0, recording.seconds - _total(speech)), recording.seconds


overlap_share = count_metric(
    "overlap_share",
    "Overlap",
    _measure_overlap,
    ("overlap_seconds", "speech_seconds"),
    higher_is_better=False,
    variant=PLAYED,
)
talk_ratio = count_metric(
    "talk_ratio",
    "Talk ratio of the agent",
    _measure_talk,
    ("agent_seconds", "speech_seconds"),
    variant=PLAYED,
    optimum="none",
)
silence_share = count_metric(
    "silence_share", "Silence", _measure_silence, ("silent_seconds", "seconds"), higher_is_better=False, variant=PLAYED
)
