"""The JSON format of GigaSpeech and WenetSpeech: long recordings with a list of segments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError


def iter_segments(path: Path, subset: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each segment of a subset, with the recording it belongs to."""
    try:
        recordings = orjson.loads(path.read_bytes())["audios"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{path}: expected a JSON object with a list `audios`: {error}.") from error
    for recording in recordings:
        for segment in recording["segments"]:
            if subset in segment["subsets"]:
                yield recording, segment


def segment_span(segment: dict[str, Any]) -> tuple[float, float]:
    """Return the start and end of a segment in seconds."""
    return float(segment["begin_time"]), float(segment["end_time"])
