"""lmms-eval: classes of models, and task YAMLs, as they are.

-m lmms:my_model.py:MyModel -M pretrained=./weights     a subclass of lmms_eval.api.model.lmms
auricle run lmms:my_task.yaml -m MODEL                  a task, its functions called as they stand
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auricle.interop.lmms.model import Lmms
    from auricle.tasks.base import Task


def model_of(code: str) -> type[Lmms]:
    """The model that `lmms:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.lmms.model import model_of as found

    return found(code)


def task_of(path: str) -> Callable[..., Task]:
    """What makes the task of a YAML file."""
    from auricle.interop.lmms.task import task_of as found

    return found(path)
