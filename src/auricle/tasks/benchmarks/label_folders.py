"""Labels of classification corpora: their spelling, and files in one folder per label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from auricle.tasks.folder_scan import AUDIO_SUFFIXES, iter_files

RECORDING_SUFFIXES = (*AUDIO_SUFFIXES, ".au")


def format_label(name: str) -> str:
    """Write a label as words: `CrowdedIndoor`, `forest_path` and `cafe/restaurant`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("/", " or "))
    return spaced.replace("_", " ").strip().lower()


def iter_labelled_files(root: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the folder name and path of each recording in these folders."""
    for name in names:
        for path in iter_files(root / name, RECORDING_SUFFIXES):
            yield name, path
