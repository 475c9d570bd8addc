"""A suite for speech emotion recognition, and recordings for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.engine.spec import Spec
from tests.frameworks.ser.emotion_classes import PEAKS, write_suite

SpecBuilder = Callable[..., Spec]


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Recordings of two emotions, distinguished by loudness; one of the four is misleading."""
    for name, peak in PEAKS.items():
        path = tmp_path / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, np.full(1600, peak, np.float32), 16_000, subtype="FLOAT")
    return tmp_path / "clips"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "ser_benchmark")


@pytest.fixture
def build_spec(suite: Path, clips: Path) -> SpecBuilder:
    """Build the spec of a model of the suite on its dataset of folders."""

    def build(
        model: str = "loudness_wrapper.py:Loudness", model_args: dict[str, Any] | None = None, **task_args: Any
    ) -> Spec:
        return Spec(
            task=f"ser:{suite}/datasets/folders.py:Folders",
            task_args={"root": str(clips), **task_args},
            model=f"ser:{suite}/models/{model}",
            model_args=model_args or {},
        )

    return build
