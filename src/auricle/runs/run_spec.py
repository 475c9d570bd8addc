"""`spec.json`: what a run evaluates, and with which versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import RunMismatch
from auricle.runs.documents import read_document, write_document

SPEC_FILE, OUTPUTS_FILE, VERDICTS_FILE = "spec.json", "outputs.jsonl", "verdicts.jsonl"
LOAD_TEST_FILE = "perf.json"
"""The file that a load test has instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpec:
    """A document that contains a spec: without secrets, and with absolute paths."""

    format: int = 1
    spec: dict[str, Any]
    """The fields of `Spec`."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec(StoredSpec):
    """What a run evaluates."""

    identity: dict[str, Any]
    """What must be equal to resume the run: task, model, their arguments, and how samples become requests."""
    created: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    platform: str = ""
    seed: int = 0
    environment: dict[str, Any] | None = None
    """The Python environment of the model, if it has its own."""
    imported: dict[str, Any] | None = None
    """Where the outputs come from, if another tool collected them."""

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
    reason = "it is a file" if run_path.is_file() else f"it has no {SPEC_FILE}"
    if (run_path / LOAD_TEST_FILE).exists():
        reason = f"it contains a load test; `auricle perf {run_path}` summarises it"
    return read_document(run_path / SPEC_FILE, RunSpec, missing=f"Not a run directory: {run_path} ({reason}).")


def write_run_spec(run_path: Path, spec: RunSpec) -> None:
    write_document(run_path / SPEC_FILE, spec)
