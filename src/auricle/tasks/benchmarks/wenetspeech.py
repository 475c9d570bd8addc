"""WenetSpeech: Mandarin from the internet and from meetings."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item
from auricle.tasks.benchmarks.segmented_json import iter_segments, segment_span


def _read(root: Path, part: BenchmarkPart) -> Items:
    index_file = find_below(root, "WenetSpeech.json")
    for recording, segment in iter_segments(index_file, part["split"].upper().replace("-", "_")):
        audio = root / recording["path"]
        yield make_item(segment["sid"], audio, segment["text"], span=segment_span(segment), recording=recording["aid"])


WENETSPEECH = Benchmark(
    **about("wenetspeech", "WenetSpeech", "asr", language="zh", licence="CC BY 4.0; audio by application"),
    source="openslr.org/121",
    splits={"test-net": 24774, "test-meeting": 8370, "dev": 13825},
    layout="WenetSpeech.json beside audio/test_net/…/NAME.opus",
    read=_read,
    task_options={"metrics": ("mer", "cer"), "cluster": "recording"},
)
