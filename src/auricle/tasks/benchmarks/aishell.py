"""AISHELL-1 and AISHELL-2: Mandarin, read aloud."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, find_below, make_item, read_lines

CHANNELS: Mapping[str, tuple[str, ...]] = {
    "ios": ("iOS", "IOS", "ios"),
    "android": ("Android", "android"),
    "mic": ("Mic", "MIC", "mic"),
}
"""Folders of AISHELL-2's channels, as they are spelled in releases."""
SPEAKER = re.compile(r"S\d{4}")
"""Whose an utterance of AISHELL-1 is: BAC009S0764W0121 lies in the folder S0764."""
TASK_OPTIONS = {"metrics": ("cer",), "cluster": "speaker"}


# --- AISHELL-1 --------------------------------------------------------------------------------


def _read(root: Path, part: BenchmarkPart) -> Items:
    """One file of transcripts for all splits; a speaker's folder of WAV files in each."""
    home = find_below(root, "data_aishell/transcript", "transcript").parent
    speakers = find_below(home, f"wav/{part['split']}")
    present = {each.name for each in speakers.iterdir()}
    for line in sorted(read_lines(home / "transcript" / "aishell_transcript_v0.8.txt")):
        name, *words = line.split()  # spaces part words and are not spoken
        if (found := SPEAKER.search(name)) and found[0] in present:
            sound = speakers / found[0] / f"{name}.wav"
            yield make_item(name, sound, "".join(words), speaker=found[0])


AISHELL = Benchmark(
    name="aishell",
    title="AISHELL-1",
    kind="asr",
    language="zh",
    licence="Apache 2.0",
    source="openslr.org/33",
    splits={"test": 7176, "dev": 14326},
    layout="data_aishell/transcript/aishell_transcript_v0.8.txt and data_aishell/wav/test/S0764/",
    read=_read,
    task_options=TASK_OPTIONS,
)


# --- AISHELL-2 --------------------------------------------------------------------------------


def _read_aishell_2(root: Path, part: BenchmarkPart) -> Items:
    """`wav.scp` and `trans.txt` in the folder of each channel's split, with spaces or tabs."""
    split, spelled = part["split"], CHANNELS[part["channel"]]
    tops = ("AISHELL-2/", "AISHELL-DEV-TEST-SET/", "")
    folder = find_below(root, *(f"{top}{name}/{split}" for top in tops for name in spelled))
    listed = (line.split(maxsplit=1) for line in read_lines(folder / "wav.scp"))
    places = {words[0]: words[1] for words in listed}
    for line in read_lines(folder / "trans.txt"):
        name, text = (*line.split(maxsplit=1), "")[:2]
        if name in places:
            yield make_item(name, folder / places[name], text, speaker=Path(places[name]).parent.name)


AISHELL_2 = Benchmark(
    name="aishell-2",
    title="AISHELL-2",
    kind="asr",
    language="zh",
    licence="for research and education; by application",
    source="aishelltech.com/aishell_2",
    splits={"test": 5000, "dev": 2500},
    options={"channel": tuple(CHANNELS)},
    counts={f"{split}/{channel}": count for channel in CHANNELS for split, count in (("test", 5000), ("dev", 2500))},
    layout="AISHELL-2/iOS/test/wav.scp and trans.txt",
    read=_read_aishell_2,
    task_options=TASK_OPTIONS,
)
