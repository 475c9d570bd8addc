"""The sums of a merged run."""

from pathlib import Path

import numpy as np
import pytest

from auricle.core.errors import DataError
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.stored_sums import StoredSums, store_sums


def test_sums_are_read_as_they_were_stored(sums: RunningSums, tmp_path: Path) -> None:
    store_sums(tmp_path, sums)
    stored = StoredSums.load(tmp_path)
    assert stored is not None
    assert stored.has_metric("wer")
    assert not stored.has_metric("bleu")
    assert stored.labels("wer") is None
    assert stored.labels("macro_f1") == sums.columns["macro_f1"].labels
    assert stored.list_values("subset") == ["a", "b"]
    assert stored.has_unit("wer", "speaker")
    column = sums.columns["wer"]
    np.testing.assert_array_equal(stored.list_totals("wer", ""), column.list_bucket_totals(0, ""))
    cell = dict(sums.list_cells("subset"))["b"]
    expected = column.list_bucket_totals(cell, "speaker")
    np.testing.assert_array_equal(stored.list_totals("wer", "speaker", "subset", "b"), expected)


def test_a_run_without_sums_has_none_and_damage_is_stated(tmp_path: Path) -> None:
    assert StoredSums.load(tmp_path) is None
    (tmp_path / "sums.bin").write_bytes(b"rubbish")
    with pytest.raises(DataError, match="auricle merge"):
        StoredSums.load(tmp_path)
