"""Event-based F1 of sound event detection: does a detection begin and end where the true event does?

A detection matches a true event of its class if the onsets differ by at most the collar, and the offsets by at most the
collar or a share of the true event's length, whichever is longer. Every event is matched at most once, and as many as
possible are. Times that differ by exactly the tolerance match.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from auricle.core.types import Output, Sample
from auricle.metrics.base import Metric
from auricle.tasks.sound_events.metrics.counts import COUNTED_F1, MacroF1, rate_counts
from auricle.tasks.sound_events.metrics.event_lists import (
    DEFAULT_THRESHOLD,
    MAX_GAP,
    Span,
    Spans,
    compare_classes,
    describe_settings,
)

DEFAULT_COLLAR = 0.2
DEFAULT_OFFSET_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class EventSettings:
    """How far times may differ, and from which score on a scored segment is a detection."""

    collar: float = DEFAULT_COLLAR
    """Seconds by which onsets, and offsets, may differ in each direction."""
    offset_share: float = DEFAULT_OFFSET_SHARE
    """Share of the true event's length by which offsets may differ, if that is longer."""
    threshold: float = DEFAULT_THRESHOLD

    def describe(self) -> str:
        return "optimal." + describe_settings(
            collar=self.collar, offset_share=self.offset_share, threshold=self.threshold
        )

    def agrees(self, true: Span, detected: Span) -> bool:
        """Return whether a detection is where a true event of its class is."""
        offset_collar = max(self.collar, self.offset_share * (true[1] - true[0]))
        return (
            abs(true[0] - detected[0]) <= self.collar + MAX_GAP
            and abs(true[1] - detected[1]) <= offset_collar + MAX_GAP
        )

    def count(self, true: Spans, detected: Spans) -> tuple[int, int, int]:
        """Return hits, false alarms and misses of one class."""
        hits = len(match_events(true, detected, self.agrees))
        return hits, len(detected) - hits, len(true) - hits


def match_events(true: Spans, detected: Spans, agrees: Callable[[Span, Span], bool]) -> dict[int, int]:
    """Match as many true events as possible with a detection each.

    Returns:
        The index of the detection of each matched true event.

    >>> match_events([(0, 1), (1, 2)], [(0, 1), (9, 10)], lambda a, b: abs(a[0] - b[0]) <= 1)
    {0: 0}
    """
    candidates = [[index for index, span in enumerate(detected) if agrees(event, span)] for event in true]
    detection_by_event: dict[int, int] = {}
    for event in range(len(true)):
        _find_detection(event, candidates, detection_by_event)
    return dict(sorted(detection_by_event.items()))


def _find_detection(event: int, candidates: Sequence[Sequence[int]], detection_by_event: dict[int, int]) -> None:
    """Match one further event, if need be by giving other detections to events that are already matched."""
    event_by_detection = {detection: owner for owner, detection in detection_by_event.items()}
    reached_from: dict[int, int] = {}
    queue = [event]
    for current in queue:
        for detection in candidates[current]:
            if detection in reached_from:
                continue
            reached_from[detection] = current
            if detection not in event_by_detection:
                _shift_matches(detection, reached_from, detection_by_event)
                return
            queue.append(event_by_detection[detection])


def _shift_matches(detection: int, reached_from: Mapping[int, int], detection_by_event: dict[int, int]) -> None:
    """Give a free detection to the event that reached it, the one that this leaves to another event, and so on."""
    free: int | None = detection
    while free is not None:
        event = reached_from[free]
        previous = detection_by_event.get(event)
        detection_by_event[event] = free
        free = previous


class EventMetric(Metric):
    """A metric of whole events, under the settings that it is made with."""

    unit, version = "share", 2
    facts = ("audio_seconds",)
    average = "micro"

    def __init__(self, settings: EventSettings) -> None:
        super().__init__(variant=f"{self.average}.{settings.describe()}")
        self.settings = settings
        self.threshold = settings.threshold

    def count_by_class(self, sample: Sample, output: Output, audio_seconds: float | None) -> zip[tuple[int, ...]]:
        """Return the hits of all classes, their false alarms, and their misses."""
        classes = compare_classes(sample, output, self.threshold, audio_seconds).values()
        return zip(*(self.settings.count(*sides) for sides in classes), strict=True)


class EventF1(EventMetric):
    name, title = "event_f1", "Event F1"
    aggregate = COUNTED_F1
    badness = staticmethod(rate_counts)

    def score(self, sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[int, ...]:
        return tuple(map(sum, self.count_by_class(sample, output, audio_seconds)))


class MacroEventF1(EventMetric):
    name, title = "event_f1_macro", "Event F1, macro"
    average = "macro"
    aggregate = MacroF1()

    def score(self, sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[float, ...]:
        return tuple(float(count) for column in self.count_by_class(sample, output, audio_seconds) for count in column)


EVENT_METRICS: Mapping[str, Callable[[EventSettings], Metric]] = {kind.name: kind for kind in (EventF1, MacroEventF1)}
"""How each metric is made for a collar and a threshold."""

event_f1, event_f1_macro = (make(EventSettings()) for make in EVENT_METRICS.values())
