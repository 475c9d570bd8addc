"""Named values from a YAML file, or what is wrong with it in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auricle.errors import SpecError


def read_yaml(path: Path) -> dict[str, Any]:
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise SpecError(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not UTF-8 text.") from error
    except yaml.YAMLError as error:
        raise SpecError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise SpecError(f"{path} should hold `name: value` lines.")
    return content
