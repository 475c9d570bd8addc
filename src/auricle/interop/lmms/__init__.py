"""lmms-eval: classes of models, and task YAMLs, as they are.

-m lmms:my_model.py:MyModel -M pretrained=./weights     a subclass of lmms_eval.api.model.lmms
auricle run lmms:my_task.yaml -m MODEL                  a task, its functions called as they stand
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auricle.interop.lmms.model import LmmsModel
    from auricle.tasks.base import Task


def resolve_model_class(class_path: str) -> type[LmmsModel]:
    """The model that `lmms:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.lmms.model import create_model_class as found

    return found(class_path)


def resolve_task_factory(path: str) -> Callable[..., Task]:
    """What makes the task of a YAML file."""
    from auricle.interop.lmms.tasks import create_task_factory as found

    return found(path)
