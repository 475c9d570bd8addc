"""Models and datasets written for speech emotion recognition suites.

auricle run ravdess -T root=DIR -m ser:models/my_wrapper.py:MyWrapper -M device=cpu
auricle run ser:datasets/mine.py:MyDataset -T root=DIR -m ser:models.my_wrapper:MyWrapper
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_model_class(class_path: str) -> type[Any]:
    """Return the model for `ser:` and this class path; the class is imported when the model is created."""
    from auricle.interop.ser.model import SerModel
    from auricle.interop.user_classes import create_adapter_class

    return create_adapter_class("ser", class_path, SerModel, "an emotion model")


def resolve_task_factory(class_path: str) -> Callable[..., Any]:
    """Return the task factory for a dataset class."""
    from auricle.interop.ser.data import DatasetTaskFactory

    return DatasetTaskFactory(class_path)
