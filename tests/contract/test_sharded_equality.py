"""Sharded runs over recordings equal runs without shards to the last bit, whatever the source and the workers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import pytest

from auricle import Audio, BatchModel, Generate, Generation, Spec, evaluate
from auricle.core.storage import open_storage
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from tests.support import paths
from tests.support.extras import require_extra
from tests.support.sharded_runs import read_comparable, run_sharded
from tests.support.tar_shards import write_tar

pytestmark = pytest.mark.slow

RECORDINGS = 36
WORDS = ("zero", "one", "two", "three", "four")


class PoorListener(BatchModel):
    """Answers with words that depend on the decoded sound alone."""

    def generate(self, requests: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=_listen(request)) for request in requests]


def _listen(request: Generate) -> str:
    sounds = [part.decode().tobytes() for turn in request.turns for part in turn.parts if isinstance(part, Audio)]
    digest = blake2b(b"".join(sounds), digest_size=2).digest()
    return " ".join(WORDS[byte % len(WORDS)] for byte in digest[: 1 + digest[0] % 2])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the same recordings as JSON lines, Parquet and tars; one id occurs in two files, and one row is invalid."""
    require_extra("parquet")
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("data")
    rows = [json.loads(line) for line in (paths.SHARED_DATA / "digits" / "manifest.jsonl").read_text().splitlines()]
    rows = [
        {"id": Path(row["audio_path"]).stem, "audio": row["audio_path"], "text": row["answer"], **row["meta"]}
        for row in rows[:RECORDINGS]
    ]
    rows[30]["id"] = rows[2]["id"]
    sounds = {row["audio"]: (paths.SHARED_DATA / "digits" / row["audio"]).read_bytes() for row in rows}
    for name in ("lines", "parquet"):
        (folder / name).mkdir()
    for name, sound in sounds.items():
        (folder / "lines" / name).write_bytes(sound)
    for number, some in enumerate((rows[:20], rows[20:])):
        lines = "".join(json.dumps(row) + "\n" for row in some)
        (folder / f"lines/rows-{number}.jsonl").write_text(lines + ('{"id": "no sound"}\n' if number else ""))
        table = {name: [row[name] for row in some] for name in ("id", "text", "speaker")}
        table["audio"] = [{"bytes": sounds[row["audio"]], "path": row["audio"]} for row in some]
        pyarrow.parquet.write_table(pyarrow.table(table), folder / f"parquet/rows-{number}.parquet", row_group_size=7)
    for number in range(4):
        members = []
        for row in rows[number * 9 : number * 9 + 9]:
            texts = {"flac": sounds[row["audio"]], "txt": row["text"].encode()}
            texts["json"] = json.dumps({"speaker": row["speaker"]}).encode()
            members += [(f"{row['id']}.{suffix}", content) for suffix, content in texts.items()]
        write_tar(folder / f"tars/part-{number:06d}.tar", members)
    return folder


SOURCES = {"lines": "lines/rows-*.jsonl", "parquet": "parquet/*.parquet", "tars": "tars/*.tar"}


def make_spec(data: Path | str, source: str) -> Spec:
    return Spec(task="asr", task_args={"data": f"{data}/{SOURCES[source]}"}, model=PoorListener)  # type: ignore[arg-type]  # a class is accepted, too


@pytest.fixture(scope="module")
def plain_runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Evaluate each source without shards."""
    folder = tmp_path_factory.mktemp("plain")
    return {name: evaluate(make_spec(data, name), folder / name).path for name in SOURCES}


@pytest.mark.parametrize("workers", [1, 4, 16])
@pytest.mark.parametrize("source", SOURCES)
def test_a_sharded_run_in_a_folder_equals_a_plain_run(
    source: str, workers: int, data: Path, plain_runs: dict[str, Path], tmp_path: Path
) -> None:
    run_sharded(make_spec(data, source), tmp_path, tmp_path, workers=workers, shard_bytes=700)
    expected, actual = read_comparable(plain_runs[source]), read_comparable(tmp_path)
    for document in (expected, actual):
        del document["usage"]["attempts"]  # samples with repeated ids were sent, too
    assert actual == expected


@pytest.mark.parametrize(("source", "workers"), [("lines", 1), ("parquet", 4), ("tars", 16)])
def test_a_sharded_run_in_a_bucket_equals_a_plain_run(
    source: str, workers: int, data: Path, plain_runs: dict[str, Path], tmp_path: Path, bucket: str
) -> None:
    run_sharded(make_spec(data, source), f"{bucket}/run", tmp_path, workers=workers, shard_bytes=700)
    expected, actual = read_comparable(plain_runs[source]), read_comparable(tmp_path)
    assert actual["numbers"] == expected["numbers"]
    assert actual["failures"] == expected["failures"]
    stored = open_storage(f"{bucket}/run").read("metrics.json")
    assert stored == (tmp_path / "metrics.json").read_bytes()


def test_the_records_of_a_merged_run_are_those_of_a_plain_run(
    data: Path, plain_runs: dict[str, Path], tmp_path: Path
) -> None:
    run_sharded(make_spec(data, "lines"), tmp_path, tmp_path, workers=2, shard_bytes=700)
    expected, actual = (
        {record.row: (record.sample, record.key, record.outputs, record.error) for record in Run.load(path).records()}
        for path in (plain_runs["lines"], tmp_path)
    )
    assert actual == expected
    assert "duplicate id" in str(actual[30])


def test_numbers_from_sums_do_not_depend_on_the_workers(
    data: Path, plain_runs: dict[str, Path], tmp_path: Path
) -> None:
    spec = make_spec(data, "tars")
    for workers in (1, 4, 16):
        folder = tmp_path / str(workers)
        run_sharded(spec, folder, folder, workers=workers, shard_bytes=700, exact_samples=0)
    first, *others = (read_comparable(tmp_path / str(workers)) for workers in (1, 4, 16))
    assert others == [first, first]
    exact = read_metrics(plain_runs["tars"])
    for number in read_metrics(tmp_path / "1").overall:
        assert number.value == exact[number.metric].value
        assert (number.scored, number.total, number.failed) == (
            exact[number.metric].scored,
            exact[number.metric].total,
            exact[number.metric].failed,
        )
