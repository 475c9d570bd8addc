"""Models and datasets written for Kimi-Audio-Evalkit, and its data.

auricle run kimi:LibriSpeech -m kimi:Kimi-Audio                       in a checkout of the evalkit
auricle run kimi:LibriSpeech -m kimi:my_model.py:MyModel -T config=config.yaml
auricle run kimi:asr -m kimi:my_package.models:MyModel -M checkpoint=./weights
auricle run kimi:my_datasets.py:MyDataset -m openai -M model=…
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "models, datasets, data and results of Kimi-Audio-Evalkit",
    metrics={
        "judge_metrics": {
            "kimi-choice": "judge (Kimi): answer chooses the right option",
            "kimi-reference": "judge (Kimi): answer means the same as the reference",
            "kimi-sd-qa": "judge (Kimi, sd-qa): answer is right, in one word",
            "kimi-answer": "judge (Kimi, OpenAudioBench): answer expresses a reference",
            "kimi-open": "judge (Kimi): reply to a spoken request, 1 to 5",
            "kimi-alpaca": "judge (Kimi, alpaca_eval): quality from 1 to 10, times 10",
            "kimi-reasoning": "judge (Kimi, reasoning_qa): solution, 1 to 5, times 20",
            "vb-mcq": "letter read as by a checkout of the evalkit, else drawn",
        }
    },
    more={
        "model_adapters": {
            "kimi": (
                ":resolve_model_class",
                "Return the model for `kimi:` and this class path or name; "
                "the class is imported when the model is created.",
            )
        },
        "task_adapters": {
            "kimi": (
                ":resolve_task_factory",
                "Return the task factory of a dataset, given by its name in the evalkit or as `file.py:Class`.",
            )
        },
        "importers": {"kimi": ("results:FORMAT", "results of Kimi-Audio-Evalkit")},
        "exporters": {"kimi": ("results:export", "results of Kimi-Audio-Evalkit")},
    },
)


def resolve_model_class(class_path: str) -> type[Any]:
    """Return the model for `kimi:` and this class path or name; the class is imported when the model is created."""
    from auricle.frameworks.kimi.checkout import find_model_path, read_name
    from auricle.frameworks.kimi.model import KimiModel
    from auricle.frameworks.kimi.stubs import MODELS_PACKAGE
    from auricle.frameworks.user_classes import create_adapter_class

    if ":" not in class_path:
        class_path = find_model_path(class_path)
    adapter = create_adapter_class("kimi", class_path, KimiModel, "written for Kimi-Audio-Evalkit")
    adapter.declared_name = read_name(class_path, MODELS_PACKAGE)
    return adapter


def resolve_task_factory(name: str) -> Callable[..., Any]:
    """Return the task factory of a dataset, given by its name in the evalkit or as `file.py:Class`."""
    from auricle.frameworks.kimi.tasks import create_task_factory

    return create_task_factory(name)
