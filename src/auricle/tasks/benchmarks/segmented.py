"""GigaSpeech and WenetSpeech: long recordings, with a list of their segments in one JSON file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item

NON_SPEECH_TAGS = ("<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>")
"""Tags of segments without speech, which are not scored."""
PUNCTUATION = re.compile(r"\s*<(?:COMMA|PERIOD|QUESTIONMARK|EXCLAMATIONPOINT)>")


def iter_segments(path: Path, subset: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], tuple[float, float]]]:
    """Yield each segment of a subset, with the recording it belongs to and its span in seconds."""
    try:
        recordings = orjson.loads(path.read_bytes())["audios"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{path}: expected a JSON object with a list `audios`: {error}.") from error
    for recording in recordings:
        for segment in recording["segments"]:
            if subset in segment["subsets"]:
                yield recording, segment, (float(segment["begin_time"]), float(segment["end_time"]))


def _read_gigaspeech(root: Path, part: BenchmarkPart) -> Items:
    index_file = find_below(root, "GigaSpeech.json")
    for recording, segment, span in iter_segments(index_file, f"{{{part['split'].upper()}}}"):
        text = str(segment["text_tn"])
        if any(tag in text for tag in NON_SPEECH_TAGS):
            continue
        meta = {"recording": recording["aid"], "source": recording.get("source")}
        meta = {name: value for name, value in meta.items() if value != "N/A"}
        transcript = " ".join(PUNCTUATION.sub("", text).split())
        yield make_item(segment["sid"], root / recording["path"], transcript, span=span, **meta)


def _read_wenetspeech(root: Path, part: BenchmarkPart) -> Items:
    index_file = find_below(root, "WenetSpeech.json")
    for recording, segment, span in iter_segments(index_file, part["split"].upper().replace("-", "_")):
        audio = root / recording["path"]
        yield make_item(segment["sid"], audio, segment["text"], span=span, recording=recording["aid"])


GIGASPEECH = Benchmark(
    **about("gigaspeech", "GigaSpeech", "asr", language="en", licence="by application; non-commercial"),
    source="github.com/SpeechColab/GigaSpeech",
    citation="Chen et al., Interspeech 2021",
    splits={"test": 19930, "dev": 5715},
    layout="GigaSpeech.json beside audio/youtube/P0000/NAME.opus",
    read=_read_gigaspeech,
    task_options={"cluster": "recording"},
)
WENETSPEECH = Benchmark(
    **about("wenetspeech", "WenetSpeech", "asr", language="zh", licence="CC BY 4.0; audio by application"),
    source="openslr.org/121",
    citation="Zhang et al., ICASSP 2022",
    splits={"test-net": 24774, "test-meeting": 8370, "dev": 13825},
    layout="WenetSpeech.json beside audio/test_net/…/NAME.opus",
    read=_read_wenetspeech,
    task_options={"metrics": ("mer", "cer"), "cluster": "recording"},
)
