"""Folders that look like environments."""

import json
from typing import Any

from auricle.models.environments import EnvironmentSpec, compute_digest

SECRET = "sesame"


def unfinished(folder: Any, name: str = "half") -> Any:
    (folder / name / "bin").mkdir(parents=True)
    return folder / name


def finished(folder: Any, name: Any, **block: Any) -> Any:
    """Create a folder that looks like a finished environment."""
    path = unfinished(folder, name)
    remaining = EnvironmentSpec(**block)
    about = {"environment": remaining.to_dict(), "digest": compute_digest(remaining, "3.11", []), "python": "3.11"}
    about |= {"installed": [], "created": "2026-01-01T00:00:00+00:00"}
    (path / "environment.json").write_text(json.dumps(about))
    return path
