"""Runs over tars, Parquet, JSON lines and Shar in a bucket equal runs over the same files in a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, BatchModel, Generate, Generation, Spec, evaluate
from auricle.core.storage import open_storage
from auricle.runs.run_directory import Run
from tests.support import paths
from tests.support.extras import require_extra
from tests.support.tar_shards import write_tar

pytestmark = pytest.mark.slow


class SoundDigest(BatchModel):
    """Answers with a digest of the decoded sound."""

    def generate(self, requests: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=digest_sound(request)) for request in requests]


def digest_sound(request: Generate) -> str:
    sounds = [part.decode().tobytes() for turn in request.turns for part in turn.parts if isinstance(part, Audio)]
    return blake2b(b"".join(sounds), digest_size=4).hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the same recordings in four formats."""
    require_extra("parquet")
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("data")
    recordings = sorted((paths.SHARED_DATA / "digits").glob("*.flac"))[:12]
    texts = [path.stem.replace("_", " ") for path in recordings]
    for number in range(2):
        chosen = list(zip(recordings, texts, strict=True))[number * 6 : number * 6 + 6]
        members = [(f"{path.stem}.flac", path.read_bytes()) for path, _ in chosen]
        members += [(f"{path.stem}.txt", text.encode()) for path, text in chosen]
        write_tar(folder / f"tars/part-{number:06d}.tar", sorted(members))
    table = {
        "id": [path.stem for path in recordings],
        "audio": [{"bytes": path.read_bytes(), "path": path.name} for path in recordings],
        "text": texts,
    }
    (folder / "parquet").mkdir()
    pyarrow.parquet.write_table(pyarrow.table(table), folder / "parquet/rows.parquet", row_group_size=5)
    (folder / "lines").mkdir()
    rows = []
    for path, text in zip(recordings, texts, strict=True):
        (folder / "lines" / path.name).write_bytes(path.read_bytes())
        rows.append(json.dumps({"id": path.stem, "audio": path.name, "text": text}) + "\n")
    (folder / "lines/rows.jsonl").write_text("".join(rows), encoding="utf-8")
    return folder


@pytest.fixture
def uploaded(folder: Path, bucket: str) -> str:
    """Upload all files; return the URL of the bucket."""
    storage = open_storage(bucket)
    for path in folder.rglob("*"):
        if path.is_file():
            storage.upload(path.relative_to(folder).as_posix(), path)
    return bucket


def answer_and_score(data: str, out: Path) -> tuple[dict[str, Any], float | None]:
    """Return key, audio duration and answer of each sample, and the word error rate."""
    spec = Spec.model_validate({"task": "asr", "task_args": {"data": data}, "model": SoundDigest})
    result = evaluate(spec, out)
    records = {
        record.sample.id: (record.key, record.audio_seconds, record.sample.target, record.outputs)
        for record in Run.load(out).records()
    }
    return records, result["wer"].value


@pytest.mark.parametrize("name", ["tars/part-{000000..000001}.tar", "tars/", "parquet/rows.parquet", "lines/*.jsonl"])
def test_a_run_over_a_bucket_equals_one_over_a_folder(name: str, folder: Path, uploaded: str, tmp_path: Path) -> None:
    local = answer_and_score(f"{folder}/{name}", tmp_path / "local")
    remote = answer_and_score(f"{uploaded}/{name}", tmp_path / "remote")
    assert len(local[0]) == 12
    assert remote == local
    assert not any(b"very-secret-key" in path.read_bytes() for path in (tmp_path / "remote").iterdir())


def test_a_run_over_a_bucket_is_resumed_without_sending_again(uploaded: str, tmp_path: Path) -> None:
    name = f"{uploaded}/tars/"
    first = answer_and_score(name, tmp_path / "run")
    lines = (tmp_path / "run/outputs.jsonl").read_bytes()
    assert answer_and_score(name, tmp_path / "run") == first
    assert (tmp_path / "run/outputs.jsonl").read_bytes() == lines
