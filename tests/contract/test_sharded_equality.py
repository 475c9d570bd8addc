"""Sharded runs over recordings equal runs without shards to the last bit, whatever the source and the workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from auricle import Settings, Spec, evaluate, evaluate_shards
from auricle.core.storage import open_storage
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from tests.support import paths
from tests.support.extras import require_extra
from tests.support.object_stores import create_bucket, set_s3_variables
from tests.support.sharded_runs import read_comparable, run_sharded
from tests.support.tar_shards import write_tar

pytestmark = pytest.mark.slow

RECORDINGS = 36

MODEL = """
from hashlib import blake2b
from auricle import Audio, BatchModel, Generation

WORDS = ("zero", "one", "two", "three", "four")

class PoorListener(BatchModel):
    def generate(self, requests):
        return [Generation(text=listen(request)) for request in requests]

def listen(request):
    sounds = [part.decode().tobytes() for turn in request.turns for part in turn.parts if isinstance(part, Audio)]
    digest = blake2b(b"".join(sounds), digest_size=2).digest()
    return " ".join(WORDS[byte % len(WORDS)] for byte in digest[: 1 + digest[0] % 2])
"""
"""Answers with words that depend on the decoded sound alone."""


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
    (folder / "listener.py").write_text(MODEL)
    return folder


SOURCES = {"lines": "lines/rows-*.jsonl", "parquet": "parquet/*.parquet", "tars": "tars/*.tar"}


WORKERS = (1, 4, 16)


def make_spec(data: Path, source: str, location: str = "") -> Spec:
    """Return the evaluation of a source in a folder or, if `location` is given, of its copy there."""
    task_args = {"data": f"{location or data}/{SOURCES[source]}"}
    return Spec(task="asr", task_args=task_args, model=f"{data}/listener.py:PoorListener")


def read_results(folder: Path) -> dict[str, Any]:
    """Read `metrics.json` without times, and without attempts: samples with repeated ids were sent, too."""
    document = read_comparable(folder)
    del document["usage"]["attempts"]
    return document


@pytest.fixture(scope="module")
def plain_runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Evaluate each source without shards."""
    folder = tmp_path_factory.mktemp("plain")
    return {name: evaluate(make_spec(data, name), folder / name).path for name in SOURCES}


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_sharded_run_in_a_folder_equals_a_plain_run(
    source: str, workers: int, data: Path, plain_runs: dict[str, Path], tmp_path: Path
) -> None:
    run_sharded(make_spec(data, source), tmp_path, tmp_path, workers=workers, shard_bytes=700)
    assert read_results(tmp_path) == read_results(plain_runs[source])


@pytest.fixture(scope="module")
def bucket_with_data(data: Path, s3_endpoint: str) -> Iterator[str]:
    """Upload the sources to a bucket that this and other processes reach; return its URL."""
    with pytest.MonkeyPatch.context() as patch:
        set_s3_variables(patch, s3_endpoint)
        bucket = create_bucket(s3_endpoint)
        storage = open_storage(bucket)
        for path in (path for path in data.rglob("*") if path.is_file()):
            storage.upload(path.relative_to(data).as_posix(), path)
        yield bucket


@pytest.fixture(scope="module")
def plain_bucket_runs(data: Path, bucket_with_data: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Evaluate each source in the bucket without shards."""
    folder = tmp_path_factory.mktemp("plain-bucket")
    return {name: evaluate(make_spec(data, name, bucket_with_data), folder / name).path for name in SOURCES}


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_sharded_run_in_a_bucket_equals_a_plain_run(
    source: str, workers: int, data: Path, bucket_with_data: str, plain_bucket_runs: dict[str, Path], tmp_path: Path
) -> None:
    location = f"{bucket_with_data}/runs/{source}-{workers}"
    run_sharded(make_spec(data, source, bucket_with_data), location, tmp_path, workers=workers, shard_bytes=700)
    assert read_results(tmp_path) == read_results(plain_bucket_runs[source])
    assert open_storage(location).read("metrics.json") == (tmp_path / "metrics.json").read_bytes()


def test_numbers_do_not_depend_on_where_the_data_is(
    plain_runs: dict[str, Path], plain_bucket_runs: dict[str, Path]
) -> None:
    for source in SOURCES:
        assert [number.value for number in read_metrics(plain_runs[source]).numbers] == [
            number.value for number in read_metrics(plain_bucket_runs[source]).numbers
        ]


@pytest.fixture(scope="module")
def ray_address(bucket_with_data: str) -> Iterator[str]:
    """Start a cluster with room for 16 actors, which inherit the variables of the bucket."""
    require_extra("ray")
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": max(WORKERS), "include_dashboard": False})
    yield cluster.address
    cluster.shutdown()


@pytest.mark.parametrize(("source", "workers"), [*product(("parquet", "tars"), WORKERS)])
def test_a_run_by_ray_actors_equals_a_plain_run(
    source: str,
    workers: int,
    data: Path,
    bucket_with_data: str,
    plain_bucket_runs: dict[str, Path],
    ray_address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = make_spec(data, source, bucket_with_data)
    settings = Settings(shards=16, workers=workers, backend="ray", ray_address=ray_address)
    result = evaluate_shards(spec, f"{bucket_with_data}/ray/{source}-{workers}", settings=settings)
    assert read_results(result.path) == read_results(plain_bucket_runs[source])


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
