"""`spec.json`: what a run evaluates, and with which versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import RunMismatch
from auricle.runs.documents import read_document, write_document

SPEC_FILE, OUTPUTS_FILE, VERDICTS_FILE, LABELS_FILE = "spec.json", "outputs.jsonl", "verdicts.jsonl", "labels.json"
LOAD_TEST_FILE = "perf.json"
"""The file that a load test has instead."""
SUITE_FILE = "suite.json"
"""The file that the folder of a suite has instead; its runs are in folders in it."""
PLAN_FILE = "plan.jsonl"
SHARDS_FOLDER = "shards"
"""The file that a sharded run has, too; the runs of its shards are in folders in it."""
MAX_VALUE_LENGTH, CONTEXT = 60, 20
"""Longer values are cut in messages, beginning this number of characters before the difference."""


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
    seeds: tuple[int, ...] = ()
    """Seeds of the first, second, … answer to each sample."""
    environment: dict[str, Any] | None = None
    """The Python environment of the model, if it has its own."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Version, source, citation, licence and languages of the task, where it states them."""
    model_name: str = ""
    """Name that the model's class gives itself, if it does."""
    imported: dict[str, Any] | None = None
    """Where the outputs come from, if another tool collected them."""

    def check_same_run(self, path: Path, requested: RunSpec) -> None:
        """Raise `RunMismatch` if another run than this one, which is stored in `path`, is requested."""
        if differences := self.describe_differences(requested):
            raise RunMismatch(
                f"{path} already contains a different run ({differences}). Choose another folder with -o, "
                "use --fresh to start over, or give the same settings to resume."
            )

    def describe_differences(self, requested: RunSpec) -> str:
        """Describe what differs from a requested run, or return "" if that one resumes this one."""
        differences = dict(_find_differences(self.identity, requested.identity))
        if any(name.startswith("task_args.") for name in differences):  # the cause of a different inferencer
            differences.pop("inferencer", None)
        return "; ".join(f"{name} {change}" for name, change in differences.items())


def _find_differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted name and the change of each field that differs."""
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _find_differences(before, after, f"{prefix}{name}.")
        elif before != after:
            before_text, after_text = _shorten(*(_format_value(name, fields) for fields in (old, new)))
            yield f"{prefix}{name}", f"was {before_text}, now {after_text}"


def _format_value(name: str, fields: Mapping[str, Any]) -> str:
    return repr(fields[name]) if name in fields else "not set"


def _shorten(before: str, after: str) -> tuple[str, str]:
    """Cut two long texts down to the place where they first differ."""
    pairs = zip(before, after, strict=False)
    first_difference = next((index for index, (old, new) in enumerate(pairs) if old != new), 0)
    start = max(first_difference - CONTEXT, 0)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    if len(text) <= MAX_VALUE_LENGTH:
        return text
    end = start + MAX_VALUE_LENGTH
    return "…" * bool(start) + text[start:end] + "…" * (end < len(text))


def read_run_spec(run_path: Path) -> RunSpec:
    """Read the spec of a run.

    Raises:
        DataError: if `run_path` is not a run directory, or its spec is damaged or has a newer format.
    """
    reason = "it is a file" if run_path.is_file() else f"it has no {SPEC_FILE}"
    if (run_path / LOAD_TEST_FILE).exists():
        reason = f"it contains a load test; `auricle perf {run_path}` summarises it"
    elif (run_path / SUITE_FILE).exists():
        reason = "it contains a suite, whose runs are folders in it"
    return read_document(run_path / SPEC_FILE, RunSpec, missing=f"Not a run directory: {run_path} ({reason}).")


def write_run_spec(run_path: Path, spec: RunSpec) -> None:
    write_document(run_path / SPEC_FILE, spec)
