"""Sharded runs without samples of their own."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.runs.shards.large_runs import check_has_samples


def test_the_message_names_the_run_directory_of_a_shard(tmp_path: Path) -> None:
    check_has_samples(tmp_path)
    (tmp_path / "plan.jsonl").touch()
    (tmp_path / "sums.bin").touch()
    with pytest.raises(DataError, match=r"shards/00000/1\.$"):
        check_has_samples(tmp_path)
    (tmp_path / "shards/00003/2").mkdir(parents=True)
    with pytest.raises(DataError, match=r"such as .*/shards/00003/2\.$"):
        check_has_samples(tmp_path)
    (tmp_path / "outputs.jsonl").touch()
    check_has_samples(tmp_path)


def test_the_message_about_a_run_that_was_not_merged_names_the_command(tmp_path: Path) -> None:
    (tmp_path / "plan.jsonl").touch()
    with pytest.raises(DataError, match=rf"has not been merged\. Run `auricle merge {tmp_path}` first"):
        check_has_samples(tmp_path)
