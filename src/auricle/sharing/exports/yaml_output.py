"""Write YAML documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from auricle.core.files import write_atomically


def write_yaml(path: Path, document: Any) -> Path:
    """Write a YAML document, creating the folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000)
    write_atomically(path, text.encode())
    return path
