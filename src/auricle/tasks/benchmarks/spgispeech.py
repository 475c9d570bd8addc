"""SPGISpeech: English earnings calls with punctuated transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks import base


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read a table separated by `|`, beside one folder of WAV files per call."""
    split = part["split"]
    path = base.find_below(root, f"spgispeech/{split}.csv", f"{split}.csv")
    audio_folder = base.find_below(path.parent, split, f"spgispeech/{split}")
    for row in base.read_table(path, delimiter="|", required=("wav_filename", "transcript")):
        yield _make_clip(row, audio_folder / row["wav_filename"])


def _make_clip(row: Mapping[str, Any], audio: object) -> base.Item:
    name = str(row["wav_filename"]).removesuffix(".wav")
    call = name.partition("/")[0]
    return base.make_item(name.replace("/", "_"), audio, row["transcript"], call=call)


SPGISPEECH = base.Benchmark(
    **base.about("spgispeech", "SPGISpeech", "asr", language="en", licence="Kensho user agreement; non-commercial"),
    source="datasets.kensho.com/datasets/spgispeech",
    citation="O'Neill et al., Interspeech 2021",
    splits={"val": 39341},
    layout="spgispeech/val.csv and spgispeech/val/CALL/NUMBER.wav",
    read=_read,
    hub=base.HubDataset(
        "kensho/spgispeech", None, lambda _part: ("test", "test"), lambda row: _make_clip(row, row["audio"])
    ),
    task_options={"cluster": "call"},
)
