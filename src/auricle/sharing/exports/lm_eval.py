"""Result files of lm-evaluation-harness: `results_DATE.json` and `samples_TASK_DATE.jsonl` in a folder per model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.result_export import to_file_name, write_json, write_jsonl
from auricle.runs.metrics import Number
from auricle.sharing.exports.base import FinishedRun, Published, PublishOptions, spread
from auricle.sharing.exports.scored_samples import ScoredSample, is_higher_better, load_scored_samples, to_text

FILTER = "none"
"""Their name of answers that no filter changed; it is part of the keys of metrics."""
NO_STANDARD_ERROR = "N/A"


def publish(runs: Sequence[FinishedRun], options: PublishOptions, out: Path) -> Published:
    """Write the results and samples of each run.

    Raises:
        SpecError: if two runs of a model would have the same file, because they began in the same second.
    """
    files: list[Path] = []
    for run, dataset_id in zip(runs, spread(options.dataset_ids, len(runs), "--dataset-id"), strict=True):
        model = options.model_id or run.model_id or run.metrics.model.name
        folder = out / _to_folder_name(model)
        date = run.created.strftime("%Y-%m-%dT%H-%M-%S.%f")
        path = folder / f"results_{date}.json"
        if path in files:
            raise SpecError(f"{path} would contain two runs. Publish {run.path} to another folder with -o.")
        numbers = run.select_numbers(options.metrics)
        folder.mkdir(parents=True, exist_ok=True)
        files.append(write_json(path, _build_results(run, numbers, model, dataset_id or run.dataset_id)))
        if options.samples:
            rows = [_build_row(sample) for sample in load_scored_samples(run, numbers)]
            files.append(write_jsonl(folder / f"samples_{to_file_name(run.metrics.task.name)}_{date}.jsonl", rows))
    return Published(files, "Read them like those of lm-evaluation-harness, for example with lm_eval.utils.make_table.")


def _build_results(run: FinishedRun, numbers: Sequence[Number], model: str, dataset_id: str) -> dict[str, Any]:
    metrics = run.metrics
    task = metrics.task.name
    values: dict[str, Any] = {"name": task, "alias": task, "sample_len": metrics.outcomes.total}
    for number in numbers:
        values[f"{number.metric},{FILTER}"] = number.value
        values[f"{number.metric}_stderr,{FILTER}"] = NO_STANDARD_ERROR
    speed = metrics.speed
    return {
        "results": {task: values},
        "group_subtasks": {task: []},
        "configs": {
            task: {
                "task": task,
                "dataset_path": dataset_id,
                "metric_list": [
                    {"metric": number.metric, "higher_is_better": is_higher_better(number)} for number in numbers
                ],
                "metadata": {
                    "version": metrics.task.version,
                    "auricle": {number.metric: _describe(number) for number in numbers},
                },
            }
        },
        "versions": {task: metrics.task.version},
        "n-shot": {},
        "higher_is_better": {task: {number.metric: is_higher_better(number) for number in numbers}},
        "n-samples": {task: {"original": metrics.outcomes.total, "effective": metrics.outcomes.answered}},
        "config": {"model": run.spec.model, "model_args": dict(metrics.model.arguments)},
        "git_hash": None,
        "date": run.created.timestamp(),
        "task_hashes": {},
        "model_source": "auricle",
        "model_name": model,
        "model_name_sanitized": _to_folder_name(model),
        "total_evaluation_time_seconds": str(speed.wall_seconds) if speed else None,
    }


def _to_folder_name(model: str) -> str:
    return re.sub(r"[\"<>:/|\\?*\[\]]+", "__", model)


def _describe(number: Number) -> dict[str, Any]:
    """Return what the format has no fields for."""
    return {
        "low": number.low,
        "high": number.high,
        "interval": number.interval,
        "confidence": 0.95,
        "scored": number.scored,
        "failed": number.failed,
        "unit": number.unit,
        "signature": str(number.signature),
    }


def _build_row(sample: ScoredSample) -> dict[str, Any]:
    record, prompt = sample.record, sample.input_text
    target = sample.references[0] if len(sample.references) == 1 else sample.references
    doc = {"id": record.sample.id, "text": prompt, "audio": sample.file_names, "meta": dict(record.sample.meta)}
    return {
        "doc_id": record.row,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}},
        "resps": [sample.texts],
        "filtered_resps": sample.texts,
        "filter": FILTER,
        "metrics": list(sample.values),
        "doc_hash": _digest(doc),
        "prompt_hash": _digest(prompt),
        "target_hash": _digest(target),
        **sample.values,
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(to_text(value).encode()).hexdigest()
