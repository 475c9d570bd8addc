"""`auricle runs`: the list of runs and its filter."""

import json
from pathlib import Path

from auricle import Spec, evaluate
from tests.support.cli_types import RunAuricle


def make_runs(folder: Path) -> None:
    data = folder / "data.jsonl"
    data.write_text(
        "".join(json.dumps({"id": str(row), "question": "1", "answer": str(row)}) + "\n" for row in range(4))
    )
    for name in ("first", "group/second"):
        evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), folder / "runs" / name)


def test_runs_are_listed_filtered_and_printed_as_json(auricle: RunAuricle, tmp_path: Path) -> None:
    make_runs(tmp_path)
    runs = str(tmp_path / "runs")
    lines = auricle("runs", runs).stdout.splitlines()
    assert lines[0].startswith("status")
    assert sum("✓ done" in line for line in lines) == 2
    assert "group/second" not in auricle("runs", runs, "--filter", "name:first").stdout
    documents = json.loads(auricle("runs", runs, "--filter", "exact_match>=25 n=4", "--json").stdout)
    assert {document["name"] for document in documents} == {"first", "group/second"}
    assert json.loads(auricle("runs", runs, "--filter", "status:failed", "--json").stdout) == []
    assert auricle("runs", runs, "--filter", "status:failed").stderr == "No run matches.\n"


def test_wrong_filter_is_an_error(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    done = auricle("runs", str(tmp_path / "runs"), "--filter", "wer>much")
    assert (done.returncode, "Not a number in the filter" in done.stderr) == (2, True)
    assert auricle("runs", str(tmp_path / "runs")).stderr == f"No runs in {tmp_path / 'runs'}.\n"
