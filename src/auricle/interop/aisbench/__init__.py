"""Inferencer classes and dataset configs written for AISBench.

inferencer: aisbench:my_inferencer.py:MyCustomApiInferencer
auricle import --from aisbench config.py -o task.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def resolve_inferencer_factory(name: str) -> Callable[..., Any]:
    """Return the factory of an inferencer for the AISBench class at `file.py:Class`."""
    from auricle.core.registry import import_object
    from auricle.interop.aisbench.inferencer import create_inferencer_factory
    from auricle.interop.aisbench.stubs import stubs_importable

    with stubs_importable():
        inferencer_class = import_object(name)
    return create_inferencer_factory(name, inferencer_class)
