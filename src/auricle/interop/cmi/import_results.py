"""Import CMI-RewardBench's results.jsonl: rows of the benchmark with a reward model's predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Prediction
from auricle.interop.cmi.result_tables import SCORE_COLUMNS
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    not_answered,
    read_sibling_json,
)
from auricle.tasks.benchmarks.cmi_columns import PREFERENCE_COLUMNS, detect_dataset

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


FORMAT = ResultFormat(
    "cmi",
    "CMI-RewardBench",
    ("source", "predicted_musicality"),
    "results.jsonl",
    "results.jsonl with predicted_musicality",
    read,
)
