import json
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.core.errors import SpecError
from auricle.engine.spec import Spec
from auricle.frameworks.exchange.result_export import export_run
from auricle.runs.run_directory import Run
from tests.support.framework_results import (
    answer_texts,
    export_and_import,
    import_single,
    metric_values,
    write_open_asr,
)
from tests.support.journal_lines import encode_line


def test_times_in_the_manifest_give_the_speed(tmp_path: Path) -> None:
    run, _ = import_single(write_open_asr(tmp_path / "results"), "open-asr", tmp_path / "run")
    metrics = api.load_metrics(run.path)
    assert metrics.speed
    assert metrics.speed.rtfx == 8.0
    assert "Times come from the manifest" in metrics.notes[0]


def test_chunks_of_a_long_recording_are_merged(tmp_path: Path) -> None:
    chunk = {"duration": 30.0, "time": 1.0, "text": "one two three", "parent_id": "talk"}
    rows = [
        {**chunk, "audio_filepath": "2", "pred_text": " three ", "chunk_index": 1},
        {**chunk, "audio_filepath": "1", "pred_text": "one two", "chunk_index": 0},
    ]
    run, _ = import_single(write_open_asr(tmp_path / "results", rows), "open-asr", tmp_path / "run")
    assert answer_texts(run) == ["one two three"]
    assert metric_values(run)["wer"] == 0


def test_failed_samples_are_left_out_with_a_note(asr_run: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    (path,) = export_run(asr_run, "open-asr", tmp_path / "out", notes.append)
    assert notes[0] == "1 failed samples are left out: the format has no failures."
    assert len(path.read_text().splitlines()) == 3


def test_time_of_the_model_is_exported(asr_run: Path, tmp_path: Path) -> None:
    (path,) = export_run(asr_run, "open-asr", tmp_path / "out")
    times = {record.sample.id: record.seconds for record in Run.load(asr_run).records() if record.outputs}
    assert {row["id"]: row["time"] for row in map(json.loads, path.read_text().splitlines())} == times


def test_time_of_a_run_that_did_not_record_the_waiting_is_not_exported(asr_run: Path, tmp_path: Path) -> None:
    journal = Run.load(asr_run).outputs_path
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    journal.write_bytes(
        b"".join(encode_line({name: line[name] for name in line.keys() - {"wait_seconds"}}) for line in lines)
    )
    (path,) = export_run(asr_run, "open-asr", tmp_path / "out")
    assert {json.loads(line)["time"] for line in path.read_text().splitlines()} == {None}


def test_imported_times_are_exported(tmp_path: Path) -> None:
    run, _ = import_single(write_open_asr(tmp_path), "open-asr", tmp_path / "run")
    imported = export_and_import(run.path, "open-asr", tmp_path)
    assert api.load_metrics(imported.path).speed == api.load_metrics(run.path).speed


def test_only_transcripts_can_be_exported(manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"id": "1", "question": "2 + 2?", "answer": "4"}])
    api.evaluate(Spec(task="qa", task_args={"data": str(path)}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match=r"is a run of qa\. The format open-asr stores transcripts only"):
        export_run(tmp_path / "run", "open-asr", tmp_path / "out")
