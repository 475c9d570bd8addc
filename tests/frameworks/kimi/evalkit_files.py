"""Write the evalkit's config and data, and build tasks of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.api import evaluate
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.runs.metrics import Number

CLASSES = Path(__file__).with_name("kimi_classes.py")
VOCAL_QUESTION = (
    "Which sound is it?\nOptions:\n(A) Laughter\n(B) Sigh\n(C) Throat clearing\n"
    ".Answer with the option's letter from the given choices directly and only give the best."
)
DATASET_CLASS = """
from almeval.datasets.ds_mqa import AudioMQADataset

class Sounds(AudioMQADataset):
    DATASET_NAME = "my-sounds"
    DATASET_SERIES = "Mine"
    AUDIO_TYPE = "AudioEvent"
"""


def write_config(section: Mapping[str, Any], path: str = "config.yaml") -> Path:
    Path(path).write_text(json.dumps({"DATASETS": section}))
    return Path(path)


def write_rows(path: str, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows with the columns that every row of the evalkit has."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    defaults = [{"index": index, "audio_path": f"{index}.wav", "question": ""} for index in range(len(rows))]
    lines = [json.dumps({**default, **row}) for default, row in zip(defaults, rows, strict=True)]
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def build_kimi_task(name: str, **arguments: Any) -> Task:
    return build_task(Spec(task=f"kimi:{name}", model="echo", task_args=arguments).resolved())


def evaluate_kimi_task(
    name: str, model: str = "echo", model_args: Mapping[str, Any] | None = None
) -> dict[str, Number]:
    """Evaluate a model on a task into the folder `out` and return the numbers by metric."""
    spec = Spec(task=f"kimi:{name}", model=model, model_args=dict(model_args or {})).resolved()
    return {number.metric: number for number in evaluate(spec, "out").numbers}
