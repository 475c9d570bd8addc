"""Benchmark: start a run, watch it, stop it, go on with it, and see what came of it."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager
from auricle.app.pages.inference import list_model_names
from auricle.app.run_form import DATA_SUFFIXES, RunForm, validate_run_name
from auricle.app.views import job_cards
from auricle.app.views.run_list import draw_run_list
from auricle.app.workspace import Workspace, current_workspace
from auricle.core.errors import AuricleError
from auricle.engine.factory import display_name
from auricle.engine.spec import TASK_KINDS
from auricle.models.catalogue import MODELS
from auricle.tasks.catalogue import TASKS

MAX_FILES = 200
MAX_RUNS = 20


def page() -> None:
    """A run's results where the address names one; else what is under way, and a form."""
    shelf = current_workspace()
    if chosen := st.query_params.get("run"):
        _draw_results(shelf, chosen)
        return
    theme.draw_header("Benchmark", "Run a task on a model. Closing this page stops nothing.")
    job_cards.draw_job_cards(shelf)
    _draw_form(shelf)
    if runs := [entry for entry in shelf.list_entries() if entry.kind == "run"]:
        st.subheader("Runs", anchor=False)
        draw_run_list(runs, MAX_RUNS)


def _draw_results(workspace: Workspace, run_name: str) -> None:
    from auricle.app.views.results import draw_results

    try:
        path = workspace.resolve_run(run_name)
    except AuricleError as error:
        theme.draw_header("Benchmark")
        st.error(theme.escape_markdown(error), icon=":material/error:")
        navigation.draw_page_link("benchmark", "All benchmarks")
        return
    navigation.draw_page_link("benchmark", "All benchmarks")
    theme.draw_header(theme.escape_markdown(run_name))
    job_cards.draw_job_cards(workspace, [job.name for job in JobManager(workspace).list_jobs() if run_name in job.runs])
    draw_results(path)


def _draw_form(workspace: Workspace) -> None:
    """What to run. Fields outside a form, so that one may depend on another."""
    with st.container(border=True):
        st.subheader("New run", anchor=False)
        left, right = st.columns(2, gap="large")
        with left:
            model = st.selectbox(
                "Model", list_model_names(), index=list_model_names().index("moonshine"), key="bench-model",
                **theme.PERSIST_STATE,
                accept_new_options=True, placeholder="A name, or file.py:Class",
            )  # fmt: skip
            st.caption(theme.escape_markdown(_describe_model(model)))
        with right:
            task, data, kind = _choose_task_or_data(workspace)
        more = _choose_options()
        name = st.text_input(
            "Name of the run", placeholder=suggest_run_name(workspace, task or data, model or ""),
            key="bench-name", **theme.PERSIST_STATE,
        )  # fmt: skip
        order = RunForm(
            run_name=name or suggest_run_name(workspace, task or data, model or ""),
            model=model or "", task=task, data=data, kind=kind, **more,
        )  # fmt: skip
        ready = bool(model and (task or data))
        if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not ready):
            _start_run(workspace, order)


def _start_run(workspace: Workspace, run_form: RunForm) -> None:
    try:
        validate_run_name(run_form.run_name)
        JobManager(workspace).start(run_form)
    except AuricleError as error:
        st.error(theme.escape_markdown(error), icon=":material/error:")
        return
    st.rerun()


def _describe_model(model: str | None) -> str:
    return MODELS.summary(model) if model in set(MODELS) else "a class in a file"


def _choose_task_or_data(workspace: Workspace) -> tuple[str, str, str]:
    """A task by name, or data with what it is for."""
    source = st.segmented_control(
        "Data", ("A task", "My data"), default="A task", key="bench-source", **theme.PERSIST_STATE, required=True
    )
    if source != "My data":
        task = st.selectbox("Task", list(TASKS), index=_task_index("demo"), key="bench-task", **theme.PERSIST_STATE)
        st.caption(theme.escape_markdown(TASKS.summary(task)))
        return task, "", ""
    data = st.selectbox(
        "File", list_data_files(workspace), index=None, key="bench-data", **theme.PERSIST_STATE,
        accept_new_options=True,
        placeholder="JSONL, CSV, Parquet or a task's YAML",
        help="In the runs folder, or one the app was started with: auricle ui --allow DIR",
    )  # fmt: skip
    return ("", data or "", st.selectbox("What it is for", TASK_KINDS, key="bench-kind", **theme.PERSIST_STATE))


def _task_index(task: str) -> int:
    return list(TASKS).index(task)


def list_data_files(workspace: Workspace) -> list[str]:
    """Data lying in the folders that were named, as deep as one below."""
    found: list[str] = []
    for folder in workspace.allowed_folders:
        for pattern in ("*", "*/*"):
            found += [str(p) for p in sorted(folder.glob(pattern)) if p.suffix.lower() in DATA_SUFFIXES]
    return found[:MAX_FILES]


def _choose_options() -> dict[str, Any]:
    """Options that have good defaults."""
    with st.expander("Options"):
        left, right = st.columns(2, gap="large")
        placeholder = "key=value key=value"
        told: dict[str, Any] = {
            "model_options": left.text_input(
                "Of the model", key="bench-m", **theme.PERSIST_STATE, placeholder=placeholder
            ),
            "task_options": right.text_input(
                "Of the task", key="bench-t", **theme.PERSIST_STATE, placeholder=placeholder
            ),
        }
        for column, name, title in zip(
            st.columns(3, gap="large"),
            ("limit", "concurrency", "batch_size"),
            ("Only the first … samples", "Requests at once", "Most in a batch"),
            strict=True,
        ):
            told[name] = column.number_input(
                title, min_value=1, value=None, key=f"bench-{name}", **theme.PERSIST_STATE, placeholder="as usual"
            )
    return told


def suggest_run_name(workspace: Workspace, task_or_data: str, model: str) -> str:
    """A name for the run that is not taken yet."""
    words = f"{task_or_data.rpartition('/')[2].partition('.')[0]}-{display_name(model)}"
    name = re.sub(r"[^\w.+-]+", "-", words).strip("-.") or "run"
    number = 1
    while (workspace.root / (found := name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return found
