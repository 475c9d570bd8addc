import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.runs.metrics import OutcomeCounts
from auricle.runs.run_directory import Run
from tests.support.framework_results import (
    HYPOTHESES,
    import_single,
    metric_values,
    write_jsonl,
    write_kimi,
    write_open_asr,
)


def test_a_run_records_the_file_it_was_imported_from(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results")
    run, _ = import_single(path, "kimi", tmp_path / "run")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    files = [{"path": str(path.resolve()), "sha256": digest}]
    assert run.spec.imported == {"from": "kimi", "files": files}


def test_no_timing_is_invented(tmp_path: Path) -> None:
    run, _ = import_single(write_kimi(tmp_path / "results"), "kimi", tmp_path / "run")
    assert api.load_metrics(run.path).speed is None
    assert {json.loads(line)["seconds"] for line in run.outputs_path.read_text().splitlines()} == {None}


def test_no_speed_is_reported_if_one_time_is_missing(tmp_path: Path) -> None:
    row = {"audio_filepath": "a.wav", "duration": 2.0, "text": "a", "pred_text": "a"}
    rows = [{**row, "time": 1.0}, {**row, "audio_filepath": "b.wav", "time": None}]
    run, _ = import_single(write_open_asr(tmp_path / "results", rows), "open-asr", tmp_path / "run")
    assert api.load_metrics(run.path).speed is None


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    run, _ = import_single(write_kimi(tmp_path / "results", ["", *HYPOTHESES[1:]]), "kimi", tmp_path / "run")
    assert api.load_metrics(run.path).outcomes == OutcomeCounts(total=3, answered=3, empty=1)


def test_existing_audio_gives_the_content_keys_of_an_ordinary_run(tmp_path: Path, tone: Any) -> None:
    path = write_kimi(tmp_path / "results")
    (path.parent / "clips").mkdir()
    for index in range(3):
        tone("clip.wav", seconds=0.1 + index / 100).rename(path.parent / "clips" / f"{index}.wav")
    imported, _ = import_single(path, "kimi", tmp_path / "run")
    api.evaluate(Spec(task="asr", task_args={"data": str(path)}, model="echo"), tmp_path / "ordinary")
    ordinary = Run.load(tmp_path / "ordinary")
    keys, ordinary_keys = ({record.sample.id: record.key for record in run.records()} for run in (imported, ordinary))
    assert keys == ordinary_keys


def test_importing_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results")
    run, _ = import_single(path, "kimi", tmp_path / "run")
    journal = run.outputs_path.read_bytes()
    import_single(path, "kimi", tmp_path / "run")
    assert run.outputs_path.read_bytes() == journal


def test_a_different_file_needs_fresh_for_the_same_folder(tmp_path: Path) -> None:
    import_single(write_kimi(tmp_path / "results"), "kimi", tmp_path / "run")
    other = write_kimi(tmp_path / "results", HYPOTHESES[::-1])
    with pytest.raises(SpecError, match="different run"):
        import_single(other, "kimi", tmp_path / "run")
    import_single(other, "kimi", tmp_path / "run", fresh=True)
    assert (tmp_path / "run.1" / "spec.json").exists()


def test_the_kind_of_task_can_be_given(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results", dataset="mine")
    with pytest.raises(SpecError, match=r"does not identify the kind of task of mine. Pass --as asr\|mcq"):
        import_single(path, "kimi", tmp_path / "run")
    run, _ = import_single(path, "kimi", tmp_path / "run", kind="qa", options={"metrics": "contains"})
    assert metric_values(run)["contains"] == pytest.approx(1 / 3)


def test_the_model_can_be_given(tmp_path: Path) -> None:
    path = write_open_asr(tmp_path).rename(tmp_path / "copy.jsonl")
    with pytest.raises(SpecError, match=r"does not name the model\. Pass --model NAME"):
        import_single(path, "open-asr", tmp_path / "run")
    run, _ = import_single(path, "open-asr", tmp_path / "run", model="mine")
    assert api.load_metrics(run.path).model.name == "mine"


def test_samples_without_a_question_are_scored(tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "Paris", "filtered_resps": "It is Paris."}
    path = write_jsonl(tmp_path / "m" / "d_samples_t.jsonl", [row])
    run, _ = import_single(path, "lmms-eval", tmp_path / "run", kind="qa")
    assert metric_values(run)["contains"] == 1.0


def test_results_are_rejected_if_no_row_fits_the_kind_of_task(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row can be used as mcq: "):
        import_single(write_kimi(tmp_path / "results"), "kimi", tmp_path / "run", kind="mcq")
    assert not (tmp_path / "run").exists()
