"""Random recordings with sound events and detections, the same for the same seed; numbers recorded from other programs
belong to them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CLASSES = ("alarm", "dog", "rain", "speech")
SECONDS = 10.0


@dataclass(frozen=True)
class EventCase:
    """Recordings of ten seconds: true events (onset, offset, label), frame scores by class, and detected events."""

    truth: dict[str, list[tuple[float, float, str]]]
    edges: dict[str, list[float]]
    """Where the frames of a recording begin and end."""
    scores: dict[str, list[list[float]]]
    """A row of scores for each frame."""
    detections: dict[str, list[tuple[float, float, str]]]


def make_event_case(
    seed: int, *, recordings: int = 12, frames: int = 23, levels: int = 0, noise: float = 0.45
) -> EventCase:
    """Make recordings of which some have no event.

    Args:
        seed: Decides everything.
        recordings: How many.
        frames: Frames of a recording, all of another length.
        levels: Number of distinct scores, for many ties. [default: no ties]
        noise: Share of the scores that is random.
    """
    rng = np.random.default_rng(seed)
    truth: dict[str, list[tuple[float, float, str]]] = {}
    edges: dict[str, list[float]] = {}
    scores: dict[str, list[list[float]]] = {}
    detections: dict[str, list[tuple[float, float, str]]] = {}
    for number in range(recordings):
        name = f"recording-{number:03d}.wav"
        truth[name] = _make_events(rng)
        inner = np.sort(rng.choice(np.arange(1, 9973), frames - 1, replace=False)) / 997.3
        edges[name] = [0.0, *inner.round(4).tolist(), SECONDS]
        scores[name] = _make_scores(rng, truth[name], edges[name], levels, noise)
        detections[name] = _make_detections(rng, truth[name])
    return EventCase(truth, edges, scores, detections)


def _make_events(rng: np.random.Generator) -> list[tuple[float, float, str]]:
    events = []
    for label in CLASSES:
        at = float(rng.uniform(0, 4))
        for _ in range(int(rng.integers(0, 3))):
            end = at + float(rng.uniform(0.3, 3.0))
            if end < SECONDS:
                events.append((round(at, 4), round(end, 4), label))
            at = end + float(rng.uniform(0.2, 2.0))
    return events


def _make_scores(
    rng: np.random.Generator, truth: list[tuple[float, float, str]], edges: list[float], levels: int, noise: float
) -> list[list[float]]:
    rows = []
    for start, end in pairwise(edges):
        row = []
        for label in CLASSES:
            overlap = sum(max(0.0, min(end, off) - max(start, on)) for on, off, name in truth if name == label)
            score = (1 - noise) * overlap / (end - start) + float(rng.uniform(0, noise))
            row.append(round(score * levels) / levels if levels else score)
        rows.append(row)
    return rows


def _make_detections(rng: np.random.Generator, truth: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Move the true events a little, drop or rename some, split some and add others."""
    events = []
    for on, off, label in truth:
        fate = float(rng.random())
        moved = on + float(rng.normal(0, 0.15)), off + float(rng.normal(0, 0.25))
        if fate < 0.15 or moved[1] <= max(moved[0], 0.0) + 0.05:
            continue
        name = str(rng.choice(CLASSES)) if fate < 0.3 else label
        events.append((round(max(moved[0], 0.0), 4), round(moved[1], 4), name))
        if fate > 0.85:  # a second detection nearby, so that greedy and optimal matching may differ
            events.append((round(max(moved[0] - 0.12, 0.0), 4), round(moved[1] + 0.12, 4), name))
    if rng.random() < 0.5:
        at = float(rng.uniform(0, 8))
        events.append((round(at, 4), round(at + float(rng.uniform(0.2, 1.5)), 4), str(rng.choice(CLASSES))))
    return sorted(events)
