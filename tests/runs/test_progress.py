"""`progress.json`."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.runs.progress import PassTiming, Progress, read_progress, write_progress


def test_progress_is_read_as_it_was_written(tmp_path: Path) -> None:
    progress = Progress(complete=True, rows=4, passes=(PassTiming(1.5, 4, 12.0),), revision="x@ab", notes=("n",))
    write_progress(tmp_path, progress)
    assert read_progress(tmp_path) == progress


def test_run_that_never_finished_has_no_progress(tmp_path: Path) -> None:
    assert read_progress(tmp_path) == Progress()


@pytest.mark.parametrize("content", ["", "{", '{"complete": "yes"}', '{"passes": 3}', '{"format": 2}'])
def test_damaged_progress_is_reported(tmp_path: Path, content: str) -> None:
    (tmp_path / "progress.json").write_text(content)
    with pytest.raises(DataError, match=r"progress\.json"):
        read_progress(tmp_path)
