"""A custom encoder in a file."""

from pathlib import Path
from typing import Any

import pytest

ENCODER = """
import numpy as np

asked = []

def numbers(samples):
    assert all(sample.target is None for sample in samples)
    asked.append(len(samples))
    return np.array([[float(x) for x in sample.inputs["question"].split()] for sample in samples])

def flat(samples):
    return np.zeros(len(samples))
"""


@pytest.fixture
def encoder(tmp_path: Path) -> Any:
    file = tmp_path / "own_encoder.py"
    file.write_text(ENCODER)
    return f"{file}:numbers"
