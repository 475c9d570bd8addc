"""Exported results compared with CMI-RewardBench's own files for the same rows, cell by cell.

`golden/cmi/upstream` was written by upstream's inference_benchmark.py and evaluate_results.py at commit 4620653 (pandas
3.1.1, scipy 1.17.1), with missing files allowed: for rows.jsonl alone (`right`), with the rows of one fault each, and
with all faults. `differences.csv` lists every cell that differs; docs/reward.md explains the reasons.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import soundfile

from auricle import Spec, evaluate
from auricle.frameworks.exchange.result_export import export_run
from tests.support import paths

GOLDEN = paths.GOLDEN / "cmi"
PAGE = paths.DOCS / "reward.md"
TABLES = ("metrics_summary.csv", "metrics_detail.csv")
KEY = ("dataset", "task", "group_key", "group_value", "ref_category")
FAULTS = [json.loads(line) for line in (GOLDEN / "faults.jsonl").read_text().splitlines()]
ROWS = (GOLDEN / "rows.jsonl").read_text()
FAULT_NAMES = list(dict.fromkeys(fault["fault"] for fault in FAULTS))

Cell = tuple[str, ...]
"""Fault, table, key, column, upstream's value and our value."""


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write every recording of the table that exists, with the stated length."""
    root = tmp_path_factory.mktemp("recordings")
    for name, (seconds, *_) in json.loads((GOLDEN / "sounds.json").read_text()).items():
        if seconds is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(root / name, np.zeros(round(8000 * seconds), np.float32), 8000)
    return root


@pytest.fixture
def export(recordings: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Run the rows and those of one fault, and return the folder of the export."""

    def run(fault_name: str) -> Path:
        faulty_rows = [fault["row"] for fault in FAULTS if fault_name in (fault["fault"], "all")]
        data = tmp_path / "data.jsonl"
        data.write_text(ROWS + "".join(f"{json.dumps(row)}\n" for row in faulty_rows))
        spec = Spec(
            task="cmi-rewardbench",
            task_args={
                "dataset_jsonl": str(data),
                "dataset_root": str(recordings),
                "eval_yaml": str(GOLDEN / "eval.yaml"),
            },
            model=f"cmi:{GOLDEN / 'table_model.py'}:Table",
            model_args={"checkpoint": str(GOLDEN / "sounds.json"), "device": "cpu"},
        )
        evaluate(spec, tmp_path / "run", infer_only=True)
        export_run(tmp_path / "run", "cmi")
        return tmp_path / "run" / "cmi"

    return run


def read_table(path: Path) -> dict[Cell, dict[str, str]]:
    with path.open(newline="") as file:
        return {tuple(line.get(name, "") for name in KEY): line for line in csv.DictReader(file)}


def is_equal(a: str, b: str) -> bool:
    try:
        return bool(float(a) == pytest.approx(float(b), abs=1e-12))
    except ValueError:
        return a == b


def differing_cells(folder: Path, fault_name: str) -> list[Cell]:
    """Return the cells that differ from upstream."""
    cells: list[Cell] = []
    for table in TABLES:
        ours, upstream = read_table(folder / table), read_table(GOLDEN / "upstream" / fault_name / table)
        assert list(ours) == list(upstream)
        for key, line in upstream.items():
            assert list(ours[key]) == list(line)
            for column, value in line.items():
                if not is_equal(ours[key][column], value):
                    cells.append((fault_name, table, *key, column, value, ours[key][column]))
    return cells


def listed_cells(fault_name: str) -> list[Cell]:
    with (GOLDEN / "differences.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    return [tuple(row) for row in rows[1:] if row[0] == fault_name]


def test_every_cell_equals_upstream_without_faults(export: Callable[[str], Path]) -> None:
    assert differing_cells(export("right"), "right") == []


@pytest.mark.parametrize("fault_name", FAULT_NAMES)
def test_only_the_listed_cells_differ(export: Callable[[str], Path], fault_name: str) -> None:
    cells, expected = differing_cells(export(fault_name), fault_name), listed_cells(fault_name)
    assert [cell[:-2] for cell in cells] == [cell[:-2] for cell in expected]
    for cell, listed in zip(cells, expected, strict=True):
        assert all(is_equal(*values) for values in zip(cell[-2:], listed[-2:], strict=True))


def test_all_faults_together_change_no_other_lines(export: Callable[[str], Path]) -> None:
    listed = {cell[1:-3] for name in FAULT_NAMES for cell in listed_cells(name)}
    assert {cell[1:-3] for cell in differing_cells(export("all"), "all")} <= listed


@pytest.mark.parametrize("fault_name", [name for name in FAULT_NAMES if listed_cells(name)])
def test_every_fault_with_a_difference_is_documented(fault_name: str) -> None:
    assert f"| `{fault_name}` |" in PAGE.read_text()


def test_rows_of_an_unknown_dataset_change_nothing(export: Callable[[str], Path]) -> None:
    assert differing_cells(export("unknown-source"), "right") == []


def test_result_columns_equal_upstream(export: Callable[[str], Path]) -> None:
    folder = export("right")
    by_dataset: dict[str, dict[str, Any]] = {}
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
    original_rows = {json.dumps(json.loads(line)) for line in ROWS.splitlines()}
    for name, row in by_dataset.items():
        added_columns = rated if name in ("PAM", "MusicEval") else paired
        assert added_columns <= row.keys()
        assert json.dumps({k: v for k, v in row.items() if k not in added_columns}) in original_rows


def test_the_document_is_strict_json_with_the_sections_of_upstream(export: Callable[[str], Path]) -> None:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    text = (export("right") / "metrics.json").read_text()
    document = json.loads(text, parse_constant=refuse)
    assert list(document) == ["config", "summary", "detail"]
    assert document["config"]["groups"]["duration_bin"] == [0.05, 0.15, 0.3, 0.45]
    assert [line["task"] for line in document["summary"][:2]] == ["musicality", "alignment"]
