"""The location of a sharded run, and files of completed shards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.storage import open_storage
from auricle.engine.shards.worker import ShardWorker, StopSignal, WorkerOptions
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.store import ShardStore
from tests.support.shards import FakeProcess, make_completion, make_parts


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ShardStore:
    """Return a run of one completed shard."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    location = tmp_path / "run" if request.param == "folder" else f"{request.getfixturevalue('bucket')}/run"
    store = ShardStore.create(location, make_parts(1, 2))
    ShardWorker(store, FakeProcess(), WorkerOptions(name="one")).run(StopSignal())
    return store


def completed(store: ShardStore) -> Completion:
    return next(store.completions())


def test_files_of_a_shard_are_read_as_they_were_completed(store: ShardStore, tmp_path: Path) -> None:
    content = store.read_file(completed(store), OUTPUTS_FILE)
    with store.open_file(completed(store), OUTPUTS_FILE) as lines:
        assert len([*lines]) == 2
    folder = store.fetch(completed(store), tmp_path / "copy")
    assert (folder / OUTPUTS_FILE).read_bytes() == content
    assert (folder / "sums.bin").read_bytes() == b"sums"
    assert (folder == tmp_path / "copy") == (store.folder is None)


def test_what_was_appended_later_is_cut_off(store: ShardStore, tmp_path: Path) -> None:
    completion = completed(store)
    content = store.read_file(completion, OUTPUTS_FILE)
    piece = next(file for file in completion.files if file.name == OUTPUTS_FILE).pieces[0]
    store.storage.write(piece, store.storage.read(piece) + b"late\n")
    assert store.read_file(completion, OUTPUTS_FILE) == content
    assert (store.fetch(completion, tmp_path / "copy") / OUTPUTS_FILE).read_bytes() == content


def test_a_changed_file_is_noticed(store: ShardStore, tmp_path: Path) -> None:
    completion = completed(store)
    file = next(file for file in completion.files if file.name == "sums.bin")
    store.storage.write(file.pieces[0], b"other sums")
    with pytest.raises(DataError, match=r"sums\.bin of shard 0 was changed"):
        store.read_file(completion, "sums.bin")
    with pytest.raises(DataError, match="Delete done/00000"):
        store.fetch(completion, tmp_path / "copy")


def test_a_missing_file_is_an_error(store: ShardStore) -> None:
    with pytest.raises(FileNotFoundError, match=r"Shard 0 has no file report\.html"):
        store.read_file(completed(store), "report.html")


def test_a_run_is_opened_by_its_location(store: ShardStore) -> None:
    assert [shard.number for shard in ShardStore.open(store.storage.url).plan] == [0]
    with pytest.raises(DataError, match="does not contain a sharded run"):
        ShardStore(open_storage(store.storage.url), store.plan).open(f"{store.storage.url}/done")


def test_completions_are_in_the_order_of_the_plan(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path / "run", make_parts(100, 1))
    for shard in reversed(range(0, 100, 2)):
        assert store.complete(make_completion(shard))
    assert not store.complete(make_completion(2))
    assert [completion.shard for completion in store.completions()] == [*range(0, 100, 2)]


def test_a_completion_of_an_earlier_version_of_the_data_does_not_count(tmp_path: Path) -> None:
    parts = make_parts(1, 1)
    ShardStore.create(tmp_path, parts).complete(make_completion(0))
    store = ShardStore.create(tmp_path, [replace(parts[0], size=7)])
    assert [*store.completions()] == []
    store.complete(make_completion(0, generation=2))
    assert [completion.generation for completion in store.completions()] == [2]


def test_who_has_a_lease_can_be_read(store: ShardStore) -> None:
    holder = store.read_lease(store.read_states(), 0)
    assert holder
    assert holder.worker == "one"
    fresh = ShardStore(store.storage, store.plan)
    states = fresh.read_states()
    states.epochs[0] = 0
    assert fresh.read_lease(states, 0) is None


def test_the_journals_of_all_epochs_are_copied_without_repeated_and_incomplete_lines(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path / "run", make_parts(2, 1))
    contents = {
        "1/outputs.jsonl.00000": b"a\nb\n",
        "2/outputs.jsonl.00000": b"b\nc\n",
        "10/outputs.jsonl": b"d\nincompl",
        "2/verdicts.jsonl.00000": b"v\n",
        "2/progress.json": b"{}",
    }
    for name, content in contents.items():
        store.storage.write(f"shards/00001/{name}", content)
    store.copy_lines(1, tmp_path)
    assert (tmp_path / "outputs.jsonl").read_bytes() == b"a\nb\nc\nd\n"
    assert (tmp_path / "verdicts.jsonl").read_bytes() == b"v\n"
    assert not (tmp_path / "progress.json").exists()
