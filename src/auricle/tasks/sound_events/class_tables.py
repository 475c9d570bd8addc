"""The classes of tagging and of sound event detection, from the details of numbers, for tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from auricle.report.html_format import Scale
from auricle.report.run_html import Page, render_if
from auricle.runs.metrics import Number

MAX_NAMED = 12
"""Classes that a sentence names."""
SHARE_SCALE = Scale(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TagClass:
    """The figures of one label; None if undefined."""

    name: str
    positives: int
    base_rate: float
    ap: float | None
    auc: float | None
    d_prime: float | None
    low: float | None = None
    high: float | None = None
    """Ends of the 95 % interval of the average precision, if it was computed."""


def list_tag_classes(numbers: Sequence[Number]) -> list[TagClass]:
    """Return the classes of a tagging run, those with the lowest average precision first."""
    details = _find_details(numbers, "tag_classes")
    classes = [TagClass(name, **figures) for name, figures in details.get("tag_classes", {}).items()]
    return sorted(classes, key=lambda item: (item.ap is None, item.ap or 0.0, item.name))


def describe_rare_classes(numbers: Sequence[Number]) -> list[str]:
    """Return sentences about classes without positives and with few."""
    details = _find_details(numbers, "tag_classes")
    sentences = []
    if names := details.get("classes_without_positives"):
        sentences.append(f"No recording has the label of {_name(names)}; left out of means.")
    if names := details.get("classes_with_few_positives"):
        sentences.append(f"Fewer than 20 recordings have the label of {_name(names)}: their figures are hardly known.")
    return sentences


def _name(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MAX_NAMED])
    return shown if len(names) <= MAX_NAMED else f"{shown} and {len(names) - MAX_NAMED} further classes"


@dataclass(frozen=True, slots=True)
class EventClass:
    """The figures of one class of events; None if undefined."""

    name: str
    events: int
    segment_f1: float | None
    precision: float | None
    recall: float | None
    event_f1: float | None
    psds1: float | None
    psds2: float | None


def list_event_classes(numbers: Sequence[Number]) -> list[EventClass]:
    """Return the classes of a detection run, those with the lowest event-based F1 first."""
    by_metric = {number.metric: number.details for number in numbers}
    segments: Mapping[str, Any] = by_metric.get("segment_f1_macro", {}).get("event_classes", {})
    classes = list(_join_figures(segments, by_metric))
    return sorted(classes, key=lambda item: (item.event_f1 is None, item.event_f1 or 0.0, item.name))


def _join_figures(segments: Mapping[str, Any], by_metric: Mapping[str, Mapping[str, Any]]) -> Iterator[EventClass]:
    events = by_metric.get("event_f1_macro", {}).get("event_classes", {})
    for name, figures in segments.items():
        own = events.get(name, {})
        yield EventClass(
            name,
            int(own.get("hits", 0) + own.get("misses", 0)),
            figures["f1"],
            figures["precision"],
            figures["recall"],
            own.get("f1"),
            *(by_metric.get(scenario, {}).get("psds_classes", {}).get(name) for scenario in ("psds1", "psds2")),
        )


def _find_details(numbers: Sequence[Number], key: str) -> Mapping[str, Any]:
    return next((number.details for number in numbers if key in number.details), {})


def render_sound_classes(page: Page) -> Markup | None:
    """Render the results per label of tagging, and per class of sound events."""
    numbers = page.metrics.overall
    tags, events = list_tag_classes(numbers), list_event_classes(numbers)
    return render_if(
        tags or events,
        "tasks/sound_events/sound_classes.html",
        tags=tags,
        sentences=describe_rare_classes(numbers),
        scale=SHARE_SCALE,
        events=events,
    )
