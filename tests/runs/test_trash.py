"""The trash of a runs folder."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError, RunLocked
from auricle.runs.run_directory import lock_run
from auricle.runs.trash import empty_trash, list_trash, move_to_trash, restore_run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a", "group/b"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "spec.json").write_text(name)
    return tmp_path


def test_deleted_runs_are_listed_and_restored(root: Path) -> None:
    for name in ("a", "group/b"):
        move_to_trash(root, name)
        assert not (root / name).exists()
    deleted = {run.name: run for run in list_trash(root)}
    assert deleted.keys() == {"a", "group/b"}
    restore_run(root, deleted["group/b"])
    assert (root / "group/b/spec.json").read_text() == "group/b"
    assert [run.name for run in list_trash(root)] == ["a"]


def test_runs_of_one_name_are_both_kept(root: Path) -> None:
    move_to_trash(root, "a")
    (root / "a").mkdir()
    (root / "a" / "spec.json").write_text("second")
    move_to_trash(root, "a")
    assert len({run.path for run in list_trash(root)}) == 2


def test_run_is_not_restored_over_another_folder(root: Path) -> None:
    deleted = move_to_trash(root, "a")
    (root / "a").mkdir()
    with pytest.raises(DataError, match="Cannot restore 'a': there is another folder"):
        restore_run(root, deleted)
    assert deleted.path.exists()


def test_emptied_trash_is_gone(root: Path) -> None:
    assert list_trash(root) == []
    move_to_trash(root, "a")
    empty_trash(root)
    assert list_trash(root) == []
    assert (root / "group/b").exists()
    empty_trash(root)


def test_only_a_run_that_is_not_being_written_can_be_deleted(root: Path) -> None:
    with pytest.raises(DataError, match="Run not found: 'missing'"):
        move_to_trash(root, "missing")
    with lock_run(root / "a"), pytest.raises(RunLocked):
        move_to_trash(root, "a")
    assert (root / "a").exists()
