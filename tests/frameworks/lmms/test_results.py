import json
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.frameworks.exchange.result_export import export_run
from tests.support.framework_results import HYPOTHESES, failures, import_single, write_lmms_eval


def test_a_failed_request_is_a_failure(tmp_path: Path) -> None:
    answer = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 429 too many requests"
    path = write_lmms_eval(tmp_path / "results", [answer, *HYPOTHESES[1:]])
    run, _ = import_single(path, "lmms-eval", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "429 too many requests")]


def test_likelihoods_cannot_be_imported(tmp_path: Path) -> None:
    path = write_lmms_eval(tmp_path, [["-1.0", "False"], *HYPOTHESES[1:]])
    with pytest.raises(DataError, match=r":1 has 2 answers\. Only one text per sample"):
        import_single(path, "lmms-eval", tmp_path / "run")


def test_failures_are_marked_as_lmms_eval_marks_them(asr_run: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    samples, results = export_run(asr_run, "lmms-eval", tmp_path / "out", notes.append)
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    assert rows[3]["filtered_resps"].startswith("[LMMS_EVAL_REQUEST_FAILED after ")
    assert rows[0]["wer"]["pred"] == "one two"
    assert "1 failed samples" in notes[0]
    counts = json.loads(results.read_bytes())["n-samples"]
    assert list(counts.values()) == [{"original": 4, "effective": 4}]
