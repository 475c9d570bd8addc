"""WenetSpeech and GigaSpeech: long recordings, cut by one JSON file that holds everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError
from auricle.core.types import Json
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, find_below, make_item

NON_SPEECH_TAGS = ("<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>")
"""What GigaSpeech writes for segments without speech; they are not scored."""
PUNCTUATION = re.compile(r"\s*<(?:COMMA|PERIOD|QUESTIONMARK|EXCLAMATIONPOINT)>")


def _iter_segments(path: Path, subset: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each segment of a subset, with the recording it is cut from, as they stand in the file."""
    try:
        recordings = orjson.loads(path.read_bytes())["audios"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{path} does not hold a list of audios: {error}.") from error
    for recording in recordings:
        for segment in recording["segments"]:
            if subset in segment["subsets"]:
                yield recording, segment


def _span(segment: dict[str, Any]) -> tuple[float, float]:
    return float(segment["begin_time"]), float(segment["end_time"])


# --- WenetSpeech ------------------------------------------------------------------------------


def _read_wenet(root: Path, part: BenchmarkPart) -> Items:
    meta = find_below(root, "WenetSpeech.json")
    for recording, segment in _iter_segments(meta, part["split"].upper().replace("-", "_")):
        sound, known = root / recording["path"], {"recording": recording["aid"]}
        yield make_item(segment["sid"], sound, segment["text"], span=_span(segment), **known)


WENETSPEECH = Benchmark(
    name="wenetspeech",
    title="WenetSpeech",
    kind="asr",
    language="zh",
    licence="CC BY 4.0; audio by application",
    source="openslr.org/121",
    splits={"test-net": 24774, "test-meeting": 8370, "dev": 13825},
    layout="WenetSpeech.json beside audio/test_net/…/NAME.opus",
    read=_read_wenet,
    task_options={"metrics": ("mer", "cer"), "cluster": "recording"},
)


# --- GigaSpeech -------------------------------------------------------------------------------


def _read_giga(root: Path, part: BenchmarkPart) -> Items:
    meta = find_below(root, "GigaSpeech.json")
    for recording, segment in _iter_segments(meta, f"{{{part['split'].upper()}}}"):
        text = str(segment["text_tn"])
        if any(tag in text for tag in NON_SPEECH_TAGS):
            continue
        known: dict[str, Json] = {"recording": recording["aid"], "source": recording.get("source")}
        spoken = " ".join(PUNCTUATION.sub("", text).split())
        sound = root / recording["path"]
        yield make_item(segment["sid"], sound, spoken, span=_span(segment), **_drop_empty(known))


def _drop_empty(meta: dict[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if value not in (None, "", "N/A")}


GIGASPEECH = Benchmark(
    name="gigaspeech",
    title="GigaSpeech",
    kind="asr",
    language="en",
    licence="by application; non-commercial",
    source="github.com/SpeechColab/GigaSpeech",
    splits={"test": 19930, "dev": 5715},
    layout="GigaSpeech.json beside audio/youtube/P0000/NAME.opus",
    read=_read_giga,
    task_options={"cluster": "recording"},
)
