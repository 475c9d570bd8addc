"""TED-LIUM 3: talks, cut by STM files; the splits are those of the folder `legacy`."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, find_below, make_item, read_lines

IGNORED = "ignore_time_segment_in_scoring"
APOSTROPHE = re.compile(r" '(?=\w)")
"""The transcripts part `it 's`; it is one word."""
MARKS = re.compile(r"<[^>]*>|\{[^}]*\}|\(\d+\)")
"""Noises, words that were not understood, and numbered pronunciations."""


def _read(root: Path, part: BenchmarkPart) -> Items:
    split = part["split"]
    tops = ("TEDLIUM_release-3/", "")
    folder = find_below(root, *(f"{top}legacy/{split}" for top in tops), split)
    for transcript in sorted((folder / "stm").glob("*.stm")):
        for line in read_lines(transcript):
            if (found := _parse_segment(folder, line)) is not None:
                yield found


def _parse_segment(folder: Path, line: str) -> Item | None:
    """Talk, channel, speaker, start, end, label, words; None for a comment and what is ignored."""
    if line.startswith(";;") or line.endswith(IGNORED):
        return None
    talk, _, speaker, start, end, *rest = line.split(maxsplit=6)
    text = rest[1] if len(rest) > 1 else ""
    spoken = " ".join(APOSTROPHE.sub("'", MARKS.sub(" ", text)).split())
    first, last = float(start), float(end)
    name = f"{talk}-{round(first * 100):07}-{round(last * 100):07}"
    return make_item(name, folder / "sph" / f"{talk}.sph", spoken, span=(first, last), speaker=speaker)


TEDLIUM = Benchmark(
    name="tedlium",
    title="TED-LIUM 3",
    kind="asr",
    language="en",
    licence="CC BY-NC-ND 3.0",
    source="openslr.org/51",
    splits={"test": 1155, "dev": 507},
    layout="TEDLIUM_release-3/legacy/test/stm/TALK.stm and sph/TALK.sph",
    read=_read,
    task_options={"cluster": "speaker"},
)
