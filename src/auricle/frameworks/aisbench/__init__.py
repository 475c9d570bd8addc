"""Model classes, inferencer classes and configs written for AISBench.

-m aisbench:my_custom_api.py:MyCustomAPI -M host_port=8000
inferencer: aisbench:my_inferencer.py:MyCustomApiInferencer
auricle import --from aisbench config.py -o task.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from auricle.core.features import Feature

if TYPE_CHECKING:
    from auricle.models.base import Model


FEATURE = Feature(
    __name__,
    "model classes, inferencer classes, metrics and configs written for AISBench",
    more={
        "model_adapters": {
            "aisbench": (
                ":resolve_model_class",
                "Return the model for `aisbench:` and this path of a subclass of AISBench's BaseAPIModel or BaseModel.",
            )
        },
        "inferencer_adapters": {
            "aisbench": (
                ":resolve_inferencer_factory",
                "Return the factory of an inferencer for the AISBench class at `file.py:Class`.",
            )
        },
        "metric_adapters": {
            "aisbench": (
                "evaluators:resolve_metric",
                "Return the metric of an AISBench evaluator with its post-processors.",
            )
        },
        "config_importers": {"aisbench": ("config_import:draft_tasks", "configs of AISBench")},
    },
)


def resolve_model_class(class_path: str) -> type[Model]:
    """Return the model for `aisbench:` and this path of a subclass of AISBench's BaseAPIModel or BaseModel."""
    from auricle.core.registry import import_object
    from auricle.frameworks.aisbench.model import create_model_class
    from auricle.frameworks.aisbench.stubs import stubs_importable
    from auricle.frameworks.user_classes import display_name, split_class_path

    split_class_path("aisbench", class_path)
    with stubs_importable():
        user_class = import_object(class_path)
    return create_model_class(display_name("aisbench", class_path), class_path, user_class)


def resolve_inferencer_factory(name: str) -> Callable[..., Any]:
    """Return the factory of an inferencer for the AISBench class at `file.py:Class`."""
    from auricle.core.registry import import_object
    from auricle.frameworks.aisbench.inferencer import create_inferencer_factory
    from auricle.frameworks.aisbench.stubs import stubs_importable

    with stubs_importable():
        inferencer_class = import_object(name)
    return create_inferencer_factory(name, inferencer_class)
