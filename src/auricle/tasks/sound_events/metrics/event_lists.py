"""The true events of a recording and those that a model detects, by class.

At a threshold, scored frames of a class that reach it and touch or overlap are one detection. Events stay as they are,
and those without a score are always detections.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from auricle.core.errors import SampleError, Truncated, Unreadable, Unsuited
from auricle.core.segments import describe_reversed, parse_segments
from auricle.core.types import Generation, Json, Output, Sample, Segment
from auricle.metrics.confusion import get_task_labels
from auricle.metrics.label_alignment import align_labels
from auricle.metrics.readings import CUT_OFF, QUOTED_LENGTH

DEFAULT_THRESHOLD = 0.5
MAX_GAP = 1e-6
"""Largest distance in seconds between two segments that touch, and tolerance of comparisons of times."""
MAX_FRAMES_START, MAX_FRAMES_REST = 0.1, 1.0
"""Most seconds at the start and at the end of a recording that the frames of a model leave out."""
_JSON_LIST = re.compile(r"\[.*\]", re.DOTALL)

Span: TypeAlias = tuple[float, float]
Spans: TypeAlias = list[Span]


def to_target(segments: Iterable[Segment]) -> list[Json]:
    """Return events as the target of a sample."""
    return [{"onset": segment.start, "offset": segment.end, "label": segment.text} for segment in segments]


def get_true_events(sample: Sample) -> list[Segment]:
    """Return the true events of a recording, sorted by onset; events of no duration are left out."""
    target = sample.target
    if not isinstance(target, (list, tuple)):
        raise SampleError(f"expected a list of events, got {target!r}")
    return _sort_events(parse_segments(target))


def get_detections(sample: Sample, output: Output) -> list[Segment]:
    """Return the segments that a model detects, with the task's spelling of labels.

    Labels that the task lacks are left out. A reply in text may contain a JSON list of events.
    """
    if not isinstance(output, Generation):
        raise Unsuited(f"needs a list of events, not {type(output).__name__}")
    try:
        segments = _read_reply(output.text) if output.segments is None else output.segments
    except Unreadable as error:
        if output.is_cut_off:
            raise Truncated(CUT_OFF) from error
        raise
    if problem := describe_reversed(segments):
        raise Unreadable(problem)
    labels = get_task_labels(sample)
    if is_single_class(sample):
        return _sort_events(_relabel(segment, labels[0]) for segment in segments)
    names = align_labels(labels, [segment.text for segment in segments], False).truth_by_prediction
    return _sort_events(_relabel(segment, names[segment.text]) for segment in segments if segment.text in names)


SINGLE_CLASS_FIELD = "single_class"
"""Input of samples whose events are all of one class, whatever their labels."""


def is_single_class(sample: Sample) -> bool:
    """Return whether all events of a task count as one class."""
    return SINGLE_CLASS_FIELD in sample.inputs


def _relabel(segment: Segment, label: str) -> Segment:
    return Segment(segment.start, segment.end, label, segment.speaker, segment.score)


def _sort_events(segments: Iterable[Segment]) -> list[Segment]:
    return sorted(
        (segment for segment in segments if segment.end > segment.start),
        key=lambda segment: (segment.start, segment.end, segment.text),
    )


def _read_reply(text: str) -> tuple[Segment, ...]:
    """Read the JSON list of events in a reply."""
    match = _JSON_LIST.search(text)
    if match is None:
        raise Unreadable(f"has no JSON list of events: {text[:QUOTED_LENGTH]!r}")
    try:
        return parse_segments(orjson.loads(match.group()))
    except (orjson.JSONDecodeError, SampleError) as error:
        raise Unreadable(f"its list of events cannot be read: {error}") from None


def group_by_class(segments: Iterable[Segment], labels: Sequence[str]) -> dict[str, list[Segment]]:
    """Return the segments of each class, in their order."""
    groups: dict[str, list[Segment]] = {label: [] for label in labels}
    for segment in segments:
        if segment.text in groups:
            groups[segment.text].append(segment)
    return groups


def list_spans(segments: Iterable[Segment]) -> Spans:
    """Return the times of segments."""
    return [(segment.start, segment.end) for segment in segments]


def has_frames(output: Output, seconds: float | None) -> bool:
    """Return whether the scored segments of a model are frames rather than events.

    The frames of each label cover the whole recording without a gap, however low their scores are.

    Args:
        output: The segments.
        seconds: Duration of the recording. [default: the end of the last segment]
    """
    frames: dict[str, list[Segment]] = {}
    for segment in (output.segments or ()) if isinstance(output, Generation) else ():
        if segment.score is not None:
            frames.setdefault(segment.text, []).append(segment)
    covered = [merge_spans(list_spans(own)) for own in frames.values()]
    end = seconds or max((spans[-1][1] for spans in covered), default=0.0)
    return bool(covered) and all(
        len(spans) == 1 and spans[0][0] <= MAX_FRAMES_START and spans[0][1] >= end - MAX_FRAMES_REST
        for spans in covered
    )


def detect_at(segments: Sequence[Segment], threshold: float, *, are_frames: bool) -> Spans:
    """Return the detections of one class at a threshold.

    >>> frames = [Segment(0, 1, "dog", score=0.9), Segment(1, 2, "dog", score=0.6), Segment(2, 3, "dog", score=0.2)]
    >>> detect_at(frames, 0.5, are_frames=True), detect_at(frames, 0.5, are_frames=False)
    ([(0, 2)], [(0, 1), (1, 2)])
    """
    scored = list_spans(segment for segment in segments if segment.score is not None and segment.score >= threshold)
    unscored = list_spans(segment for segment in segments if segment.score is None)
    return sorted([*(merge_spans(scored) if are_frames else scored), *unscored])


def merge_spans(spans: Iterable[Span]) -> Spans:
    """Join spans that touch or overlap."""
    merged: Spans = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + MAX_GAP:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def compare_classes(
    sample: Sample, output: Output, threshold: float, seconds: float | None = None
) -> Mapping[str, tuple[Spans, Spans]]:
    """Return the true spans and the detected spans of every class; `seconds` is the duration, if known."""
    labels = get_task_labels(sample)
    truth = group_by_class(get_true_events(sample), labels)
    detections = group_by_class(get_detections(sample, output), labels)
    are_frames = has_frames(output, seconds)
    return {
        label: (list_spans(truth[label]), detect_at(detections[label], threshold, are_frames=are_frames))
        for label in labels
    }


def describe_settings(**settings: Any) -> str:
    """Return the settings of a metric for its signature, such as `resolution-1.threshold-0.5`."""
    return ".".join(f"{name.replace('_', '-')}-{value:g}" for name, value in settings.items())
