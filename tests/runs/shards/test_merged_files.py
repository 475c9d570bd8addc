"""Files of merged runs."""

from pathlib import Path

from auricle.core.local_storage import LocalStorage
from auricle.runs.shards.merged_files import SUMS_FILE, copy_spec, read_merged_sums


def test_a_small_run_has_no_sums(tmp_path: Path) -> None:
    assert read_merged_sums(tmp_path) is None
    (tmp_path / SUMS_FILE).write_bytes(b"sums")
    assert read_merged_sums(tmp_path) == b"sums"


def test_the_spec_is_copied_once(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    storage = LocalStorage(source, create_folder=True)
    target.mkdir()
    for content in (b"first", b"second"):
        (source / "spec.json").write_bytes(content)
        copy_spec(storage, target)
    assert (target / "spec.json").read_bytes() == b"first"
