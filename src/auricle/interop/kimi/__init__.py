"""Models, datasets and data of Kimi-Audio-Evalkit, as they are.

auricle run kimi:LibriSpeech -m kimi:my_model.py:MyModel -T config=config.yaml
auricle run kimi:asr -m kimi:my_package.models:MyModel -M checkpoint=./weights
auricle run kimi:my_datasets.py:MyDataset -m openai -M model=…
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def model_of(code: str) -> type[Any]:
    """The model that `kimi:` and this code name; the code itself runs when the model is made."""
    from auricle.interop.kimi.model import ported

    return ported(code)


def task_of(name: str) -> Callable[..., Any]:
    """What makes the task of a dataset, named as the evalkit names it or by `file.py:Class`."""
    from auricle.interop.kimi.tasks import maker

    return maker(name)
