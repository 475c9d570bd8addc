"""Models and datasets written for speech emotion recognition suites.

auricle run ravdess -T root=DIR -m ser:models/my_wrapper.py:MyWrapper -M device=cpu
auricle run ser:datasets/mine.py:MyDataset -T root=DIR -m ser:models.my_wrapper:MyWrapper
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "models and datasets of speech emotion recognition suites",
    more={
        "model_adapters": {
            "ser": (
                ":resolve_model_class",
                "Return the model for `ser:` and this class path; the class is imported when the model is created.",
            )
        },
        "task_adapters": {"ser": (":resolve_task_factory", "Return the task factory for a dataset class.")},
    },
)


def resolve_model_class(class_path: str) -> type[Any]:
    """Return the model for `ser:` and this class path; the class is imported when the model is created."""
    from auricle.frameworks.ser.model import SerModel
    from auricle.frameworks.user_classes import create_adapter_class

    return create_adapter_class("ser", class_path, SerModel, "an emotion model")


def resolve_task_factory(class_path: str) -> Callable[..., Any]:
    """Return the task factory for a dataset class."""
    from auricle.frameworks.ser.data import DatasetTaskFactory

    return DatasetTaskFactory(class_path)
