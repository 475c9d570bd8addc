"""Ordinary runs from shards; the numbers of merged runs are tested with the merge."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.types import Failure, Generation, Record, Sample
from auricle.runs.journal import encode_storable
from auricle.runs.progress import PassTiming, Progress, write_progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards import assembly
from auricle.runs.shards.assembly import assemble_run
from auricle.runs.shards.completions import Completion
from auricle.runs.verdicts import Judge, encode_judges, read_last_judges

COMPLETION = Completion(
    shard=0,
    generation=1,
    epoch=1,
    rows=0,
    answered=0,
    failed=0,
    attempts=0,
    audio_seconds=None,
    cost=None,
    currency=None,
    wall_seconds=0.0,
    unused_lines=0,
    source="",
    worker="",
    files=(),
)
JUDGE = encode_judges([Judge("echo", {})])


def write_shard(folder: Path, ids: list[str], *, verdict: bytes = b"", speech: str = "") -> None:
    folder.mkdir(parents=True)
    records = [
        Record(sample=Sample(id=name, inputs={}, origin=f"data@{row}"), row=row, outputs=(Generation(text=name),))
        for row, name in enumerate(ids)
    ]
    lines = [encode_storable(record)[0] for record in records[::-1]]
    (folder / OUTPUTS_FILE).write_bytes(b"".join(lines))
    (folder / "verdicts.jsonl").write_bytes(JUDGE + verdict)
    (folder / "signals.jsonl").write_bytes(b'{"key":"%s"}\n' % ids[0].encode())
    if speech:
        (folder / "speech").mkdir()
        (folder / "speech" / speech).write_bytes(b"sound")
    write_progress(folder, Progress(complete=True, rows=len(ids), passes=(PassTiming(1.0, len(ids)),)))


class Shards:
    """Completed shards in a folder."""

    def __init__(self, folder: Path, rows: list[int], planned: int) -> None:
        self._folder = folder
        self._rows = rows
        self.plan = type("Plan", (), {"count": planned})()

    def completions(self) -> list[Completion]:
        return [replace(COMPLETION, shard=number, rows=rows) for number, rows in enumerate(self._rows)]

    def fetch(self, completion: Completion, folder: Path) -> Path:
        return self._folder / str(completion.shard)


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    write_shard(tmp_path / "0", ["a", "b"], verdict=b'{"key":"1"}\n', speech="1.flac")
    write_shard(tmp_path / "1", ["c", "a"], verdict=b'{"key":"2"}\n', speech="2.flac")
    return tmp_path


def test_records_are_in_the_order_of_the_data(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    progress = assemble_run(Shards(shards, [2, 2], 2), out)  # type: ignore[arg-type]  # a store
    records = list(Run(out, None).records())  # type: ignore[arg-type]  # the spec is not read
    assert [(record.row, record.sample.id) for record in records] == [
        (0, "a"),
        (1, "b"),
        (2, "c"),
        (3, "rejected data@1"),
    ]
    assert records[3].error == Failure("RejectedRow", "duplicate id 'a', first used in row 1")
    assert progress == Progress(complete=True, rows=4, total=4, passes=(PassTiming(1.0, 2), PassTiming(1.0, 2)))


def test_verdicts_measures_and_media_are_those_of_all_shards(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assemble_run(Shards(shards, [2, 2], 2), out)  # type: ignore[arg-type]  # a store
    assert (out / "verdicts.jsonl").read_bytes() == JUDGE + b'{"key":"1"}\n{"key":"2"}\n'
    assert read_last_judges(out / "verdicts.jsonl") == (Judge("echo", {}),)
    assert (out / "signals.jsonl").read_bytes() == b'{"key":"a"}\n{"key":"c"}\n'
    assert {path.name for path in (out / "speech").iterdir()} == {"1.flac", "2.flac"}


def test_a_run_with_unfinished_shards_is_incomplete(shards: Path, tmp_path: Path) -> None:
    progress = assemble_run(Shards(shards, [2], 2), tmp_path / "out")  # type: ignore[arg-type]  # a store
    assert (progress.complete, progress.rows, progress.total) == (False, 2, None)


def test_a_damaged_line_is_left_out_and_its_row_counts_as_missing(shards: Path, tmp_path: Path) -> None:
    journal = shards / "1" / OUTPUTS_FILE
    journal.write_bytes(journal.read_bytes().replace(b'"c"', b'"x"', 1))
    progress = assemble_run(Shards(shards, [2, 2], 2), tmp_path / "out")  # type: ignore[arg-type]  # a store
    assert progress.rows == 4
    assert (tmp_path / "out" / OUTPUTS_FILE).read_bytes().count(b"\n") == 3


def test_a_merge_that_is_killed_leaves_no_incomplete_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shard").mkdir()
    (tmp_path / "shard" / "1.flac").write_bytes(b"sound")

    def fail(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="killed"):
            assembly._copy_files(tmp_path / "shard", tmp_path / "run")
    assert not (tmp_path / "run" / "1.flac").exists()
    assembly._copy_files(tmp_path / "shard", tmp_path / "run")
    assert (tmp_path / "run" / "1.flac").read_bytes() == b"sound"
