"""Models, datasets and data of Kimi-Audio-Evalkit, as they are.

auricle run kimi:LibriSpeech -m kimi:my_model.py:MyModel -T config=config.yaml
auricle run kimi:asr -m kimi:my_package.models:MyModel -M checkpoint=./weights
auricle run kimi:my_datasets.py:MyDataset -m openai -M model=…
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_model_class(class_path: str) -> type[Any]:
    """The model that `kimi:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.kimi.model import create_model_class

    return create_model_class(class_path)


def resolve_task_factory(name: str) -> Callable[..., Any]:
    """What makes the task of a dataset, named as the evalkit names it or by `file.py:Class`."""
    from auricle.interop.kimi.tasks import create_task_factory

    return create_task_factory(name)
