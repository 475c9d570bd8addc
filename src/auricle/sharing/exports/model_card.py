"""`model-index` metadata of a model card on the Hugging Face Hub."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from auricle.core.errors import MissingExtra, SpecError
from auricle.sharing.exports.base import (
    FinishedRun,
    Published,
    PublishOptions,
    describe_number,
    hub_value,
    resolve_dataset_ids,
    resolve_model_id,
)
from auricle.sharing.exports.yaml_output import write_yaml

FILE = "model-index.yaml"
TASK_TYPES = {
    "asr": "automatic-speech-recognition",
    "classify": "audio-classification",
    "emotion": "audio-classification",
    "mcq": "audio-text-to-text",
    "open": "audio-text-to-text",
    "qa": "audio-text-to-text",
    "tag": "audio-classification",
    "translate": "translation",
    "tts": "text-to-speech",
}
"""Types of tasks on the Hub, by the kind of task."""


def publish(runs: Sequence[FinishedRun], options: PublishOptions, out: Path) -> Published:
    """Write one file with all metrics of the runs, or those that are chosen.

    Raises:
        SpecError: if the model, a dataset or the type of a task is unknown.
    """
    try:
        from huggingface_hub import EvalResult
        from huggingface_hub.repocard_data import eval_results_to_model_index
    except ImportError as error:
        raise MissingExtra("Publishing for the Hub", "huggingface") from error
    model_id = resolve_model_id(runs, options)
    results = [
        EvalResult(
            task_type=options.task_type or _task_type(run),
            dataset_type=dataset_id,
            dataset_name=run.metrics.task.name,
            dataset_revision=run.dataset_revision or None,
            metric_type=number.signature.metric.name,
            metric_name=number.title or number.metric,
            metric_value=hub_value(number),
            metric_args={"notes": describe_number(number)},
            source_name="Auricle" if options.source_url else None,
            source_url=options.source_url or None,
        )
        for run, dataset_id in zip(runs, resolve_dataset_ids(runs, options), strict=True)
        for number in run.select_numbers(options.metrics)
    ]
    name = model_id.rpartition("/")[2]
    path = write_yaml(out / FILE, {"model-index": eval_results_to_model_index(name, results)})
    code = (
        "import yaml, huggingface_hub as hub; "
        f"hub.metadata_update({_quote(model_id)}, yaml.safe_load(open({_quote(str(path))})), create_pr=True)"
    )
    return Published(
        [path],
        "Copy it into the metadata at the top of the model's README.md, or open a pull request that adds it: "
        + shlex.join(["python", "-c", code]),
    )


def _task_type(run: FinishedRun) -> str:
    if run.kind not in TASK_TYPES:
        raise SpecError(
            f"{run.path}: there is no usual type of task on the Hub for {run.kind}. "
            "Add --task-type TYPE, such as audio-classification."
        )
    return TASK_TYPES[run.kind]


def _quote(text: str) -> str:
    """Return a Python literal in double quotes, which a shell command in single quotes need not escape."""
    return json.dumps(text, ensure_ascii=False)
