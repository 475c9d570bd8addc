import json
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.interop.cmi.export_results import to_csv
from auricle.interop.result_export import export_run


def test_a_run_is_exported_as_the_four_files_of_the_benchmark(reward_run: Path, tmp_path: Path) -> None:
    paths = export_run(reward_run, "cmi", tmp_path / "out")
    assert len(paths) == 4
    rows = [json.loads(line) for line in paths[0].read_text().splitlines()]
    assert [row["inference_valid_a"] for row in rows] == [True] * 5
    assert {"summary", "detail", "config"} <= json.loads(paths[3].read_bytes()).keys()


def test_other_runs_cannot_be_exported_as_cmi(asr_run: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Only cmi-rewardbench and its four datasets"):
        export_run(asr_run, "cmi", tmp_path / "out")


def test_csv_has_the_columns_of_all_rows_and_empty_cells_for_nan() -> None:
    assert to_csv([{"a": 1, "b": float("nan")}, {"c": None}]) == b"a,b,c\n1,,\n,,\n"
