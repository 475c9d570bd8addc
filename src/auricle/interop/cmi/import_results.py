"""CMI-RewardBench's results.jsonl: its rows, with what a reward model predicted of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Prediction
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    not_answered,
    read_sibling_json,
)
from auricle.tasks.reward.cmi_columns import PREFERENCE_COLUMNS, detect_dataset

SCORE_COLUMNS: Mapping[str, str] = {"alignment": "predicted_text-music alignment", "musicality": "predicted_musicality"}
ADDED_PREFIXES = ("predicted_", "inference_", "benchmark_dataset")
"""How the columns begin that are not the data's own."""


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Scores as they are; a row whose sound was replaced by silence is a failure."""
    told = read_sibling_json(path, "metadata.json")
    splits = sorted({str(values.get("split", "")) for _, values in lines})
    if len(splits) > 1:
        raise DataError(f"{path} mixes the splits {', '.join(splits)}; import one at a time.")
    model = str(told.get("model_class_path") or told.get("model_name") or told.get("model") or "")
    return ImportedResults(
        path=path,
        model=model,
        dataset="cmi-rewardbench",
        samples=[_to_sample(origin, values) for origin, values in lines],
        kind="cmi-rewardbench",
        task_options={"split": splits[0]} if splits[0] else {},
        extra_files=(path.with_name("metadata.json"),) if told else (),
    )


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    row = {name: each for name, each in values.items() if not name.startswith(ADDED_PREFIXES)}
    sides = ("", "_b") if detect_dataset(str(values.get("source") or "")) in PREFERENCE_COLUMNS else ("",)
    found = [_read_scores(values, side) for side in sides]
    valid = all(values.get(f"inference_valid_{side}", True) for side in "ab")
    if valid and all(found):
        outputs = tuple(Prediction(values=each, scale="continuous") for each in found)
        return ImportedSample(manifest_row=row, origin=origin, outputs=outputs)
    why = str(values.get("inference_error") or "") or "it has no scores"
    return ImportedSample(manifest_row=row, origin=origin, error=not_answered(why))


def _read_scores(values: Mapping[str, Any], side: str) -> dict[str, float]:
    """The numbers that are told of one sound; null and NaN are none."""
    told = {name: values.get(f"{column}{side}") for name, column in SCORE_COLUMNS.items()}
    return {name: float(each) for name, each in told.items() if isinstance(each, (int, float)) and each == each}


FORMAT = ResultFormat(
    "cmi",
    "CMI-RewardBench",
    ("source", "predicted_musicality"),
    "results.jsonl",
    "results.jsonl with predicted_musicality",
    read,
)
