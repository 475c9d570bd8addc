"""Models that live under another Python, with packages of their own.

`-M python=/path/to/venv/bin/python` names it, or `-M environment=NAME` one that Auricle keeps.
Auricle need not be installed there: its own source is put first on the other's path. What it
imports must be: `orjson`, and the model's own.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import orjson

import auricle
from auricle.core.errors import SpecError
from auricle.models import AsyncModel, BatchModel, Model

DESCRIBE_TIMEOUT = 120.0


def describe_model_class(model: str, python: str, variables: Mapping[str, str] | None = None) -> type[Model]:
    """What a model elsewhere can do, told by its own Python without loading it."""
    about = _query_worker(model, python, worker_environment(variables))
    base: type[Model] = AsyncModel if about["asynchronous"] else BatchModel
    members: dict[str, Any] = dict.fromkeys(about["can"], _refuse_call)
    return type(model, (base,), {**members, **about["batches"], "__init__": _accept_any_arguments})


def worker_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """A model's own variables, and what makes this Auricle importable under another Python."""
    path = os.pathsep.join(each for each in (_import_folder(), os.environ.get("PYTHONPATH", "")) if each)
    return {**(variables or {}), "PYTHONPATH": path}


def _query_worker(model: str, python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    command = [python, "-m", "auricle.engine.workers.worker", "--describe", model]
    try:
        told = subprocess.run(  # noqa: S603 - the user names the Python
            command, capture_output=True, timeout=DESCRIBE_TIMEOUT, env={**os.environ, **variables}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SpecError(f"python={python} cannot be run: {error}.") from error
    if told.returncode:
        last = told.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise SpecError(
            f"python={python} cannot tell what {model} is: {last or 'it said nothing'}. "
            f"It needs orjson and what the model imports: {python} -m pip install orjson …"
        )
    about: dict[str, Any] = orjson.loads(told.stdout)
    if "error" in about:
        raise SpecError(f"{about['error']} That is under {python}.")
    return about


@cache
def _import_folder() -> str:
    """Make a folder with this package, its entry points and nothing else."""
    folder = Path(tempfile.mkdtemp(prefix="auricle-import-"))
    (folder / "auricle").symlink_to(Path(auricle.__file__).parent)
    installed = distribution("auricle")
    metadata = folder / f"auricle-{installed.version}.dist-info"
    metadata.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (metadata / name).write_text(installed.read_text(name) or "", encoding="utf-8")
    return str(folder)


def _accept_any_arguments(self: Any, **arguments: Any) -> None: ...


def _refuse_call(self: Any, *_: Any) -> Any:
    raise AssertionError("a model that lives elsewhere is asked there")
