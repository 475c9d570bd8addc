"""Import Kimi-Audio-Evalkit's `{model}_{dataset}.jsonl`: rows of a dataset with a prediction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.interop.kimi.datasets import DATASETS, TASKS_BY_KIND, Dataset
from auricle.interop.result_files import (
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
    deduplicate_ids,
    not_answered,
    read_sibling_json,
    text_output,
)

KINDS_BY_TASK: Mapping[str, str] = {task: kind for kind, task in TASKS_BY_KIND.items()}
DATASETS_BY_NAME: Mapping[str, Dataset] = {dataset.name: dataset for dataset in DATASETS}
NULL_PREDICTION = "null"
SKIPPED_REASON = (
    "the prediction is null: Kimi-Audio-Evalkit skipped the sample (audio over 60 s or under 0.1 s), "
    "or its process died"
)
KNOWN_COLUMNS = ("id", "index", "audio_path", "question", "answer", "prediction", "real_prompt", "choices")


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the rows; a prediction of `null` is a failure."""
    model, dataset_name = _model_and_dataset(path)
    performance = _read_performance(path)
    dataset = DATASETS_BY_NAME.get(dataset_name)
    task = str(performance.get("task") or (dataset.task if dataset else ""))
    samples, notes = deduplicate_ids([_to_sample(origin, values) for origin, values in lines])
    return ImportedResults(
        path=path,
        model=model,
        dataset=dataset_name,
        samples=samples,
        kind=KINDS_BY_TASK.get(task, ""),
        task_options={"language": dataset.lang} if dataset and dataset.lang else {},
        notes=notes,
    )


def _model_and_dataset(path: Path) -> tuple[str, str]:
    """Return model and dataset, from the two parent folders or from the file name."""
    dataset, model = path.parent.name, path.parent.parent.name
    if path.stem == f"{model}_{dataset}":
        return model, dataset
    model, _, dataset = path.stem.partition("_")
    known_dataset = next((name for name in DATASETS_BY_NAME if path.stem.endswith(f"_{name}")), "")
    if known_dataset:
        return path.stem.removesuffix(f"_{known_dataset}"), known_dataset
    return (model, dataset) if dataset else ("", path.stem)


def _read_performance(path: Path) -> dict[str, Any]:
    """Read the scorer's file beside the results, if there is one."""
    for performance_file in sorted(path.parent.glob(f"{path.stem}_*_performance.json")):
        if performance := read_sibling_json(path, performance_file.name):
            return performance
    return {}


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    prediction = values["prediction"]
    missing = prediction is None or prediction == NULL_PREDICTION
    nested = values.get("meta")
    other_columns = {name: value for name, value in values.items() if name not in (*KNOWN_COLUMNS, "meta")}
    meta = {**other_columns, **(nested if isinstance(nested, dict) else {})}
    row = {
        "id": values.get("id", values["index"]),
        "audio": values.get("audio_path"),
        "question": values.get("question"),
        "choices": values.get("choices"),
        "target": values.get("answer"),
        "meta": meta,
    }
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if missing else text_output(str(prediction), prompt=_sent_prompt(values)),
        error=not_answered(SKIPPED_REASON) if missing else None,
    )


def _sent_prompt(values: Mapping[str, Any]) -> str:
    """Return the prompt that was sent, if it differs from the question."""
    prompt = str(values.get("real_prompt") or "")
    return "" if prompt == values.get("question") else prompt


FORMAT = ResultFormat(
    "kimi",
    "Kimi-Audio-Evalkit",
    ("index", "prediction"),
    "*.jsonl",
    "{model}_{dataset}.jsonl with index and prediction",
    read,
    "kimi",
    r"_(wer_details|judge)\.jsonl$",
)
