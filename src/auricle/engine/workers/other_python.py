"""Run models under another Python, with its own packages.

`-M python=/path/to/venv/bin/python` chooses it, or `-M environment=NAME` one that Auricle manages.
Auricle need not be installed there: its source is added to `PYTHONPATH`. The other Python needs
`orjson` and the packages that the model imports.
"""

from __future__ import annotations

import atexit
import os
import shutil
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
    """Return a class with the abilities of a model, as its own Python reports them without loading it."""
    description = _query_worker(model, python, worker_environment(variables))
    base: type[Model] = AsyncModel if description["asynchronous"] else BatchModel
    members: dict[str, Any] = dict.fromkeys(description["can"], _refuse_call)
    return type(model, (base,), {**members, **description["batches"], "__init__": _accept_any_arguments})


def worker_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the model's variables and a `PYTHONPATH` that makes Auricle importable under another Python."""
    inherited = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join(folder for folder in (_import_folder(), inherited) if folder)
    return {**(variables or {}), "PYTHONPATH": path}


def _query_worker(model: str, python: str, variables: Mapping[str, str]) -> dict[str, Any]:
    command = [python, "-m", "auricle.engine.workers.worker", "--describe", model]
    try:
        completed = subprocess.run(  # noqa: S603 - the user chooses the Python
            command, capture_output=True, timeout=DESCRIBE_TIMEOUT, env={**os.environ, **variables}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SpecError(f"python={python} cannot be run: {error}.") from error
    if completed.returncode:
        last_line = completed.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise SpecError(
            f"python={python} cannot import {model}: {last_line or 'no error message'}. "
            f"It needs orjson and what the model imports: {python} -m pip install orjson …"
        )
    description: dict[str, Any] = orjson.loads(completed.stdout)
    if "error" in description:
        raise SpecError(f"{description['error']} (under {python})")
    return description


@cache
def _import_folder() -> str:
    """Make a folder with this package, its entry points and nothing else, for as long as this process runs."""
    folder = Path(tempfile.mkdtemp(prefix="auricle-import-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "auricle").symlink_to(Path(auricle.__file__).parent)
    installed = distribution("auricle")
    metadata = folder / f"auricle-{installed.version}.dist-info"
    metadata.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (metadata / name).write_text(installed.read_text(name) or "", encoding="utf-8")
    return str(folder)


def _accept_any_arguments(self: Any, **arguments: Any) -> None: ...


def _refuse_call(self: Any, *_: Any) -> Any:
    raise AssertionError("models under another Python are called in a worker process")
