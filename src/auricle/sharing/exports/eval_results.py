"""`.eval_results/*.yaml` in the repository of a model on the Hugging Face Hub."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from auricle.core.errors import MissingExtra, SpecError
from auricle.frameworks.exchange.result_export import to_file_name
from auricle.sharing.exports.base import (
    FinishedRun,
    Published,
    PublishOptions,
    describe_number,
    hub_value,
    resolve_dataset_ids,
    resolve_model_id,
    spread,
)
from auricle.sharing.exports.yaml_output import write_yaml

FOLDER = ".eval_results"


def publish(runs: Sequence[FinishedRun], options: PublishOptions, out: Path) -> Published:
    """Write a file with one entry per run; its metric is the first, unless another one is chosen.

    Raises:
        SpecError: if the model, a dataset or a task id is unknown, or two runs are the same entry.
    """
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as error:
        raise MissingExtra("Publishing for the Hub", "huggingface") from error
    model_id = resolve_model_id(runs, options)
    dataset_ids = resolve_dataset_ids(runs, options)
    metrics = spread(options.metrics, len(runs), "--metric")
    entries = {}
    task_ids = [task_id for task_id in spread(options.task_ids, len(runs), "--task-id") if task_id]
    if not task_ids:
        raise SpecError(
            "The id of the task is missing: it is one of those in eval.yaml of the dataset. Add --task-id ID."
        )
    for run, dataset_id, task_id, metric in zip(runs, dataset_ids, task_ids, metrics, strict=True):
        number = run.select_numbers([metric] if metric else [])[0]
        name = f"{to_file_name(dataset_id)}--{to_file_name(task_id)}.yaml"
        if name in entries:
            raise SpecError(
                f"Two runs are the task {task_id} of {dataset_id}. Give one --task-id or --dataset-id per run, "
                "or publish only one of the runs."
            )
        entries[name] = EvalResultEntry(
            dataset_id=dataset_id,
            task_id=task_id,
            value=hub_value(number),
            dataset_revision=run.dataset_revision or None,
            date=run.created.isoformat(),
            source_url=options.source_url or None,
            notes=describe_number(number),
        )
    folder = out / FOLDER
    files = [write_yaml(folder / name, eval_result_entries_to_yaml([entry])) for name, entry in entries.items()]
    command = shlex.join(["hf", "upload", model_id, str(folder), FOLDER, "--create-pr"])
    return Published(files, f"Open a pull request with them: {command}")
