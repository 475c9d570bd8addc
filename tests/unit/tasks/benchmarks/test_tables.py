"""Tests of reading tables of archives."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.tasks.catalogue import TASKS
from tests.support.miniatures_suite import find_miniature
from tests.support.miniatures_understanding import hub_audio, write_parquet


def test_a_missing_column_is_reported(tmp_path: Path) -> None:
    write_parquet(tmp_path / "bbh/test-00000-of-00001.parquet", [{"audio": hub_audio("a"), "prompt": "?"}])
    with pytest.raises(DataError, match=r"missing column 'id' \(columns: audio, prompt\)"):
        TASKS.get("voicebench-bbh")(root=str(tmp_path)).samples.validate()


@pytest.mark.parametrize("name", ["clotho-aqa", "audiocaps"])
def test_a_table_without_usable_rows_is_reported(name: str, tmp_path: Path) -> None:
    find_miniature(name).build(tmp_path)
    for path in tmp_path.glob("*.csv"):
        path.write_text("something\nelse\n")
    with pytest.raises(DataError, match=r"no usable row\. .*\(columns: something\)"):
        TASKS.get(name)(root=str(tmp_path)).samples.validate()
