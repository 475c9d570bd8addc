"""Model classes and task YAMLs of lmms-eval.

-m lmms:my_model.py:MyModel -M pretrained=./weights     a subclass of lmms_eval.api.model.lmms
-m lmms:my_model -M pretrained=./weights                the class with `@register_model("my_model")`
auricle run lmms:my_task.yaml -m MODEL                  a task, with the functions it names
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auricle.interop.lmms.model import LmmsModel
    from auricle.tasks.base import Task


def resolve_model_class(class_path: str) -> type[LmmsModel]:
    """Return the model for `lmms:` and this class path or name; the class is imported when the model is created."""
    from auricle.interop.lmms.model import LmmsModel
    from auricle.interop.lmms.registered_models import resolve_class_path
    from auricle.interop.user_classes import create_adapter_class

    return create_adapter_class("lmms", resolve_class_path(class_path), LmmsModel, "written for lmms-eval")


def resolve_task_factory(path: str) -> Callable[..., Task]:
    """Return the task factory of a YAML file."""
    from auricle.interop.lmms.tasks import create_task_factory

    return create_task_factory(path)
