"""Model classes and task YAMLs of lmms-eval.

-m lmms:my_model.py:MyModel -M pretrained=./weights     a subclass of lmms_eval.api.model.lmms
-m lmms:my_model -M pretrained=./weights                the class with `@register_model("my_model")`
auricle run lmms:my_task.yaml -m MODEL                  a task, with the functions it names
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from auricle.core.features import Feature

if TYPE_CHECKING:
    from auricle.engine.task import Task
    from auricle.frameworks.lmms.model import LmmsModel


FEATURE = Feature(
    __name__,
    "model classes, task files and results of lmms-eval",
    more={
        "model_adapters": {
            "lmms": (
                ":resolve_model_class",
                "Return the model for `lmms:` and this class path or name; "
                "the class is imported when the model is created.",
            )
        },
        "task_adapters": {"lmms": (":resolve_task_factory", "Return the task factory of a YAML file.")},
        "config_importers": {"lmms-eval": ("config_import:draft_tasks", "task files of lmms-eval")},
        "importers": {"lmms-eval": ("results:FORMAT", "results of lmms-eval")},
        "exporters": {"lmms-eval": ("results:export", "results of lmms-eval")},
    },
)


def resolve_model_class(class_path: str) -> type[LmmsModel]:
    """Return the model for `lmms:` and this class path or name; the class is imported when the model is created."""
    from auricle.frameworks.lmms.model import LmmsModel
    from auricle.frameworks.lmms.registered_models import resolve_class_path
    from auricle.frameworks.user_classes import create_adapter_class

    return create_adapter_class("lmms", resolve_class_path(class_path), LmmsModel, "written for lmms-eval")


def resolve_task_factory(path: str) -> Callable[..., Task]:
    """Return the task factory of a YAML file."""
    from auricle.frameworks.lmms.tasks import create_task_factory

    return create_task_factory(path)
