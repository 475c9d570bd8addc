"""Results of CMI-RewardBench: results.jsonl, rows with a reward model's predictions; two tables and metrics.json.

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
from auricle.core.errors import DataError, SpecError, Unreadable, Unsuited
from auricle.core.files import write_atomically
from auricle.core.types import Generation, Output, Prediction, Record
from auricle.engine.spec import Spec
from auricle.interop.cmi.result_tables import SCORE_COLUMNS, Result, build_detail, build_summary
from auricle.interop.result_export import write_jsonl
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    not_answered,
    read_sibling_json,
)
from auricle.metrics.preference import A, get_choice
from auricle.metrics.ratings import Dimension
from auricle.runs.run_directory import Run
from auricle.tasks.benchmarks.cmi import DATASETS, PREFERENCE_COLUMNS, CmiSamples, detect_dataset

CHOICE_COLUMNS: Mapping[str, str] = {
    "preference": "predicted_preference",
    "musicality": "predicted_preference-musicality",
    "alignment": "predicted_preference-alignment",
}
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
ADDED_PREFIXES = ("predicted_", "inference_", "benchmark_dataset")
"""Prefixes of the columns that the benchmark adds to its data."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the scores; rows whose audio was replaced by silence are failures."""
    metadata = read_sibling_json(path, "metadata.json")
    splits = sorted({str(values.get("split", "")) for _, values in lines})
    if len(splits) > 1:
        raise DataError(f"{path} contains several splits: {', '.join(splits)}. Import one split at a time.")
    model = str(metadata.get("model_class_path") or metadata.get("model_name") or metadata.get("model") or "")
    return ImportedResults(
        path=path,
        model=model,
        dataset="cmi-rewardbench",
        samples=[_to_sample(origin, values) for origin, values in lines],
        kind="cmi-rewardbench",
        task_options={"split": splits[0]} if splits[0] else {},
        extra_files=(path.with_name("metadata.json"),) if metadata else (),
    )


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    row = {name: value for name, value in values.items() if not name.startswith(ADDED_PREFIXES)}
    sides = ("", "_b") if detect_dataset(str(values.get("source") or "")) in PREFERENCE_COLUMNS else ("",)
    scores_by_side = [_read_scores(values, side) for side in sides]
    valid = all(values.get(f"inference_valid_{side}", True) for side in "ab")
    if valid and all(scores_by_side):
        outputs = tuple(Prediction(values=scores, scale="continuous") for scores in scores_by_side)
        return ImportedSample(manifest_row=row, origin=origin, outputs=outputs)
    reason = str(values.get("inference_error") or "") or "the row has no scores"
    return ImportedSample(manifest_row=row, origin=origin, error=not_answered(reason))


def _read_scores(values: Mapping[str, Any], side: str) -> dict[str, float]:
    """Return the scores of one recording without null and NaN."""
    scores = {name: values.get(f"{column}{side}") for name, column in SCORE_COLUMNS.items()}
    return {name: float(score) for name, score in scores.items() if isinstance(score, (int, float)) and score == score}


def export(run: Path, out: Path, _: Notify) -> list[Path]:
    """Write the four files of CMI-RewardBench and return their paths."""
    loaded_run = Run.load(run)
    benchmark = _load_benchmark(loaded_run)
    valid_records = (record for record in loaded_run.records() if "row" in record.sample.meta)
    records = sorted(valid_records, key=_sort_key)  # rejected rows are listed in the run's report
    results = [build_result(record, benchmark.dimensions) for record in records]
    evaluation = benchmark.evaluation
    summary, detail = build_summary(results, evaluation), build_detail(results, evaluation)
    paths = [write_jsonl(out / "results.jsonl", [result.row for result in results])]
    paths += [out / name for name in evaluation.files]
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


FORMAT = ResultFormat(
    "cmi",
    "CMI-RewardBench",
    ("source", "predicted_musicality"),
    "results.jsonl",
    "results.jsonl with predicted_musicality",
    read,
    export,
)
