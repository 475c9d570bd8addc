"""Sharded runs are recognised by their plan."""

from pathlib import Path

import pytest

from auricle.core.errors import RunMismatch
from auricle.runs.shards.locations import contains_sharded_run, refuse_sharded_run
from auricle.runs.shards.store import ShardStore
from tests.support.shards import make_parts


def test_a_folder_with_a_plan_is_a_sharded_run(tmp_path: Path) -> None:
    assert not contains_sharded_run(tmp_path / "nothing")
    refuse_sharded_run(tmp_path)
    ShardStore.create(tmp_path, make_parts(1, 1))
    assert contains_sharded_run(tmp_path)
    with pytest.raises(RunMismatch, match=r"contains a sharded run\. Add --shards auto"):
        refuse_sharded_run(tmp_path)
