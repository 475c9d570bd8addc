"""The page that starts, stops and resumes runs and shows their results."""

from __future__ import annotations

from typing import Any

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager, is_alive, slugify
from auricle.app.run_form import DATA_SUFFIXES, RunForm, describe_model, list_model_names
from auricle.app.views import job_cards
from auricle.app.views.confirmation import confirm_origins
from auricle.app.views.live_run import draw_live_run
from auricle.app.views.run_table import draw_run_table
from auricle.app.workspace import Workspace, check_run_file, current_workspace
from auricle.core.errors import AuricleError
from auricle.engine.factory import display_name
from auricle.runs.run_summary import RunSummary, summarise_run
from auricle.tasks.catalogue import TASK_KINDS, TASKS

MAX_FILES = 200
BUILT_IN_TASK, OWN_DATA = "Built-in task", "My data"


def page() -> None:
    """Draw the results of the run named in the URL, or else the jobs, the form and the table of runs."""
    workspace = current_workspace()
    if run_name := st.query_params.get("run"):
        _draw_results(workspace, run_name)
        return
    theme.draw_header("Benchmark", "Run a task on a model. Runs continue when you close this page.")
    job_cards.draw_job_cards(workspace)
    _draw_form(workspace)
    draw_run_table("benchmark", "run")


def _draw_results(workspace: Workspace, run_name: str) -> None:
    from auricle.app.views.results import draw_results

    navigation.draw_page_link("benchmark", "All runs")
    try:
        path = workspace.resolve_run(run_name)
        run = summarise_run(workspace.root, path, check_run_file)
    except AuricleError:
        theme.draw_header("No such run")
        raise
    theme.draw_header(theme.escape_markdown(run.title), theme.escape_markdown(describe_run(run)))
    if run.notes.note:
        st.markdown(theme.escape_markdown(run.notes.note))
    jobs = JobManager(workspace)
    own_jobs = [job for job in jobs.list_jobs() if run_name in job.runs]
    job_cards.draw_job_cards(workspace, [job.name for job in own_jobs])
    if draw_live_run(path, can_stop=not any(map(is_alive, own_jobs))):
        draw_results(path)


def describe_run(run: RunSummary) -> str:
    """Describe a run on one line: task, model, start, tags, and its folder if it has a title."""
    parts = [
        f"{run.task} × {run.model}" if run.task else "",
        run.created[:16].replace("T", " "),
        ", ".join(run.notes.tags),
        run.name if run.notes.title else "",
    ]
    return " · ".join(filter(None, parts))


def _draw_form(workspace: Workspace) -> None:
    """Draw the form for a new run; not an `st.form`, because some fields depend on others."""
    with st.container(border=True):
        st.subheader("New run", anchor=False)
        left, right = st.columns(2, gap="large")
        with left:
            names = list_model_names()
            model = st.selectbox(
                "Model", names, index=names.index("moonshine"), key="bench-model",
                **theme.PERSIST_STATE,
                accept_new_options=True, placeholder="Model name, or file.py:Class",
            )  # fmt: skip
            st.caption(theme.escape_markdown(describe_model(model)))
        with right:
            task, data, kind = _choose_task_or_data(workspace)
        options = _choose_options()
        suggested_name = suggest_run_name(workspace, task or data, model or "")
        name = st.text_input("Run name", placeholder=suggested_name, key="bench-name", **theme.PERSIST_STATE)
        run_form = RunForm(
            run_name=name or suggested_name, model=model or "", task=task, data=data, kind=kind, **options
        )
        is_ready = bool(model and (task or data)) and confirm_origins(run_form.origins, key="bench")
        if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not is_ready) and is_ready:
            try:
                JobManager(workspace).start(run_form)
            except AuricleError as error:
                st.error(theme.escape_markdown(error), icon=":material/error:")
            else:
                st.rerun()


def _choose_task_or_data(workspace: Workspace) -> tuple[str, str, str]:
    """Return a task, or a data file with the kind of its task."""
    sources: Any = {"options": (BUILT_IN_TASK, OWN_DATA), "default": BUILT_IN_TASK, "required": True}
    source = st.segmented_control("Data", **sources, key="bench-source", **theme.PERSIST_STATE)
    if source != OWN_DATA:
        tasks = list(TASKS)
        task = st.selectbox("Task", tasks, index=tasks.index("demo"), key="bench-task", **theme.PERSIST_STATE)
        st.caption(theme.escape_markdown(TASKS.summary(task)))
        return task, "", ""
    data = st.selectbox(
        "File", list_data_files(workspace), index=None, key="bench-data", **theme.PERSIST_STATE,
        accept_new_options=True,
        placeholder="JSONL, CSV, Parquet or a task's YAML",
        help="Must be in the runs folder or in a folder passed as `auricle ui --allow DIR`.",
    )  # fmt: skip
    return "", data or "", st.selectbox("Task kind", list(TASK_KINDS), key="bench-kind", **theme.PERSIST_STATE)


def list_data_files(workspace: Workspace) -> list[str]:
    """List data files in the allowed folders and their direct subfolders."""
    files: list[str] = []
    for folder in workspace.allowed_folders:
        for pattern in ("*", "*/*"):
            files += [str(path) for path in sorted(folder.glob(pattern)) if path.suffix.lower() in DATA_SUFFIXES]
    return files[:MAX_FILES]


def _choose_options() -> dict[str, Any]:
    with st.expander("Options"):
        options: dict[str, Any] = {}
        texts = {"model_options": "Model options", "task_options": "Task options"}
        for column, (name, title) in zip(st.columns(2, gap="large"), texts.items(), strict=True):
            placeholder: Any = {"placeholder": "key=value key=value", **theme.PERSIST_STATE}
            options[name] = column.text_input(title, key=f"bench-{name}", **placeholder)
        numbers = {"limit": "Sample limit", "concurrency": "Concurrency", "batch_size": "Maximum batch size"}
        for column, (name, title) in zip(st.columns(3, gap="large"), numbers.items(), strict=True):
            default: Any = {"value": None, "placeholder": "default", **theme.PERSIST_STATE}
            options[name] = column.number_input(title, min_value=1, key=f"bench-{name}", **default)
    return options


def suggest_run_name(workspace: Workspace, task_or_data: str, model: str) -> str:
    """Suggest a name that no run has yet."""
    stem = task_or_data.rpartition("/")[2].partition(".")[0]
    base_name = slugify(f"{stem}-{display_name(model)}", "run")
    name, number = base_name, 1
    while (workspace.root / name).exists():
        number += 1
        name = f"{base_name}-{number}"
    return name
