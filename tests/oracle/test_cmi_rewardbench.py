"""Our export beside what CMI-RewardBench itself made of the same rows, cell by cell.

`golden/cmi/upstream` was written by upstream's inference_benchmark.py and evaluate_results.py at
commit 4620653 (pandas 3.1.1, scipy 1.17.1), with missing files allowed, for rows.jsonl alone
(`right`), with the rows of one fault each, and with all of them. `differences.csv` lists every
cell in which we differ; docs/reward.md tells why.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Spec, evaluate
from auricle.interop.result_export import export_run
from tests.support import paths

GOLDEN = paths.GOLDEN / "cmi"
DOCS = paths.DOCS / "reward.md"
TABLES = ("metrics_summary.csv", "metrics_detail.csv")
KEY = ("dataset", "task", "group_key", "group_value", "ref_category")
FAULTS = [json.loads(line) for line in (GOLDEN / "faults.jsonl").read_text().splitlines()]
ROWS = (GOLDEN / "rows.jsonl").read_text()
KINDS = list(dict.fromkeys(fault["fault"] for fault in FAULTS))


@pytest.fixture(scope="session")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every sound of the table that is there, as long as it says."""
    root = tmp_path_factory.mktemp("sounds")
    for name, (seconds, *_) in json.loads((GOLDEN / "sounds.json").read_text()).items():
        if seconds is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(root / name, np.zeros(round(8000 * seconds), np.float32), 8000)
    return root


@pytest.fixture
def exported(sounds: Any, tmp_path: Path) -> Any:
    """The files of a run over the rows and those of one fault."""

    def run(name: Any) -> Any:
        faulty = [fault["row"] for fault in FAULTS if name in (fault["fault"], "all")]
        data = tmp_path / "data.jsonl"
        data.write_text(ROWS + "".join(f"{json.dumps(row)}\n" for row in faulty))
        spec = Spec(
            task="cmi-rewardbench",
            task_args={"dataset_jsonl": str(data), "dataset_root": str(sounds), "eval_yaml": str(GOLDEN / "eval.yaml")},
            model=f"cmi:{GOLDEN / 'table_model.py'}:Table",
            model_args={"checkpoint": str(GOLDEN / "sounds.json"), "device": "cpu"},
        )
        evaluate(spec, tmp_path / "run", infer_only=True)
        export_run(tmp_path / "run", "cmi")
        return tmp_path / "run" / "cmi"

    return run


def lines(path: Any) -> Any:
    with path.open(newline="") as file:
        return {tuple(line.get(name, "") for name in KEY): line for line in csv.DictReader(file)}


def alike(ours: Any, theirs: Any) -> Any:
    try:
        return float(ours) == pytest.approx(float(theirs), abs=1e-12)
    except ValueError:
        return ours == theirs


def differing(ours: Any, name: Any) -> Any:
    """Cells that are not the same in both, with upstream's value first."""
    found = []
    for table in TABLES:
        here, there = lines(ours / table), lines(GOLDEN / "upstream" / name / table)
        assert list(here) == list(there)
        for key, line in there.items():
            assert list(here[key]) == list(line)
            for column, value in line.items():
                if not alike(here[key][column], value):
                    found.append((name, table, *key, column, value, here[key][column]))
    return found


def listed(name: Any) -> Any:
    with (GOLDEN / "differences.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    return [tuple(row) for row in rows[1:] if row[0] == name]


def test_every_cell_is_upstreams_where_upstream_is_right(exported: Any) -> None:
    assert differing(exported("right"), "right") == []


@pytest.mark.parametrize("fault", KINDS)
def test_cells_that_differ_are_those_listed(exported: Any, fault: Any) -> None:
    found = differing(exported(fault), fault)
    assert [each[:-2] for each in found] == [each[:-2] for each in listed(fault)]
    for ours, known in zip(found, listed(fault), strict=True):
        assert all(alike(*pair) for pair in zip(ours[-2:], known[-2:], strict=True))


def test_with_every_fault_no_other_line_differs(exported: Any) -> None:
    blamed = {each[1:-3] for fault in KINDS for each in listed(fault)}
    assert {each[1:-3] for each in differing(exported("all"), "all")} <= blamed


@pytest.mark.parametrize("fault", [kind for kind in KINDS if listed(kind)])
def test_every_fault_with_a_difference_is_explained(fault: Any) -> None:
    assert f"| `{fault}` |" in DOCS.read_text()


def test_rows_of_no_dataset_change_nothing(exported: Any) -> None:
    assert differing(exported("unknown-source"), "right") == []


def test_columns_of_results_are_upstreams(exported: Any) -> None:
    folder = exported("right")
    by_dataset = {}
    for line in (folder / "results.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["inference_valid_a"]:
            by_dataset.setdefault(row["benchmark_dataset"], row)
    rated = {
        "benchmark_dataset",
        "predicted_text-music alignment",
        "predicted_musicality",
        "inference_valid_a",
        "inference_error",
    }
    paired = rated | {
        "predicted_text-music alignment_b",
        "predicted_musicality_b",
        "predicted_preference",
        "predicted_preference-musicality",
        "predicted_preference-alignment",
        "inference_valid_b",
    }
    assert list(by_dataset) == ["PAM", "MusicEval", "MusicArena", "CMI-Pref"]
    known = {json.dumps(json.loads(line)) for line in ROWS.splitlines()}
    for name, row in by_dataset.items():
        added = rated if name in ("PAM", "MusicEval") else paired
        assert added <= row.keys()
        assert json.dumps({k: v for k, v in row.items() if k not in added}) in known


def test_the_document_is_strict_json_with_upstreams_sections(exported: Any) -> None:
    def refuse(word: Any) -> None:
        raise AssertionError(word)

    text = (exported("right") / "metrics.json").read_text()
    document = json.loads(text, parse_constant=refuse)
    assert list(document) == ["config", "summary", "detail"]
    assert document["config"]["groups"]["duration_bin"] == [0.05, 0.15, 0.3, 0.45]
    assert [line["task"] for line in document["summary"][:2]] == ["musicality", "alignment"]
