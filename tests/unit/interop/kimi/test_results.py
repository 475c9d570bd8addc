import json
from pathlib import Path

from auricle.interop.result_export import export_run
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
    assert rows[3]["prediction"] == "null"
    assert json.loads(performance.read_bytes())["task"] == "ASR"


def test_an_imported_run_is_exported_under_its_original_names(tmp_path: Path) -> None:
    run, _ = import_single(write_kimi(tmp_path), "kimi", tmp_path / "run")
    path, _ = export_run(run.path, "kimi", tmp_path / "out")
    assert path == tmp_path / "out" / "Kimi-Audio" / "LibriSpeech" / "Kimi-Audio_LibriSpeech.jsonl"
