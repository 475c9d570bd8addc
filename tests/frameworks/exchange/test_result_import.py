from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle import api
from auricle.cli import cli
from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.frameworks.exchange.result_files import IMPORTERS
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.run_directory import Run
from tests.support.extras import require_extra
from tests.support.framework_results import (
    HYPOTHESES,
    WRITERS,
    answer_texts,
    failures,
    import_single,
    metric_values,
    write_jsonl,
    write_kimi,
    write_open_asr,
    write_ultraeval,
)


@pytest.mark.parametrize("name", IMPORTERS)
def test_every_listed_framework_has_a_format_of_its_name(name: str) -> None:
    assert IMPORTERS.get(name).name == name


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["kimi", "open-asr", "lmms-eval", "ultraeval"])
def test_transcripts_of_every_framework_get_the_same_score(framework: str, tmp_path: Path) -> None:
    run, _ = import_single(WRITERS[framework](tmp_path / "results"), framework, tmp_path / "run")
    assert answer_texts(run) == HYPOTHESES
    assert metric_values(run)["wer"] <= 1
    numbers = api.score(run.path, "whisper-en")
    assert next(number.value for number in numbers if number.metric == "wer") == pytest.approx(1 / 10)


@pytest.mark.parametrize(
    ("framework", "model", "dataset"),
    [
        ("kimi", "Kimi-Audio", "LibriSpeech"),
        ("open-asr", "openai-whisper-tiny", "hf-audio-esb_ami_test"),
        ("lmms-eval", "Qwen/Qwen2-Audio-7B", "librispeech"),
        ("ultraeval", "gpt4o_audio", "librispeech-test-clean"),
        ("cmi", "CMI-RM", "cmi-rewardbench"),
    ],
)
def test_model_and_dataset_are_read_from_the_files(framework: str, model: str, dataset: str, tmp_path: Path) -> None:
    run, _ = import_single(WRITERS[framework](tmp_path / "results"), framework, tmp_path / "run")
    metrics = api.load_metrics(run.path)
    assert (metrics.model.name, metrics.task.name) == (model, dataset)


def test_two_imported_models_are_compared_without_their_audio(tmp_path: Path) -> None:
    for index, model in enumerate(("one", "two")):
        path = write_kimi(tmp_path / model, [HYPOTHESES[index]] * 3, model=model)
        import_single(path, "kimi", tmp_path / f"run-{model}")
    arguments = ["compare", str(tmp_path / "run-one"), str(tmp_path / "run-two")]
    assert "3 pairs answered in both" in CliRunner().invoke(cli, arguments).output


def test_a_folder_with_several_results_gives_several_runs(tmp_path: Path) -> None:
    for dataset in ("LibriSpeech", "Fleurs-en"):
        write_kimi(tmp_path / "results", dataset=dataset)
    derived_file = write_kimi(tmp_path / "results").with_stem("Kimi-Audio_LibriSpeech_wer_details")
    derived_file.write_text('{"index": 0, "prediction": ""}')
    folders = [folder for folder, _ in import_results(tmp_path / "results", "kimi", tmp_path / "r", ImportOptions())]
    assert sorted(folder.name for folder in folders) == ["Fleurs-en-Kimi-Audio", "LibriSpeech-Kimi-Audio"]


def test_the_latest_of_two_logs_of_a_dataset_is_imported(tmp_path: Path) -> None:
    first = write_ultraeval(tmp_path, failed=[0, 1])
    first.rename(first.with_stem("2026-01-01_00-00-00"))
    write_ultraeval(tmp_path).rename(first.with_stem("2026-01-02_00-00-00"))
    run, _ = import_single(tmp_path, "ultraeval", tmp_path / "run")
    assert not failures(run)
    assert "Earlier results" in api.load_metrics(run.path).notes[0]


def test_one_of_several_datasets_is_selected_by_name(tmp_path: Path) -> None:
    for dataset in ("LibriSpeech", "Fleurs-en"):
        write_kimi(tmp_path / "results", dataset=dataset)
    _, line = import_single(tmp_path / "results", "kimi", tmp_path / "run", only="Fleurs-en")
    assert "of Fleurs-en by Kimi-Audio" in line
    with pytest.raises(DataError, match=r"has no dataset 'fleurs'\. Available: Fleurs-en, LibriSpeech"):
        import_single(tmp_path / "results", "kimi", tmp_path / "run", only="fleurs")


def test_another_frameworks_results_are_recognised(tmp_path: Path) -> None:
    path = write_open_asr(tmp_path)
    with pytest.raises(DataError, match=r"result of the Open ASR Leaderboard, .* Try --from open-asr"):
        import_single(path, "kimi", tmp_path / "run", kind="asr")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1, "b": 2}\n', "Expected the columns index and prediction, got a, b"),
        (b'{"index": 0, "answer": "a", "prediction": "null"}\n', "contains no answers: all 1 samples"),
    ],
)
def test_files_without_answers_are_rejected(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        import_single(path, "kimi", tmp_path / "run", kind="asr")
    assert not (tmp_path / "run").exists()


def test_the_command_prints_numbers_and_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_open_asr(tmp_path / "results")
    result = CliRunner().invoke(cli, ["import", "results", "--from", "open-asr"])
    assert result.exit_code == 0, result.output
    assert "speed of one request 8×" in result.output
    folder = Path("runs") / "hf-audio-esb_ami_test-openai-whisper-tiny"
    assert (folder / "report.html").exists()
    assert CliRunner().invoke(cli, ["score", str(folder)]).exit_code == 0
    assert "three words" in CliRunner().invoke(cli, ["samples", str(folder)]).output


def test_the_frameworks_own_profile_is_suggested(tmp_path: Path) -> None:
    _, line = import_single(write_kimi(tmp_path / "en"), "kimi", tmp_path / "run")
    assert line.endswith(f"auricle score {tmp_path / 'run'} --profile kimi")


@pytest.mark.parametrize(
    ("framework", "write", "profile"),
    [
        ("kimi", partial(write_kimi, dataset="AISHELL-1"), ["--profile", "kimi"]),
        ("ultraeval", write_ultraeval, ["-T", "metrics=wer", "--profile", "ultraeval-zh"]),
    ],
)
def test_the_suggested_command_for_mandarin_uses_another_metric(
    framework: str, write: Callable[[Path], Path], profile: list[str], tmp_path: Path
) -> None:
    run, line = import_single(write(tmp_path / "zh"), framework, tmp_path / "run", options={"language": "zh"})
    assert list(metric_values(run)) == ["mer", "cer"]
    arguments = shlex.split(line.partition(" does: auricle ")[2])
    assert arguments == ["score", str(tmp_path / "run"), *profile]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert list(metric_values(run)) == ["wer"]


def test_the_app_reads_imported_runs_without_timing(tmp_path: Path) -> None:
    require_extra("ui")
    from auricle.app.run_data import read_samples

    run, _ = import_single(write_kimi(tmp_path / "results"), "kimi", tmp_path / "run")
    samples = read_samples(run.path)
    assert len(samples.frame) == 3
    assert samples.frame["seconds"].isna().all()


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


def test_imports_of_the_same_rows_are_of_the_same_data_whatever_their_files(tmp_path: Path) -> None:
    row = {"duration": 2.0, "time": 0.25, "pred_text": "one"}
    rows = [{**row, "audio_filepath": f"{text}.wav", "text": text} for text in ("one", "two", "three")]
    files = {"a": rows, "b": [{**row, "time": 1.0, "pred_text": "two"} for row in reversed(rows)], "c": rows[:2]}
    for name, content in files.items():
        import_single(write_open_asr(tmp_path, content, model=name), "open-asr", tmp_path / "runs" / name)
    notes = {name: api.compare(tmp_path / "runs/a", tmp_path / "runs" / name).notes for name in "bc"}
    assert not [note for note in notes["b"] if "data differs" in note]
    assert [note for note in notes["c"] if "data differs" in note]


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    run, _ = import_single(write_kimi(tmp_path / "results", ["", *HYPOTHESES[1:]]), "kimi", tmp_path / "run")
    assert api.load_metrics(run.path).outcomes == OutcomeCounts(total=3, answered=3, empty=1, finish_unknown=2)


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


def test_default_folders_of_different_files_are_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [write_kimi(tmp_path / "a"), write_kimi(tmp_path / "b", HYPOTHESES[::-1])]
    folders = [folder for path in (*files, *files) for folder, _ in import_results(path, "kimi", None, ImportOptions())]
    assert folders[0].with_name(f"{folders[0].name}-2") == folders[1]
    assert folders[2:] == folders[:2]


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
    with pytest.raises(DataError, match="no row can be used as kimi:AudioMQADataset: "):
        import_single(write_kimi(tmp_path / "results"), "kimi", tmp_path / "run", kind="mcq")
    assert not (tmp_path / "run").exists()


def test_imported_transcripts_without_a_language_are_scored_by_their_script(tmp_path: Path) -> None:
    spoken = [{"role": "user", "contents": [{"type": "audio", "value": "raw/0.wav"}]}]
    events: list[dict[str, Any]] = [
        {"type": "prompt", "id": 0, "data": {"content": spoken}},
        {"type": "post_process", "id": 0, "data": {"content": "今天天气好"}},
        {"type": "eval", "id": 0, "data": {"pred": "今天天气好", "ref": "今天天气很好", "wer%": 0.0}},
    ]
    path = write_jsonl(tmp_path / "model" / "mine" / "t.jsonl", events)
    run, _ = import_single(path, "ultraeval", tmp_path / "run", kind="asr")
    metrics = api.load_metrics(run.path)
    assert [(number.metric, number.value) for number in metrics.overall] == [("mer", 1 / 6), ("cer", 1 / 6)]
    assert any("by default they are scored as zh" in note for note in metrics.notes)
