"""Export a run in CMI-RewardBench's format: results.jsonl, two tables and metrics.json.

Columns, row order and the rule for ties (b wins) are CMI-RewardBench's. A failed sample is listed in
results.jsonl with its error and excluded from all numbers.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from auricle import api
from auricle.core.errors import SpecError, Unreadable, Unsuited
from auricle.core.files import write_atomically, write_lines_atomically
from auricle.core.types import Generation, Output, Record
from auricle.engine.spec import Spec
from auricle.interop.cmi.result_tables import SCORE_COLUMNS, Result, build_detail, build_summary
from auricle.interop.text_run import Notify
from auricle.metrics.preference import A, get_choice
from auricle.metrics.ratings import Dimension
from auricle.runs.run_directory import Run
from auricle.tasks.benchmarks.cmi import CmiSamples
from auricle.tasks.benchmarks.cmi_columns import DATASETS, PREFERENCE_COLUMNS

CHOICE_COLUMNS: Mapping[str, str] = {
    "preference": "predicted_preference",
    "musicality": "predicted_preference-musicality",
    "alignment": "predicted_preference-alignment",
}
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY


def export(run: Path, out: Path, _: Notify) -> list[Path]:
    """Write the four files of CMI-RewardBench and return their paths."""
    loaded_run = Run.load(run)
    benchmark = _load_benchmark(loaded_run)
    records = sorted(filter(_has_row, loaded_run.records()), key=_sort_key)
    results = [build_result(record, benchmark.dimensions) for record in records]
    evaluation = benchmark.evaluation
    summary, detail = build_summary(results, evaluation), build_detail(results, evaluation)
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "results.jsonl", *(out / name for name in evaluation.files)]
    write_lines_atomically(paths[0], (orjson.dumps(result.row) + b"\n" for result in results))
    write_atomically(paths[1], to_csv(summary))
    write_atomically(paths[2], to_csv(detail))
    document = {"config": evaluation.document(), "summary": summary, "detail": detail}
    write_atomically(paths[3], orjson.dumps(_replace_nan(document), option=JSON_OPTIONS))
    return paths


def _load_benchmark(run: Run) -> CmiSamples:
    task = api.build_task(Spec.from_run(run))
    if not isinstance(task.samples, CmiSamples):
        raise SpecError(
            f"{run.path} is a run of {task.name}. Only cmi-rewardbench and its four datasets can be exported as cmi."
        )
    return task.samples


def _has_row(record: Record) -> bool:
    """Return whether a record belongs to a valid row; rejected rows are listed in the run's report."""
    return "row" in record.sample.meta


def _sort_key(record: Record) -> tuple[int, int]:
    return DATASETS.index(str(record.sample.meta["subset"])), record.row


# --- results.jsonl ----------------------------------------------------------------------------


def build_result(record: Record, dimensions: Mapping[str, Dimension]) -> Result:
    """Build a row of results.jsonl: the original columns, the predictions and whether they are valid."""
    meta = record.sample.meta
    raw = meta["row"]
    assert isinstance(raw, Mapping)
    is_pair = meta["subset"] in PREFERENCE_COLUMNS
    failed = record.error is not None
    row: dict[str, Any] = {**raw, "benchmark_dataset": meta["subset"]}
    row |= dict.fromkeys(SCORE_COLUMNS.values())
    if not failed:
        row |= _predicted_columns(record.outputs, dimensions, is_pair=is_pair)
    row["inference_valid_a"] = not failed
    if is_pair:
        row["inference_valid_b"] = not failed
    row["inference_error"] = f"{record.error.kind}: {record.error.message}" if record.error else ""
    target, duration_bin = record.sample.target, meta.get("duration_bin")
    assert isinstance(target, Mapping)
    return Result(row, str(meta["subset"]), target, str(duration_bin) if duration_bin else None)


def _predicted_columns(
    outputs: Sequence[Output], dimensions: Mapping[str, Dimension], *, is_pair: bool
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, column in SCORE_COLUMNS.items():
        values = _score_values(outputs, dimensions[name], is_pair=is_pair)
        columns |= {f"{column}{side}": value for side, value in zip(("", "_b"), values, strict=False)}
    for name, column in CHOICE_COLUMNS.items() if is_pair else ():
        if label := _choice_label(outputs, dimensions[name]):
            columns[column] = label
    return columns


def _score_values(outputs: Sequence[Output], dimension: Dimension, *, is_pair: bool) -> list[float]:
    """Return the scores of one recording, or of both recordings of a pair; empty if the model gave none."""
    try:
        selected = dimension.select_outputs(outputs)
        is_choice = is_pair and dimension.is_pairwise and isinstance(selected[0], Generation)
        return [] if is_choice else [dimension.get_value(output) for output in selected]
    except (Unsuited, Unreadable):
        return []


def _choice_label(outputs: Sequence[Output], dimension: Dimension) -> str | None:
    try:
        return "model_a" if get_choice(dimension, outputs) == A else "model_b"
    except (Unsuited, Unreadable):
        return None


# --- tables -------------------------------------------------------------------------------------


def to_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Render rows as CSV with the columns in order of first occurrence; without rows, a single newline."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({name: _format_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _format_cell(value: Any) -> Any:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _replace_nan(value: Any) -> Any:
    """Replace NaN with None, because JSON has no NaN."""
    if isinstance(value, Mapping):
        return {name: _replace_nan(item) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [_replace_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
