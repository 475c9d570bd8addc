"""Epochs in a bucket: what is uploaded when, and what the next one begins with."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from auricle.core.local_storage import LocalStorage
from auricle.core.storage import ObjectInfo
from auricle.runs.run_spec import OUTPUTS_FILE, SPEC_FILE, VERDICTS_FILE
from auricle.runs.shards import remote_epochs
from auricle.runs.shards.remote_epochs import RemoteEpoch, work_folder


class Bucket(LocalStorage):
    """A folder in place of a bucket, which remembers the order of writes."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, create_folder=True)
        self.written: list[str] = []

    def write(self, path: str, content: bytes) -> ObjectInfo:
        self.written.append(path)
        return super().write(path, content)

    def upload(self, path: str, file: Path) -> ObjectInfo:
        self.written.append(path)
        return super().upload(path, file)


@pytest.fixture
def bucket_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Bucket(tmp_path / "bucket")


def append(folder: Path, content: bytes, name: str = OUTPUTS_FILE) -> None:
    with (folder / name).open("ab") as file:
        file.write(content)


def begin(storage: Bucket, epoch: int, run_id: str = "run") -> tuple[RemoteEpoch, Path]:
    remote = RemoteEpoch(storage, run_id, 0, epoch)
    return remote, remote.prepare()


def test_the_next_epoch_begins_with_what_was_uploaded(bucket_folder: Bucket) -> None:
    first, folder = begin(bucket_folder, 1)
    append(folder, b"a\nb\nincompl")
    append(folder, b"verdict\n", VERDICTS_FILE)
    append(folder, b"{}", SPEC_FILE)
    (folder / "speech").mkdir()
    (folder / "speech/x.wav").write_bytes(b"sound")
    first.flush()
    append(folder, b"ete\n")  # lost with the machine
    first.close(is_stored=True)
    second, folder = begin(bucket_folder, 2)
    assert (folder / OUTPUTS_FILE).read_bytes() == b"a\nb\n"
    assert (folder / VERDICTS_FILE).read_bytes() == b"verdict\n"
    assert (folder / SPEC_FILE).read_bytes() == b"{}"
    assert (folder / "speech/x.wav").read_bytes() == b"sound"
    append(folder, b"c\n")
    files = {file.name: file for file in second.finish()}
    assert files[OUTPUTS_FILE].pieces == ("shards/00000/1/outputs.jsonl.00000", "shards/00000/2/outputs.jsonl.00000")
    assert files["speech/x.wav"].pieces == ("shards/00000/1/speech/x.wav",)
    second.close(is_stored=True)
    assert [*folder.parent.iterdir()] == []


def test_media_are_uploaded_before_the_lines_that_refer_to_them(bucket_folder: Bucket) -> None:
    epoch, folder = begin(bucket_folder, 1)
    (folder / "speech").mkdir()
    (folder / "speech/x.wav").write_bytes(b"sound")
    append(folder, b"{}", SPEC_FILE)
    append(folder, b"a\n")
    epoch.flush()
    epoch.close(is_stored=True)
    names = [path.removeprefix("shards/00000/1/") for path in bucket_folder.written]
    assert sorted(names[:2]) == ["spec.json", "speech/x.wav"]
    assert names[2] == "outputs.jsonl.00000"


def test_answers_are_uploaded_while_the_worker_goes_on(bucket_folder: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_epochs, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(remote_epochs, "UPLOAD_SECONDS", 0.02)
    epoch, folder = begin(bucket_folder, 1)
    append(folder, b"a\n")
    deadline = time.monotonic() + 10
    while not bucket_folder.written and time.monotonic() < deadline:
        time.sleep(0.01)
    epoch.close(is_stored=True)
    assert bucket_folder.written == ["shards/00000/1/outputs.jsonl.00000"]


def test_what_a_killed_process_of_this_machine_left_is_used(bucket_folder: Bucket) -> None:
    killed, folder = begin(bucket_folder, 1)
    append(folder, b"a\n")
    append(folder, b"{}", SPEC_FILE)
    killed.flush()
    append(folder, b"b\nincompl")
    (folder / "calls").mkdir()
    (folder / "calls/x.flac").write_bytes(b"call")
    killed.close(is_stored=False)  # its lock is released, as by a kill
    epoch, folder = begin(bucket_folder, 2)
    assert (folder / OUTPUTS_FILE).read_bytes() == b"a\nb\n"
    assert (folder / "calls/x.flac").read_bytes() == b"call"
    assert not (folder.parent / "00000.1").exists()
    files = {file.name: file for file in epoch.finish()}
    assert files[OUTPUTS_FILE].size == 4
    assert epoch.count_unused_lines() == 0
    epoch.close(is_stored=True)


def test_the_folder_of_a_process_that_lives_is_left_alone(bucket_folder: Bucket) -> None:
    alive, folder = begin(bucket_folder, 1)
    append(folder, b"a\n")
    epoch, next_folder = begin(bucket_folder, 2)
    assert not (next_folder / OUTPUTS_FILE).exists()
    assert folder.exists()
    append(next_folder, b"b\n")
    epoch.finish()
    alive.flush()
    assert epoch.count_unused_lines() == 1
    alive.close(is_stored=True)
    epoch.close(is_stored=True)


def test_what_another_run_in_the_same_location_left_is_not_used(bucket_folder: Bucket) -> None:
    killed, folder = begin(bucket_folder, 1, run_id="deleted")
    append(folder, b"a\n")
    killed.close(is_stored=False)
    epoch, folder = begin(bucket_folder, 2)
    assert not (folder / OUTPUTS_FILE).exists()
    assert folder.parent == work_folder(bucket_folder, "run")
    epoch.close(is_stored=True)


def test_a_journal_that_was_stored_whole_is_continued(bucket_folder: Bucket) -> None:
    first, folder = begin(bucket_folder, 1)
    append(folder, b"a\ndamaged\n")
    first.flush()
    (folder / "new").write_bytes(b"a\nb\n")
    (folder / "new").rename(folder / OUTPUTS_FILE)
    first.finish()
    first.close(is_stored=True)
    second, folder = begin(bucket_folder, 2)
    assert (folder / OUTPUTS_FILE).read_bytes() == b"a\ndamaged\nb\n"  # the engine removes damaged lines again
    second.close(is_stored=True)
