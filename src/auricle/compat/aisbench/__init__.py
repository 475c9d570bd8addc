"""Inferencers and dataset configs written for AISBench, as they are.

inferencer: aisbench:my_inferencer.py:MyCustomApiInferencer
auricle import --from aisbench config.py -o task.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def inferencer_of(name: str) -> Callable[..., Any]:
    """What makes an inferencer of ours from the AISBench class at `file.py:Class`."""
    from auricle.compat.aisbench.ported import maker
    from auricle.compat.aisbench.standins import registered
    from auricle.core.registry import attribute

    with registered():
        found = attribute(name)
    return maker(name, found)
