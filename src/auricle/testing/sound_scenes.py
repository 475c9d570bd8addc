"""Recordings with sound events whose times are exact, because they are placed there: clips at known onsets in noise."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.types import Segment

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

RATE = 16_000
NOISE_LEVEL, CLIP_LEVEL = -50.0, -20.0
"""Root mean square of the noise and of clips, in decibels relative to full scale."""
MIN_GAP = 0.3
"""Seconds between two events."""


@dataclass(frozen=True, slots=True)
class SoundScene:
    """A recording and the events in it."""

    samples: NDArray[float32]
    events: tuple[Segment, ...]
    rate: int = RATE


def make_clips(rate: int = RATE) -> dict[str, NDArray[float32]]:
    """Return artificial sounds that differ in pitch and rhythm, by name.

    >>> sorted(make_clips())
    ['alarm', 'beep', 'hum', 'whistle']
    """
    import numpy as np

    def tone(frequency: Any, seconds: float) -> Any:
        phase = np.cumsum(np.broadcast_to(frequency, round(seconds * rate))) / rate
        return np.sin(2 * math.pi * phase).astype(np.float32)

    times = np.arange(round(1.2 * rate)) / rate
    return {
        "alarm": tone(np.where(times % 0.4 < 0.1, 1000.0, 3000.0), 1.2),
        "beep": tone(1000.0, 0.5),
        "hum": (tone(100.0, 1.6) + tone(200.0, 1.6)).astype(np.float32),
        "whistle": tone(np.linspace(4000.0, 6000.0, round(0.9 * rate)), 0.9),
    }


def place_clips(
    clips: Mapping[str, NDArray[float32]], *, seconds: float = 10.0, events: int = 3, seed: int = 0, rate: int = RATE
) -> SoundScene:
    """Place clips in noise, one after the other, with silence of random length between them.

    Args:
        clips: Sounds by label.
        seconds: Length of the recording.
        events: How many clips are placed at most; those that do not fit are left out.
        seed: Decides which clips are placed where, and the noise.
        rate: Sample rate of the clips and of the recording.

    Examples:
        >>> scene = place_clips(make_clips(), seconds=4.0, events=2, seed=1)
        >>> [(event.text, round(event.start, 2)) for event in scene.events]
        [('beep', 0.66), ('whistle', 2.68)]
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 10 ** (NOISE_LEVEL / 20), round(seconds * rate)).astype(np.float32)
    labels = list(rng.choice(sorted(clips), events))
    free = seconds - sum(len(clips[label]) / rate + MIN_GAP for label in labels) - MIN_GAP
    placed, at = [], MIN_GAP
    for label, share in zip(labels, rng.dirichlet(np.ones(events + 1)), strict=False):
        clip = clips[label]
        first = round((at + max(0.0, free) * share) * rate)
        if first + len(clip) > len(samples):
            break
        level = float(np.sqrt(np.mean(np.square(clip, dtype=np.float64)))) or 1.0
        samples[first : first + len(clip)] += clip * np.float32(10 ** (CLIP_LEVEL / 20) / level)
        placed.append(Segment(first / rate, (first + len(clip)) / rate, str(label)))
        at = (first + len(clip)) / rate + MIN_GAP
    return SoundScene(samples.clip(-1, 1), tuple(placed), rate)


def write_scenes(
    folder: str | PathLike[str],
    clips: Mapping[str, NDArray[float32]] | None = None,
    *,
    count: int = 12,
    seed: int = 0,
    **settings: Any,
) -> Path:
    """Write recordings with `events.jsonl`, for `--as detect`, and `tags.jsonl`, for `--as tag`.

    Args:
        folder: Where the files are written.
        clips: Sounds by label. [default: `make_clips()`]
        count: Number of recordings; every sixth has no event.
        seed: Seed of the first recording; the next one has the next seed.
        **settings: Further arguments of `place_clips`.

    Returns:
        The folder.
    """
    import soundfile

    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[dict[str, Any]]] = {"events": [], "tags": []}
    for number in range(count):
        chosen = {**settings, "events": 0} if number % 6 == 5 else settings
        scene = place_clips(clips or make_clips(), seed=seed + number, **chosen)
        name = f"scene-{number + 1:02d}.wav"
        soundfile.write(path / name, scene.samples, scene.rate, subtype="PCM_16")
        events = [{"onset": event.start, "offset": event.end, "label": event.text} for event in scene.events]
        rows["events"].append({"audio": name, "events": events})
        rows["tags"].append({"audio": name, "labels": sorted({event.text for event in scene.events})})
    for kind, entries in rows.items():
        (path / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in entries), encoding="utf-8")
    return path
