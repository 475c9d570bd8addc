import json
from pathlib import Path

from auricle.interop.result_export import export_run


def test_failures_are_marked_as_lmms_eval_marks_them(asr_run: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    samples, results = export_run(asr_run, "lmms-eval", tmp_path / "out", notes.append)
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    assert rows[3]["filtered_resps"].startswith("[LMMS_EVAL_REQUEST_FAILED after ")
    assert rows[0]["wer"]["pred"] == "one two"
    assert "1 failed samples" in notes[0]
    counts = json.loads(results.read_bytes())["n-samples"]
    assert list(counts.values()) == [{"original": 4, "effective": 4}]
