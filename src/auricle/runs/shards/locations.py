"""Recognise sharded runs by their files."""

from __future__ import annotations

from pathlib import Path

from auricle.core.errors import RunMismatch
from auricle.runs.run_spec import PLAN_FILE


def contains_sharded_run(folder: Path) -> bool:
    """Return whether a folder contains a sharded run, merged or not."""
    return (folder / PLAN_FILE).is_file()


def refuse_sharded_run(folder: str | Path) -> None:
    """Raise `RunMismatch` if a folder contains a sharded run, whose journal a merge writes.

    >>> refuse_sharded_run("runs/demo")
    """
    if contains_sharded_run(Path(folder)):
        raise RunMismatch(
            f"{folder} contains a sharded run. Add --shards auto to continue it, or choose another folder with -o."
        )
