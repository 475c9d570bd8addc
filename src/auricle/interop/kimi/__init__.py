"""Models and datasets written for Kimi-Audio-Evalkit, and its data.

auricle run kimi:LibriSpeech -m kimi:my_model.py:MyModel -T config=config.yaml
auricle run kimi:asr -m kimi:my_package.models:MyModel -M checkpoint=./weights
auricle run kimi:my_datasets.py:MyDataset -m openai -M model=…
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_model_class(class_path: str) -> type[Any]:
    """Return the model for `kimi:` and this class path; the class is imported when the model is created."""
    from auricle.interop.kimi.model import KimiModel
    from auricle.interop.user_classes import create_adapter_class

    return create_adapter_class("kimi", class_path, KimiModel, "written for Kimi-Audio-Evalkit")


def resolve_task_factory(name: str) -> Callable[..., Any]:
    """Return the task factory of a dataset, given by its name in the evalkit or as `file.py:Class`."""
    from auricle.interop.kimi.tasks import create_task_factory

    return create_task_factory(name)
