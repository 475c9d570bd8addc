"""Repeated ids, in memory and on disk."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from auricle.report.shards import duplicates
from auricle.report.shards.buckets import digest_texts
from auricle.report.shards.duplicates import DuplicateFinder


@pytest.mark.parametrize("pending", [1 << 20, 50])
def test_the_first_row_of_every_repeated_id_is_found(
    pending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "PENDING_IDS", pending)
    ids = [f"id {number}" for number in range(300)]
    ids[120], ids[250], ids[251] = ids[7], ids[7], ids[200]
    finder = DuplicateFinder(tmp_path)
    for start in (200, 0, 100):  # shards may be added in any order
        rows = np.arange(start, start + 100)
        finder.add(digest_texts(ids[start : start + 100]), rows)
    pairs = (zip(rows.tolist(), firsts.tolist(), strict=True) for rows, firsts in finder.find())
    repeated = set(chain.from_iterable(pairs))
    assert repeated == {(120, 7), (250, 7), (251, 200)}
    assert not list(tmp_path.iterdir())


def test_equal_halves_of_digests_are_no_repeated_ids(tmp_path: Path) -> None:
    finder = DuplicateFinder(tmp_path)
    finder.add(np.array([[1, 2], [1, 3], [1, 2]], dtype=np.uint64), np.arange(3))
    assert [(rows.tolist(), firsts.tolist()) for rows, firsts in finder.find()] == [([2], [0])]


def test_no_ids(tmp_path: Path) -> None:
    assert not list(DuplicateFinder(tmp_path).find())
