"""Copies of runs in buckets."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.storage import open_storage
from auricle.runs.shards.mirror import VERSIONS_FILE, mirror_folder, mirror_run

NAMES = ("metrics.json", "report.html")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_locations_of_one_name_have_different_folders() -> None:
    first, second = mirror_folder("s3://a/run"), mirror_folder("s3://b/run")
    assert first != second
    assert first.name.startswith("run-")


def test_merged_files_are_copied_and_those_of_shards_are_not(bucket: str) -> None:
    storage = open_storage(f"{bucket}/run")
    for path in ("spec.json", "metrics.json", "speech/a.wav", "shards/00000/1/outputs.jsonl", "done/00000"):
        storage.write(path, path.encode())
    folder = mirror_run(f"{bucket}/run", NAMES)
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert copied == {"spec.json", "metrics.json", "speech/a.wav", VERSIONS_FILE}
    assert (folder / "speech/a.wav").read_text() == "speech/a.wav"


def test_a_changed_file_is_copied_again_and_a_deleted_one_is_removed(bucket: str) -> None:
    storage = open_storage(f"{bucket}/run")
    for path in ("spec.json", "metrics.json", "report.html"):
        storage.write(path, b"old")
    folder = mirror_run(f"{bucket}/run", NAMES)
    (folder / "spec.json").write_text("unchanged objects are not copied again")
    storage.write("metrics.json", b"newer")
    storage.delete("report.html")
    assert mirror_run(f"{bucket}/run", NAMES) == folder
    assert (folder / "metrics.json").read_text() == "newer"
    assert (folder / "spec.json").read_text() == "unchanged objects are not copied again"
    assert not (folder / "report.html").exists()


def test_a_location_without_a_run_is_refused(bucket: str) -> None:
    with pytest.raises(DataError, match=r"does not contain a run: it has no spec\.json"):
        mirror_run(f"{bucket}/nothing", NAMES)


def test_a_run_that_was_not_merged_is_refused(bucket: str) -> None:
    for path in ("spec.json", "plan.jsonl"):
        open_storage(f"{bucket}/run").write(path, b"{}")
    with pytest.raises(DataError, match=rf"has not been merged\. Run `auricle merge {bucket}/run` first"):
        mirror_run(f"{bucket}/run", NAMES)
