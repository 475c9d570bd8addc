"""Repeated ids, in memory and on disk."""

from pathlib import Path

import numpy as np
import pytest

from auricle.scoring.shards import duplicates
from auricle.scoring.shards.buckets import digest_texts
from auricle.scoring.shards.duplicates import RepeatFinder, find_first_rows, select_repeated

IDS = [f"id {number}" for number in range(300)]
IDS[120], IDS[250], IDS[251] = IDS[7], IDS[7], IDS[200]


@pytest.mark.parametrize("pending", [1 << 20, 50])
def test_digests_that_occur_again_are_found(pending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "PENDING_IDS", pending)
    finder = RepeatFinder(tmp_path)
    for start in (200, 0, 100):  # shards may be added in any order
        finder.add(digest_texts(IDS[start : start + 100]))
    assert finder.find().tolist() == sorted(digest_texts([IDS[7], IDS[200]])[:, 0].tolist())
    assert not list(tmp_path.iterdir())


def test_the_first_row_of_every_repeated_id_is_found() -> None:
    digests = digest_texts(IDS)
    suspects = select_repeated(digests, np.sort(digest_texts([IDS[7], IDS[200]])[:, 0]))
    assert suspects.tolist() == [7, 120, 200, 250, 251]
    rows, first_rows = find_first_rows(digests[suspects[::-1]], suspects[::-1])
    assert {*zip(rows.tolist(), first_rows.tolist(), strict=True)} == {(120, 7), (250, 7), (251, 200)}


def test_equal_halves_of_digests_are_no_repeated_ids() -> None:
    rows, first_rows = find_first_rows(np.array([[1, 2], [1, 3], [1, 2]], dtype=np.uint64), np.arange(3))
    assert (rows.tolist(), first_rows.tolist()) == ([2], [0])


def test_no_ids(tmp_path: Path) -> None:
    assert not len(RepeatFinder(tmp_path).find())
