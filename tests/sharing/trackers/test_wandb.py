import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.engine.trackers.base import FinalState, TrackedRun
from auricle.sharing.trackers.wandb import WandbTracker
from tests.support.extras import require_extra

require_extra("wandb")
pytestmark = pytest.mark.slow
RUN = TrackedRun(key="1f" * 16, name="demo-echo-1f1f1f1f", project="", parameters={"task": "demo"})
FILE_HEADER, BLOCK, HEADER = 7, 32768, struct.Struct("<IHB")
LAST_KINDS = (1, 4)
"""Kinds of chunks that complete a record: the whole of one, and the last part."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    import wandb

    for name in ("WANDB_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("WANDB_MODE", "offline")
    yield tmp_path
    wandb.teardown()


def read_records(path: Path) -> Iterator[Any]:
    """Read the records of a run that was logged offline: protocol buffers in the log format of LevelDB."""
    from wandb.proto import wandb_internal_pb2

    record_class: Any = vars(wandb_internal_pb2)["Record"]  # defined at run time
    data, position, content = path.read_bytes(), FILE_HEADER, b""
    while position + HEADER.size <= len(data):
        if (left := BLOCK - position % BLOCK) < HEADER.size:
            position += left
            continue
        _, length, kind = HEADER.unpack_from(data, position)
        position += HEADER.size
        content += data[position : position + length]
        position += length
        if kind in LAST_KINDS:
            record = record_class()
            record.ParseFromString(content)
            yield record
            content = b""


def test_progress_numbers_and_config_are_stored_under_the_key_of_the_run(folder: Path) -> None:
    import wandb

    tracker = WandbTracker()
    tracker.start(RUN)
    tracker.log({"inference/done": 2.0}, 2)
    tracker.finish(FinalState(numbers={"wer": 0.25, "wer/low": 0.125}, facts={"wer/signature": "s"}, step=4))
    wandb.teardown()  # the process that writes the file flushes it
    (path,) = folder.glob(f"wandb/offline-run-*/run-{RUN.key}.wandb")
    config: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    history: list[dict[str, Any]] = []
    for record in read_records(path):
        config |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
        config |= {item.key: json.loads(item.value_json) for item in record.config.update}
        summary |= {item.key: json.loads(item.value_json) for item in record.summary.update}
        if record.HasField("history"):
            history.append({item.nested_key[0]: json.loads(item.value_json) for item in record.history.item})
    assert (config["task"], config["wer/signature"]) == ("demo", "s")
    assert (summary["wer"], summary["wer/low"]) == (0.25, 0.125)
    assert [row["inference/done"] for row in history] == [2.0]
    assert not list(path.parent.rglob("requirements.txt"))
    assert str(path.parent) in tracker.location


def test_without_an_account_the_run_is_not_asked_for_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("NETRC", str(folder / "netrc"))
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    with pytest.raises(SpecError, match="Run `wandb login`, or set WANDB_MODE=offline"):
        WandbTracker().start(RUN)
