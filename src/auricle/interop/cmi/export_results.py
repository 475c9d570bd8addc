"""A run of CMI-RewardBench as upstream writes one: results.jsonl, two tables and metrics.json.

Columns, row order and the rule for ties (b is taken) are upstream's. A sample that failed is in
results.jsonl with its reason and in no number.
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
from auricle.interop.cmi.result_tables import Result, build_detail, build_summary
from auricle.metrics.preference import A, get_choice
from auricle.metrics.ratings import Dimension
from auricle.runs.run_directory import Run
from auricle.tasks.reward.cmi import CmiSamples
from auricle.tasks.reward.cmi_columns import DATASETS, PREFERENCE_COLUMNS

SCORE_COLUMNS: Mapping[str, str] = {"alignment": "predicted_text-music alignment", "musicality": "predicted_musicality"}
CHOICE_COLUMNS: Mapping[str, str] = {
    "preference": "predicted_preference",
    "musicality": "predicted_preference-musicality",
    "alignment": "predicted_preference-alignment",
}
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY


def export(run: Path, out: Path) -> list[Path]:
    """Write upstream's four files; where they are."""
    held = Run.load(run)
    bench = _load_benchmark(held)
    records = sorted(filter(_has_row, held.records()), key=_sort_key)
    rows = [build_result(record, bench.dimensions) for record in records]
    names = bench.evaluation
    first, second = build_summary(rows, names), build_detail(rows, names)
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "results.jsonl", *(out / name for name in names.files)]
    write_lines_atomically(paths[0], (orjson.dumps(each.row) + b"\n" for each in rows))
    write_atomically(paths[1], to_csv(first))
    write_atomically(paths[2], to_csv(second))
    document = {"config": names.document(), "summary": first, "detail": second}
    write_atomically(paths[3], orjson.dumps(_replace_nan(document), option=JSON_OPTIONS))
    return paths


def _load_benchmark(run: Run) -> CmiSamples:
    task = api.build_task(Spec.from_run(run))
    if not isinstance(task.samples, CmiSamples):
        raise SpecError(
            f"{run.path} is a run of {task.name}; only cmi-rewardbench and its four datasets can be exported as cmi."
        )
    return task.samples


def _has_row(record: Record) -> bool:
    """Has it come as far as to be asked about? What was rejected is in the run's report."""
    return "row" in record.sample.meta


def _sort_key(record: Record) -> tuple[int, int]:
    return DATASETS.index(str(record.sample.meta["subset"])), record.row


# --- results.jsonl ----------------------------------------------------------------------------


def build_result(record: Record, dimensions: Mapping[str, Dimension]) -> Result:
    """A row as it came, with what was predicted and whether that is to be believed."""
    meta = record.sample.meta
    raw = meta["row"]
    assert isinstance(raw, Mapping)
    paired = meta["subset"] in PREFERENCE_COLUMNS
    failed = record.error is not None
    found: dict[str, Any] = {**raw, "benchmark_dataset": meta["subset"]}
    found |= dict.fromkeys(SCORE_COLUMNS.values())
    if not failed:
        found |= _predicted_columns(record.outputs, dimensions, is_pair=paired)
    found["inference_valid_a"] = not failed
    if paired:
        found["inference_valid_b"] = not failed
    found["inference_error"] = f"{record.error.kind}: {record.error.message}" if record.error else ""
    target, length = record.sample.target, meta.get("duration_bin")
    assert isinstance(target, Mapping)
    return Result(found, str(meta["subset"]), target, str(length) if length else None)


def _predicted_columns(
    outputs: Sequence[Output], dimensions: Mapping[str, Dimension], *, is_pair: bool
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, column in SCORE_COLUMNS.items():
        values = _score_values(outputs, dimensions[name], is_pair=is_pair)
        found |= {f"{column}{side}": each for side, each in zip(("", "_b"), values, strict=False)}
    for name, column in CHOICE_COLUMNS.items() if is_pair else ():
        if label := _choice_label(outputs, dimensions[name]):
            found[column] = label
    return found


def _score_values(outputs: Sequence[Output], dimension: Dimension, *, is_pair: bool) -> list[float]:
    """The numbers for a sound, or for either of two, where a model tells any."""
    try:
        about = dimension.select_outputs(outputs)
        chose = is_pair and dimension.is_pairwise and isinstance(about[0], Generation)
        return [] if chose else [dimension.get_value(output) for output in about]
    except (Unsuited, Unreadable):
        return []


def _choice_label(outputs: Sequence[Output], dimension: Dimension) -> str | None:
    try:
        return "model_a" if get_choice(dimension, outputs) == A else "model_b"
    except (Unsuited, Unreadable):
        return None


# --- tables -------------------------------------------------------------------------------------


def to_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A CSV with the columns that occur, in the order they first do; without rows, a line end."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    lines = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    lines.writeheader()
    lines.writerows({name: _format_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _format_cell(value: Any) -> Any:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _replace_nan(value: Any) -> Any:
    """JSON has no NaN: what is undefined is null."""
    if isinstance(value, Mapping):
        return {name: _replace_nan(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [_replace_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
