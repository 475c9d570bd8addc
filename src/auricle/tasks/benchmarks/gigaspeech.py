"""GigaSpeech: English podcasts, audiobooks and videos."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item
from auricle.tasks.benchmarks.segmented_json import iter_segments, segment_span

NON_SPEECH_TAGS = ("<SIL>", "<MUSIC>", "<NOISE>", "<OTHER>")
"""Tags of segments without speech, which are not scored."""
PUNCTUATION = re.compile(r"\s*<(?:COMMA|PERIOD|QUESTIONMARK|EXCLAMATIONPOINT)>")


def _read(root: Path, part: BenchmarkPart) -> Items:
    index_file = find_below(root, "GigaSpeech.json")
    for recording, segment in iter_segments(index_file, f"{{{part['split'].upper()}}}"):
        text = str(segment["text_tn"])
        if any(tag in text for tag in NON_SPEECH_TAGS):
            continue
        meta = {"recording": recording["aid"], "source": recording.get("source")}
        meta = {name: value for name, value in meta.items() if value != "N/A"}
        transcript = " ".join(PUNCTUATION.sub("", text).split())
        audio = root / recording["path"]
        yield make_item(segment["sid"], audio, transcript, span=segment_span(segment), **meta)


GIGASPEECH = Benchmark(
    **about("gigaspeech", "GigaSpeech", "asr", language="en", licence="by application; non-commercial"),
    source="github.com/SpeechColab/GigaSpeech",
    splits={"test": 19930, "dev": 5715},
    layout="GigaSpeech.json beside audio/youtube/P0000/NAME.opus",
    read=_read,
    task_options={"cluster": "recording"},
)
