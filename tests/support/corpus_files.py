"""Corpora as they lie on people's disks, with a tenth of a second of tone in every file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile


@pytest.fixture
def corpus(tmp_path: Path) -> Any:
    """Write a corpus: sounds by path, and texts by path."""
    root = tmp_path / "corpus"
    wave = (0.3 * np.sin(np.arange(1600) / 6)).astype(np.float32)

    def write(sounds: Any = (), texts: Any = None) -> Any:
        root.mkdir(exist_ok=True)
        for path in sounds:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(root / path, wave, 16_000)
        for path, text in (texts or {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            data = text if isinstance(text, bytes) else text.encode()
            (root / path).write_bytes(data)
        return root

    return write
