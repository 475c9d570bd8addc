"""Tests of the Open ASR Leaderboard and ESB."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from auricle import Spec, evaluate
from auricle.benchmarks.commands import check_samples
from auricle.core.errors import DataError
from auricle.engine.catalogue import TASKS
from tests.support.miniatures import write_tone
from tests.support.miniatures_suite import get_hub

AUDIO = {"bytes": b"RIFF", "path": "17.wav"}


@pytest.mark.parametrize("transcript", ["", "  ", "ignore_time_segment_in_scoring"])
def test_rows_that_the_leaderboard_does_not_score_are_left_out(transcript: str) -> None:
    row = {"id": "1", "text": transcript, "audio": AUDIO}
    assert get_hub("open-asr").convert_row(row) is None


@pytest.mark.parametrize("name", ["open-asr", "esb"])
def test_a_clone_of_the_repository_can_be_evaluated(tmp_path: Path, name: str) -> None:
    audio = {"bytes": write_tone(tmp_path / "x.wav").read_bytes(), "path": "x.wav"}
    shard = tmp_path / "clone/librispeech/test.clean-00000-of-00001.parquet"
    shard.parent.mkdir(parents=True)
    rows = {"audio": [audio, audio], "id": ["1", "2"], "text": ["yes", ""]}
    pyarrow.parquet.write_table(pyarrow.table(rows), shard)
    options = {"root": str(tmp_path / "clone"), "set": "librispeech-clean"}
    task = TASKS.get(name)(**options)
    assert [(sample.id, sample.target) for sample in task.samples] == [("1", "yes")]
    assert check_samples(task).decoded_count == 1
    numbers = evaluate(Spec(task=name, task_args=options, model="echo"), tmp_path / "run").numbers
    assert numbers[0].scored == 1


def test_missing_files_of_a_clone_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No ami_cleaned/test-\*.parquet in"):
        TASKS.get("open-asr")(root=str(tmp_path)).samples.validate()
