"""`spec.json`: what a run evaluates, and with which versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, RunMismatch
from auricle.runs.documents import read_document, write_document

SPEC_FILE, OUTPUTS_FILE, VERDICTS_FILE = "spec.json", "outputs.jsonl", "verdicts.jsonl"
LOAD_TEST_FILE = "perf.json"
"""The file that a load test has instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The spec of a run as it is stored: without secrets, and with absolute paths."""

    format: int = 1
    identity: dict[str, Any]
    """What must be equal to resume the run: task, model, their arguments, and how samples become requests."""
    spec: dict[str, Any]
    """The fields of `Spec`."""
    created: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    seed: int = 0
    environment: dict[str, Any] | None = None
    """The Python environment of the model, if it has its own."""
    imported: dict[str, Any] | None = None
    """Where the outputs come from, if another tool collected them."""

    @property
    def task(self) -> str:
        return str(self.spec.get("task", ""))

    @property
    def model(self) -> str:
        return str(self.spec.get("model", ""))

    @property
    def model_args(self) -> Mapping[str, Any]:
        arguments: Mapping[str, Any] = self.spec.get("model_args") or {}
        return arguments

    def check_same_run(self, path: Path, requested: RunSpec) -> None:
        """Raise `RunMismatch` if another run than this one, which is stored in `path`, is requested."""
        old, new = self.identity, requested.identity
        changed = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
        if changed:
            differences = "; ".join(f"{key} was {old.get(key)!r}, now {new.get(key)!r}" for key in changed)
            raise RunMismatch(
                f"{path} already contains a different run ({differences}). Choose another folder with -o, "
                "use --fresh to start over, or give the same settings to resume."
            )


def read_run_spec(run_path: Path) -> RunSpec:
    """Read the spec of a run.

    Raises:
        DataError: if `run_path` is not a run directory, or its spec is damaged or has a newer format.
    """
    try:
        return read_document(run_path / SPEC_FILE, RunSpec)
    except FileNotFoundError as error:
        raise DataError(f"Not a run directory: {run_path} ({_explain_missing_spec(run_path)}).") from error
    except NotADirectoryError as error:
        raise DataError(f"Not a run directory: {run_path} (it is a file).") from error


def write_run_spec(run_path: Path, spec: RunSpec) -> None:
    write_document(run_path / SPEC_FILE, spec)


def _explain_missing_spec(path: Path) -> str:
    if (path / LOAD_TEST_FILE).exists():
        return f"it contains a load test; `auricle perf {path}` summarises it"
    return f"it has no {SPEC_FILE}"
