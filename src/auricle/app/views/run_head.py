"""The head of a run's page: title, note, model, task, data, date, signature, and the command that repeats the run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import streamlit as st
from markupsafe import Markup

from auricle.app import theme
from auricle.app.views import components
from auricle.core.serialization import dumps
from auricle.engine.command_line import format_repeat_command
from auricle.report.html_format import format_count
from auricle.report.text_format import truncate
from auricle.runs.perf_files import PerfManifest, read_perf_manifest
from auricle.runs.run_spec import RunSpec, read_run_spec
from auricle.runs.run_summary import RunSummary

MAX_FACT_LENGTH = 400
DATA_ARGUMENTS = ("data", "root", "dataset_jsonl", "dataset_root")
"""Arguments of tasks that name their data."""


def draw_run_head(run: RunSummary) -> None:
    """Draw the title of a run, what it evaluates and how to repeat it."""
    theme.draw_header(theme.escape_markdown(run.title))
    if run.notes.note:
        st.markdown(theme.escape_markdown(run.notes.note))
    if not run.error:
        draw_facts(run)


def draw_facts(run: RunSummary) -> None:
    """Draw what a run evaluates, and the command that repeats it."""
    spec = read_perf_manifest(run.path) if run.kind == "perf" else read_run_spec(run.path)
    components.draw_markup(components.build_definition_list(list(list_facts(run, spec))))
    if command := build_command(run.path, spec):
        st.code(command, language=None, wrap_lines=True)


def list_facts(run: RunSummary, spec: RunSpec | PerfManifest) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each fact that is known of a run."""
    version = spec.provenance.get("version") if isinstance(spec, RunSpec) else None
    facts: dict[str, Any] = {
        "Model": " ".join([run.model, *_list_arguments(spec)]),
        "Task": f"{run.task}, version {version}" if version else run.task,
        "Data": ", ".join(_describe_data(run, spec)),
        "Started": run.created[:16].replace("T", " "),
        "Signature": Markup("<code>{}</code>").format(run.headline.signature) if run.headline else "",
        "Tags": ", ".join(run.notes.tags),
        "Folder": run.name if run.notes.title else "",
    }
    for name, text in facts.items():
        if text:
            yield name, text if isinstance(text, Markup) else truncate(text, MAX_FACT_LENGTH)


def _list_arguments(spec: RunSpec | PerfManifest) -> Iterator[str]:
    """Yield the arguments of the model as `name=value`."""
    for name, value in spec.model_args.items():
        text = value if isinstance(value, str) else dumps(value).decode().strip()
        yield f"{name}={text}"


def _describe_data(run: RunSummary, spec: RunSpec | PerfManifest) -> Iterator[str]:
    arguments = spec.spec.get("task_args") or {}
    source = spec.provenance.get("source") if isinstance(spec, RunSpec) else None
    if place := next((arguments[name] for name in DATA_ARGUMENTS if arguments.get(name)), source):
        yield str(place)
    if isinstance(spec, RunSpec) and spec.imported:
        yield f"imported from {spec.imported.get('from', 'another tool')}"
    if run.total is not None:
        yield f"{format_count(run.total)} samples"


def build_command(path: Path, spec: RunSpec | PerfManifest) -> str:
    """Return the command that repeats a run, or an empty string if no command made it."""
    if isinstance(spec, PerfManifest):
        return shlex.join(["auricle", *spec.command]) if spec.command else ""
    return format_repeat_command(spec, str(path))
