"""Models and datasets of suites for speech emotion recognition, as they are.

auricle run ravdess -T root=DIR -m ser:models/my_wrapper.py:MyWrapper -M device=cpu
auricle run ser:datasets/mine.py:MyDataset -T root=DIR -m ser:models.my_wrapper:MyWrapper
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_model_class(class_path: str) -> type[Any]:
    """The model that `ser:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.ser.model import create_model_class

    return create_model_class(class_path)


def resolve_task_factory(class_path: str) -> Callable[..., Any]:
    """What makes the task of a dataset's class."""
    from auricle.interop.ser.data import DatasetTaskFactory

    return DatasetTaskFactory(class_path)
