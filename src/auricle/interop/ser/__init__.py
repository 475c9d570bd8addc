"""Models and datasets of suites for speech emotion recognition, as they are.

auricle run ravdess -T root=DIR -m ser:models/my_wrapper.py:MyWrapper -M device=cpu
auricle run ser:datasets/mine.py:MyDataset -T root=DIR -m ser:models.my_wrapper:MyWrapper
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def model_of(code: str) -> type[Any]:
    """The model that `ser:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.ser.model import ported

    return ported(code)


def task_of(code: str) -> Callable[..., Any]:
    """What makes the task of a dataset's class."""
    from auricle.interop.ser.data import DatasetTask

    return DatasetTask(code)
