"""AISHELL-1 and AISHELL-2: read Mandarin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, read_lines

CHANNELS: Mapping[str, tuple[str, ...]] = {
    "ios": ("iOS", "IOS", "ios"),
    "android": ("Android", "android"),
    "mic": ("Mic", "MIC", "mic"),
}
"""Spellings of AISHELL-2's channel folders in its releases."""
SPEAKER_PATTERN = re.compile(r"S\d{4}")
"""The speaker in an utterance id of AISHELL-1: BAC009S0764W0121 is in the folder S0764."""
TASK_OPTIONS = {"metrics": ("cer",), "cluster": "speaker"}


# --- AISHELL-1 --------------------------------------------------------------------------------


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read the transcript file shared by all splits; each split has a folder of WAV files per speaker."""
    corpus = find_below(root, "data_aishell/transcript", "transcript").parent
    speakers = find_below(corpus, f"wav/{part['split']}")
    present = {folder.name for folder in speakers.iterdir()}
    for line in sorted(read_lines(corpus / "transcript" / "aishell_transcript_v0.8.txt")):
        name, *words = line.split()  # spaces separate words and are not part of the text
        if (speaker := SPEAKER_PATTERN.search(name)) and speaker[0] in present:
            yield make_item(name, speakers / speaker[0] / f"{name}.wav", "".join(words), speaker=speaker[0])


AISHELL = Benchmark(
    **about("aishell", "AISHELL-1", "asr", language="zh", licence="Apache 2.0"),
    source="openslr.org/33",
    citation="Bu et al., O-COCOSDA 2017",
    splits={"test": 7176, "dev": 14326},
    layout="data_aishell/transcript/aishell_transcript_v0.8.txt and data_aishell/wav/test/S0764/",
    read=_read,
    task_options=TASK_OPTIONS,
)


# --- AISHELL-2 --------------------------------------------------------------------------------


def _read_aishell_2(root: Path, part: BenchmarkPart) -> Items:
    """Read `wav.scp` and `trans.txt` in the folder of a channel and split, separated by spaces or tabs."""
    split, spellings = part["split"], CHANNELS[part["channel"]]
    tops = ("AISHELL-2/", "AISHELL-DEV-TEST-SET/", "")
    folder = find_below(root, *(f"{top}{name}/{split}" for top in tops for name in spellings))
    entries = (line.split(maxsplit=1) for line in read_lines(folder / "wav.scp"))
    paths = {entry[0]: entry[1] for entry in entries}
    for line in read_lines(folder / "trans.txt"):
        name, text = (*line.split(maxsplit=1), "")[:2]
        if name in paths:
            yield make_item(name, folder / paths[name], text, speaker=Path(paths[name]).parent.name)


AISHELL_2 = Benchmark(
    **about("aishell-2", "AISHELL-2", "asr", language="zh", licence="for research and education; by application"),
    source="aishelltech.com/aishell_2",
    citation="Du et al., arXiv:1808.10583",
    splits={"test": 5000, "dev": 2500},
    options={"channel": tuple(CHANNELS)},
    counts={f"{split}/{channel}": count for channel in CHANNELS for split, count in (("test", 5000), ("dev", 2500))},
    layout="AISHELL-2/iOS/test/wav.scp and trans.txt",
    read=_read_aishell_2,
    task_options=TASK_OPTIONS,
)
