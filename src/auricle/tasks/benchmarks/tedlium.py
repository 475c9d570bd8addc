"""TED-LIUM 3: English talks, cut by STM files, with the splits of the folder `legacy`."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks import base

IGNORED_TEXT = "ignore_time_segment_in_scoring"
APOSTROPHE = re.compile(r" '(?=\w)")
"""The space in `it 's`, which is one word."""
MARKS = re.compile(r"<[^>]*>|\{[^}]*\}|\(\d+\)")
"""Noises, unintelligible words and numbered pronunciations."""


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    split = part["split"]
    tops = ("TEDLIUM_release-3/", "")
    folder = base.find_below(root, *(f"{top}legacy/{split}" for top in tops), split)
    for transcript in sorted((folder / "stm").glob("*.stm")):
        for line in base.read_lines(transcript):
            if (item := _parse_segment(folder, line)) is not None:
                yield item


def _parse_segment(folder: Path, line: str) -> base.Item | None:
    """Parse a line of talk, channel, speaker, start, end, label and words; None for comments and ignored segments."""
    if line.startswith(";;") or line.endswith(IGNORED_TEXT):
        return None
    talk, _, speaker, start, end, *rest = line.split(maxsplit=6)
    text = rest[1] if len(rest) > 1 else ""
    transcript = " ".join(APOSTROPHE.sub("'", MARKS.sub(" ", text)).split())
    start_time, end_time = float(start), float(end)
    name = f"{talk}-{round(start_time * 100):07}-{round(end_time * 100):07}"
    return base.make_item(
        name, folder / "sph" / f"{talk}.sph", transcript, span=(start_time, end_time), speaker=speaker
    )


TEDLIUM = base.Benchmark(
    **base.about("tedlium", "TED-LIUM 3", "asr", language="en", licence="CC BY-NC-ND 3.0"),
    source="openslr.org/51",
    citation="Hernandez et al., SPECOM 2018",
    splits={"test": 1155, "dev": 507},
    layout="TEDLIUM_release-3/legacy/test/stm/TALK.stm and sph/TALK.sph",
    read=_read,
    task_options={"cluster": "speaker"},
)
