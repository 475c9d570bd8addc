"""The metrics of sound event detection as a set, and their settings."""

from __future__ import annotations

from dataclasses import dataclass

from auricle.metrics.base import Metric
from auricle.tasks.sound_events.metrics import event_based, segment_based
from auricle.tasks.sound_events.metrics.event_based import DEFAULT_COLLAR, DEFAULT_OFFSET_SHARE, EventSettings
from auricle.tasks.sound_events.metrics.event_lists import DEFAULT_THRESHOLD
from auricle.tasks.sound_events.metrics.psds import psds1, psds2
from auricle.tasks.sound_events.metrics.segment_based import DEFAULT_RESOLUTION, SegmentSettings

detection = (
    segment_based.segment_f1,
    segment_based.segment_f1_macro,
    segment_based.segment_error_rate,
    segment_based.segment_miss_rate,
    segment_based.segment_false_alarm_rate,
    event_based.event_f1,
    event_based.event_f1_macro,
    psds1,
    psds2,
)
"""All of these metrics, for `--as detect`."""


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """How detections are compared with true events; PSDS has parameters of its own."""

    resolution: float = DEFAULT_RESOLUTION
    collar: float = DEFAULT_COLLAR
    offset_share: float = DEFAULT_OFFSET_SHARE
    threshold: float = DEFAULT_THRESHOLD

    def apply(self, metric: Metric) -> Metric:
        """Return a metric with these settings; a metric that has none stays as it is."""
        if make_segment_metric := segment_based.SEGMENT_METRICS.get(metric.name):
            return make_segment_metric(SegmentSettings(self.resolution, self.threshold))
        if make_event_metric := event_based.EVENT_METRICS.get(metric.name):
            return make_event_metric(EventSettings(self.collar, self.offset_share, self.threshold))
        return metric
