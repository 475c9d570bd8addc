"""Few-shot examples in a run."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DATA = [{"id": f"t{n}", "question": f"asked {n}", "answer": str(n)} for n in range(3)]


POOL = [{"id": f"p{n}", "question": f"shown {n}", "answer": f"right {n}"} for n in range(4)]


TASK = """
task: qa
data: mine.jsonl
shots:
  use: {use}
  k: 2
  pool: pool.jsonl
"""


def written(manifest: Any, use: str = "random") -> Any:
    data = manifest(DATA)
    manifest(POOL, "pool.jsonl")
    (data.parent / "task.yaml").write_text(TASK.format(use=use))
    return data.parent


def journal(folder: Any) -> Any:
    lines = (folder / "run" / "outputs.jsonl").read_text().splitlines()
    return {line["id"]: line for line in map(json.loads, lines)}


def test_run_shows_examples_and_stores_their_ids(auricle: Any, manifest: Any) -> None:
    folder = written(manifest)
    done = auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    result = journal(folder)
    assert len(result) == 3
    for line in result.values():
        shown = [f"shown {name[1:]}" for name in line["meta"]["shots"]]
        requests = line["inputs"]["question"]
        assert line["outputs"][0]["text"].splitlines() == [*shown, requests]


def test_changed_pool_is_a_different_run(auricle: Any, manifest: Any) -> None:
    written(manifest)
    auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    manifest(POOL[:3], "pool.jsonl")
    again = auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    assert again.returncode == 2
    assert "inferencer" in again.stderr


def test_unknown_retriever_error_names_the_line(auricle: Any, manifest: Any) -> None:
    written(manifest, use="bm52")
    done = auricle("run", "task.yaml", "-m", "echo", "-o", "run")
    assert done.returncode == 2
    assert "task.yaml:5: Unknown retriever 'bm52'. Did you mean bm25?" in done.stderr
