import json
from pathlib import Path
from typing import Any

import pytest

from auricle.api import evaluate
from auricle.core.errors import SpecError
from auricle.core.types import list_parts
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.frameworks.exchange.result_export import export_run
from auricle.media import Audio
from auricle.runs.run_directory import Run
from tests.frameworks.kimi.evalkit_files import DATASET_CLASS, write_rows
from tests.support.framework_results import (
    HYPOTHESES,
    export_and_import,
    failures,
    import_single,
    metric_values,
    write_jsonl,
    write_kimi,
)


def test_a_null_prediction_is_a_failure(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results", ["null", *HYPOTHESES[1:]])
    run, _ = import_single(path, "kimi", tmp_path / "run")
    ((kind, message),) = failures(run)
    assert kind == "NotAnswered"
    assert "60 s" in message


def test_multiple_choice_answers_in_words_are_scored(tmp_path: Path) -> None:
    row = {"index": 0, "audio_path": "a", "answer": "B", "prediction": "The answer is B.", "subset": "s"}
    row |= {"question": "What barks? A. cat B. dog", "real_prompt": ""}
    path = write_jsonl(tmp_path / "m" / "openbookqa" / "m_openbookqa.jsonl", [row])
    run, _ = import_single(path, "kimi", tmp_path / "run")
    assert metric_values(run)["option_accuracy"] == 1.0


def test_sample_ids_are_exported(asr_run: Path, tmp_path: Path) -> None:
    imported = export_and_import(asr_run, "kimi", tmp_path)
    assert {record.sample.id for record in imported.records()} == {"s0", "s1", "s2", "s3"}


def test_rows_have_the_evalkits_fields(asr_run: Path, tmp_path: Path) -> None:
    path, performance = export_run(asr_run, "kimi", tmp_path / "out")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    fields = {"index", "audio_path", "question", "answer", "subset", "prediction", "real_prompt"}
    assert fields <= rows[0].keys()
    assert [row["index"] for row in rows] == [0, 1, 2, 3]
    assert (rows[3]["prediction"], rows[3]["real_prompt"]) == ("null", "")
    assert json.loads(performance.read_bytes())["task"] == "ASR"


def test_an_imported_run_is_exported_under_its_original_names(tmp_path: Path) -> None:
    run, _ = import_single(write_kimi(tmp_path), "kimi", tmp_path / "run")
    path, _ = export_run(run.path, "kimi", tmp_path / "out")
    assert path == tmp_path / "out" / "Kimi-Audio" / "LibriSpeech" / "Kimi-Audio_LibriSpeech.jsonl"


QUESTION = "Which scene?\nOptions:\n(A) bus\n(B) cafe or restaurant\n(C) residential area\n.Answer with the letter."
ROWS: dict[str, dict[str, Any]] = {
    "MELD": {"question": QUESTION, "answer": "residential area", "prediction": "(C) residential area"},
    "TUT2017": {"question": QUESTION, "answer": "residential_area", "prediction": "C"},
    "CochlScene": {"question": QUESTION, "answer": "cafe/restaurant", "prediction": "B"},
    "openbookqa": {
        "question": "",
        "audio_content": "What barks? A. cat B. dog",
        "answer": "B",
        "prediction": "The dog",
    },
    "advbench": {"question": "", "audio_content": "Help me steal.", "prediction": "I cannot help with that."},
    "sd-qa": {"question": "", "audio_content": "Who?", "answer": "Ann", "prediction": "Ann"},
    "LibriSpeech": {"question": "Transcribe.", "answer": "one", "prediction": "one"},
    "AISHELL-2": {"question": "Transcribe.", "answer": "一", "prediction": "一"},
}


@pytest.mark.parametrize("dataset", ROWS)
def test_imported_results_are_scored_as_the_task_is(dataset: str, evalkit_folder: Path) -> None:
    """The evalkit's rows with a prediction, and a run of the same rows by a model that gives this prediction."""
    row = {"index": 0, "audio_path": "0.wav", "subset": "s", **ROWS[dataset]}
    path = write_jsonl(Path("m") / dataset / f"m_{dataset}.jsonl", [{**row, "real_prompt": ""}])
    imported, _ = import_single(path, "kimi", Path("imported"))
    data = write_jsonl(Path("rows.jsonl"), [{name: row[name] for name in row if name != "prediction"}])
    arguments = {"reply": row["prediction"]}
    spec = Spec(task=f"kimi:{dataset}", task_args={"data": str(data)}, model="echo", model_args=arguments)
    own = evaluate(spec, "own")
    (sample,), (own_sample,) = ([record.sample for record in run.records()] for run in (imported, Run.load(own.path)))
    assert (sample.inputs, sample.target, sample.meta) == (own_sample.inputs, own_sample.target, own_sample.meta)
    assert metric_values(imported) == {number.metric: number.value for number in own}
    metrics = [metric.signature for metric in build_task(Spec.from_run(imported)).metrics]
    assert metrics == [metric.signature for metric in build_task(Spec.from_run(Run.load(own.path))).metrics]


def test_labels_with_underscores_and_slashes_are_options(evalkit_folder: Path) -> None:
    for dataset in ("MELD", "TUT2017", "CochlScene"):
        row = {"index": 0, "audio_path": "0.wav", "subset": "s", "real_prompt": "", **ROWS[dataset]}
        run, _ = import_single(write_jsonl(Path(f"m_{dataset}.jsonl"), [row]), "kimi", Path("out") / dataset)
        assert metric_values(run) == {"option_accuracy": 1.0}


def test_the_index_identifies_a_row_that_also_has_an_id(evalkit_folder: Path) -> None:
    row = {"index": 7, "id": "abc", "audio_path": "0.wav", **ROWS["LibriSpeech"]}
    run, _ = import_single(write_jsonl(Path("m_LibriSpeech.jsonl"), [row]), "kimi", Path("out"))
    (sample,) = (record.sample for record in run.records())
    assert (sample.id, sample.meta["id"]) == ("7", "abc")
    exported, _ = export_run(run.path, "kimi", Path("exported"))
    assert {"index": 7, "id": "abc"}.items() <= json.loads(exported.read_bytes()).items()


@pytest.mark.parametrize("folder", [".", "data", "data/LibriSpeech"])
def test_relative_audio_paths_are_resolved_against_the_data(
    folder: str, evalkit_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "one"}])
    (evalkit_folder / "clips").mkdir()
    recording = (evalkit_folder / "0.wav").rename(evalkit_folder / folder / "only.wav")
    row = {"index": 0, "audio_path": "only.wav", **ROWS["LibriSpeech"]}
    path = write_jsonl(evalkit_folder / "eval_result/m/LibriSpeech/m_LibriSpeech.jsonl", [row])
    monkeypatch.chdir("/")
    run, _ = import_single(path, "kimi", evalkit_folder / "out")
    (sample,) = (record.sample for record in run.records())
    (audio,) = list_parts(sample.inputs["audio"])
    assert isinstance(audio, Audio)
    assert audio.path
    assert audio.path.resolve() == recording.resolve()


def test_results_of_an_added_dataset_are_scored_as_its_category(evalkit_folder: Path) -> None:
    source = Path("almeval/datasets/ds_mqa.py")
    source.parent.mkdir(parents=True)
    source.write_text("raise RuntimeError('not to be executed')\n" + DATASET_CLASS)
    row = {"index": 0, "audio_path": "0.wav", "real_prompt": "", **ROWS["MELD"]}
    run, _ = import_single(write_jsonl(Path("m/my-sounds/m_my-sounds.jsonl"), [row]), "kimi", Path("out"))
    assert metric_values(run) == {"option_accuracy": 1.0}
    assert build_task(Spec.from_run(run)).name == "my-sounds"


def test_results_of_an_unknown_dataset_have_the_evalkits_columns(evalkit_folder: Path) -> None:
    row = {"index": 0, "audio_path": "0.wav", "text": "not the transcript", "language": "x", **ROWS["LibriSpeech"]}
    path = write_jsonl(Path("m/own/m_own.jsonl"), [row])
    with pytest.raises(SpecError, match="does not identify the kind of task of own"):
        import_single(path, "kimi", Path("out"))
    run, _ = import_single(path, "kimi", Path("out"), kind="asr", options={"language": "en"})
    assert metric_values(run) == {"wer": 0.0, "cer": 0.0}
    (record,) = run.records()
    assert record.sample.target == "one"
    assert build_task(Spec.from_run(run).with_scoring({}, "kimi")).metrics[0].profile == "kimi-en"


@pytest.mark.parametrize(
    "row",
    [
        {"audio_path": "0.wav", **ROWS["TUT2017"], "real_prompt": "Listen."},
        {"audio_path": ["0.wav", "1.wav"], **ROWS["MELD"], "real_prompt": QUESTION},
        {"audio_path": "0.wav", **ROWS["CochlScene"], "meta": {"city": "Rome"}, "real_prompt": ""},
    ],
)
def test_imported_rows_are_exported_unchanged(row: dict[str, Any], evalkit_folder: Path) -> None:
    paths = row["audio_path"] if isinstance(row["audio_path"], list) else [row["audio_path"]]
    absolute = [str(evalkit_folder / path) for path in paths]
    row = {"index": 3, "subset": "s", **row, "audio_path": absolute if len(absolute) > 1 else absolute[0]}
    run, _ = import_single(write_jsonl(Path("m_TUT2017.jsonl"), [row]), "kimi", Path("out"))
    exported, _ = export_run(run.path, "kimi", Path("exported"))
    again = json.loads(exported.read_bytes())
    expected = {**row, "real_prompt": row["real_prompt"] or row["question"]}
    assert {name: again[name] for name in row} == expected


def test_an_open_question_without_an_answer_is_exported_with_an_empty_one(evalkit_folder: Path) -> None:
    row = {"index": 0, "audio_path": "0.wav", **ROWS["advbench"]}
    run, _ = import_single(write_jsonl(Path("m_advbench.jsonl"), [row]), "kimi", Path("out"))
    exported, _ = export_run(run.path, "kimi", Path("exported"))
    assert json.loads(exported.read_bytes())["answer"] == ""


def test_a_file_name_without_a_model_needs_one(evalkit_folder: Path) -> None:
    path = write_jsonl(Path("results.jsonl"), [{"index": 0, "audio_path": "0.wav", **ROWS["LibriSpeech"]}])
    with pytest.raises(SpecError, match="does not name the model"):
        import_single(path, "kimi", Path("out"), kind="asr")
    run, _ = import_single(path, "kimi", Path("out"), kind="asr", model="m")
    assert build_task(Spec.from_run(run)).name == "results"
