from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from auricle import Spec, compare, evaluate
from auricle.benchmarks.cmi import Evaluation
from auricle.cli import cli
from auricle.core.errors import DataError, SpecError
from auricle.frameworks.cmi.results import Result, build_detail, build_summary, to_csv
from auricle.frameworks.exchange.result_export import export_run
from auricle.runs.run_directory import Run
from tests.support.framework_results import cmi_rows, failures, import_single, metric_values, write_cmi, write_jsonl


def test_silence_in_place_of_missing_audio_is_a_failure(tmp_path: Path) -> None:
    rows = cmi_rows()
    rows[0] |= {"inference_valid_a": False, "inference_error": "audio_not_found:p0.wav"}
    run, _ = import_single(write_cmi(tmp_path / "results", rows), "cmi", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "audio_not_found:p0.wav")]


def test_rewards_are_scored_like_runs_of_the_benchmark(tmp_path: Path) -> None:
    run, _ = import_single(write_cmi(tmp_path / "results"), "cmi", tmp_path / "run")
    values = metric_values(run)
    assert values["srcc.musicality.pam"] == pytest.approx(1.0)
    assert "srcc.musicality" not in values
    assert values["accuracy.preference"] == 1.0
    assert values["accuracy.alignment"] == 0.0


def write_recordings(folder: Path) -> None:
    """Write a different recording for each path of the rows."""
    paths = sorted({row[name] for row in cmi_rows() for name in ("audio-path", "audio2") if row[name]})
    for index, path in enumerate(paths):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / path, np.full(800, index / 64, np.float32), 8000)


def run_own(folder: Path, data: Path) -> Path:
    """Run a model on the rows in another order than that of the results, which are grouped by dataset."""
    rows = [{k: v for k, v in row.items() if not k.startswith(("predicted", "inference"))} for row in cmi_rows()]
    write_jsonl(data / "all_test.jsonl", rows[::-1])
    evaluate(Spec(task="cmi-rewardbench", task_args={"root": str(data)}, model="fake-reward"), folder)
    return folder


@pytest.mark.parametrize("has_audio", [True, False])
def test_imported_and_own_runs_are_paired_by_their_recordings(tmp_path: Path, has_audio: bool) -> None:
    """The recordings are in the folder that metadata.json names, or on the machine of the results only."""
    data, results = tmp_path / "data", write_cmi(tmp_path / "results")
    write_recordings(data)
    own = run_own(tmp_path / "own", data)
    root = data if has_audio else tmp_path / "elsewhere"
    (tmp_path / "results" / "metadata.json").write_text(json.dumps({"model": "cmi_rm", "dataset_root": str(root)}))
    theirs, _ = import_single(results, "cmi", tmp_path / "theirs")
    comparison = compare(theirs.path, own)
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.changed) == (5, 0, 0)
    flip = comparison.flips["rmse.musicality.pam"][0]
    assert (flip.id, flip.id_b) in {("pam-0", "pam-4"), ("pam-1", "pam-3")}


def test_the_folder_of_the_recordings_can_be_passed(tmp_path: Path) -> None:
    write_cmi(tmp_path / "results")
    write_recordings(tmp_path / "data")
    arguments = ["import", str(tmp_path / "results"), "--from", "cmi", "-o", str(tmp_path / "run")]
    result = CliRunner().invoke(cli, [*arguments, "-T", f"dataset_root={tmp_path / 'data'}"])
    assert result.exit_code == 0, result.output
    assert not [record.key for record in Run.load(tmp_path / "run").records() if record.key.startswith("names:")]


def test_a_file_with_two_splits_is_rejected(tmp_path: Path) -> None:
    rows = cmi_rows()
    rows[0] |= {"split": "train"}
    with pytest.raises(DataError, match="several splits: test, train"):
        import_single(write_cmi(tmp_path / "results", rows), "cmi", tmp_path / "run")


def test_a_run_is_exported_as_the_four_files_of_the_benchmark(reward_run: Path, tmp_path: Path) -> None:
    paths = export_run(reward_run, "cmi", tmp_path / "out")
    assert len(paths) == 4
    rows = [json.loads(line) for line in paths[0].read_text().splitlines()]
    assert [row["inference_valid_a"] for row in rows] == [True] * 5
    assert {"summary", "detail", "config"} <= json.loads(paths[3].read_bytes()).keys()


def test_other_runs_cannot_be_exported_as_cmi(asr_run: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Only cmi-rewardbench and its four datasets"):
        export_run(asr_run, "cmi", tmp_path / "out")


def test_csv_has_the_columns_of_all_rows_and_empty_cells_for_nan() -> None:
    assert to_csv([{"a": 1, "b": float("nan")}, {"c": None}]) == b"a,b,c\n1,,\n,,\n"


def result(preferred: str, month: str) -> Result:
    source = f"Music Arena ['{month}']"
    row = {"predicted_preference": "model_a", "source": source, "audio-path": f"audio_files/{month}/x-a.mp3"}
    return Result(row, "MusicArena", {"preference": preferred})


def test_the_summary_counts_correct_choices() -> None:
    results = [result("a", "01-2025JULAUG"), result("b", "01-2025JULAUG")]
    (row,) = build_summary(results, Evaluation())
    assert (row["dataset"], row["n"], row["ACC"]) == ("MusicArena", 2, 0.5)


def test_the_detail_by_confidence_names_dataset_task_and_reference() -> None:
    row = {"source": "cmi-arena-annotation", "predicted_preference-musicality": "model_a", "prompt": "x"}
    rows = [
        Result({**row, "confidence_preference-musicality": confidence}, "CMI-Pref", {"musicality": "a"})
        for confidence in (1, 3)
    ]
    details = [line for line in build_detail(rows, Evaluation()) if line["group_key"] == "confidence"]
    assert {(line["dataset"], line["task"]) for line in details} == {("CMI-Pref", "musicality")}
    assert [(line["group_value"], line["ref_category"], line["n"], line["ACC"]) for line in details] == [
        *(("<3", "no_ref", 1, 1.0), ("=3", "no_ref", 1, 1.0), ("<3", "all", 1, 1.0), ("=3", "all", 1, 1.0))
    ]


def test_the_detail_can_leave_out_months() -> None:
    results = [result("a", "01-2025JULAUG")]
    groups = {row["group_key"] for row in build_detail(results, Evaluation(musicarena_by_month=False))}
    assert "month" not in groups
