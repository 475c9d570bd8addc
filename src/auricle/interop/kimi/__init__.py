"""Models and datasets written for Kimi-Audio-Evalkit, and its data.

auricle run kimi:LibriSpeech -m kimi:Kimi-Audio                       in a checkout of the evalkit
auricle run kimi:LibriSpeech -m kimi:my_model.py:MyModel -T config=config.yaml
auricle run kimi:asr -m kimi:my_package.models:MyModel -M checkpoint=./weights
auricle run kimi:my_datasets.py:MyDataset -m openai -M model=…
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_model_class(class_path: str) -> type[Any]:
    """Return the model for `kimi:` and this class path or name; the class is imported when the model is created."""
    from auricle.interop.kimi.checkout import find_model_path, read_name
    from auricle.interop.kimi.model import KimiModel
    from auricle.interop.kimi.stubs import MODELS_PACKAGE
    from auricle.interop.user_classes import create_adapter_class

    if ":" not in class_path:
        class_path = find_model_path(class_path)
    adapter = create_adapter_class("kimi", class_path, KimiModel, "written for Kimi-Audio-Evalkit")
    adapter.declared_name = read_name(class_path, MODELS_PACKAGE)
    return adapter


def resolve_task_factory(name: str) -> Callable[..., Any]:
    """Return the task factory of a dataset, given by its name in the evalkit or as `file.py:Class`."""
    from auricle.interop.kimi.tasks import create_task_factory

    return create_task_factory(name)
