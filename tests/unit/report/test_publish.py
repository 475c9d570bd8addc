"""Writing everything that is derived from a run."""

import json
from pathlib import Path
from typing import Any

from auricle import Spec, evaluate, score

DERIVED = ("scores.jsonl", "metrics.json", "metrics_summary.csv", "metrics_detail.csv", "report.html")


def test_scoring_again_writes_the_same_files(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}, {"id": "2", "question": "y", "answer": "z"}])
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")
    before = json.loads((tmp_path / "run" / "metrics.json").read_text())
    for name in DERIVED:
        (tmp_path / "run" / name).unlink()
    score(tmp_path / "run")
    assert all((tmp_path / "run" / name).is_file() for name in DERIVED)
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["numbers"] == before["numbers"]
