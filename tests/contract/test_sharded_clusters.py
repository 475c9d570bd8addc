"""A run in a bucket that processes of this machine begin and Ray actors continue equals a plain run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auricle import Settings, Spec, evaluate, evaluate_shards
from auricle.core.storage import open_storage
from tests.support import paths
from tests.support.extras import require_extra
from tests.support.tar_shards import write_tar

pytestmark = pytest.mark.slow

MODEL = """
from hashlib import blake2b
from auricle import Audio, BatchModel, Generation

class Listener(BatchModel):
    def generate(self, requests):
        parts = [part for request in requests for turn in request.turns for part in turn.parts]
        sounds = [part for part in parts if isinstance(part, Audio)]
        return [Generation(text=blake2b(sound.decode().tobytes(), digest_size=1).hexdigest()) for sound in sounds]
"""


@pytest.fixture
def spec(tmp_path: Path, bucket: str) -> Spec:
    """Upload tars with recordings, and write a model that workers import."""
    rows = [json.loads(line) for line in (paths.SHARED_DATA / "digits" / "manifest.jsonl").read_text().splitlines()]
    for number in range(4):
        members = []
        for row in rows[number * 5 : number * 5 + 5]:
            name = Path(row["audio_path"]).stem
            members.append((f"{name}.flac", (paths.SHARED_DATA / "digits" / row["audio_path"]).read_bytes()))
            members.append((f"{name}.txt", row["answer"].encode()))
        write_tar(tmp_path / f"{number}.tar", members)
        open_storage(f"{bucket}/data").upload(f"part-{number}.tar", tmp_path / f"{number}.tar")
    (tmp_path / "listener.py").write_text(MODEL)
    return Spec(task="asr", task_args={"data": f"{bucket}/data/"}, model=f"{tmp_path}/listener.py:Listener")


def test_actors_and_processes_give_the_numbers_of_a_plain_run(
    spec: Spec, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_extra("ray")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plain = evaluate(spec, tmp_path / "plain")
    half = Settings(shards=4, shard="0/2", workers=2)
    assert evaluate_shards(spec, f"{bucket}/run", settings=half).metrics is None
    actors = Settings(shards=4, workers=2, backend="ray")
    result = evaluate_shards(spec, f"{bucket}/run", settings=actors)
    assert (result.complete, result.outcomes.failed) == (True, 0)
    assert result.numbers == plain.numbers
    completions = [json.loads(open_storage(f"{bucket}/run").read(f"done/0000{shard}")) for shard in range(4)]
    assert sum(completion["rows"] for completion in completions) == 20
