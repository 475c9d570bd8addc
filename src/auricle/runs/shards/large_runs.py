"""Merged runs whose samples stay in the run directories of their shards."""

from __future__ import annotations

from pathlib import Path

from auricle.core.errors import DataError
from auricle.runs.run_spec import OUTPUTS_FILE, PLAN_FILE, SHARDS_FOLDER
from auricle.runs.shards.merged_files import SUMS_FILE


def check_has_samples(path: Path) -> None:
    """Check that a run directory has samples of its own.

    Raises:
        DataError: if it is a sharded run that was not merged yet, or one whose samples are in the run directories of
            its shards.
    """
    if not (path / PLAN_FILE).exists() or (path / OUTPUTS_FILE).exists():
        return
    if not (path / SUMS_FILE).exists():
        raise not_merged(path)
    example = next((folder for folder in sorted((path / SHARDS_FOLDER).glob("*/*")) if folder.is_dir()), None)
    example = example or path / SHARDS_FOLDER / "00000" / "1"
    raise DataError(
        f"{path} is a sharded run whose samples are in the run directories of its shards. Give one of these instead, "
        f"such as {example}."
    )


def not_merged(location: str | Path) -> DataError:
    """Return the error for a sharded run without merged files.

    >>> str(not_merged("runs/large"))[:56]
    'runs/large is a sharded run that has not been merged. Ru'
    """
    return DataError(
        f"{location} is a sharded run that has not been merged. Run `auricle merge {location}` first; `auricle status "
        f"{location}` shows what is left."
    )
