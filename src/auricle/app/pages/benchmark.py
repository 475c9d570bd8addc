"""Benchmark: start a run, watch it, stop it, go on with it, and see what came of it."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from auricle.app import job_status, navigation, theme
from auricle.app.jobs import Jobs
from auricle.app.pages.listen import names
from auricle.app.run_form import DATA, Order, run_name
from auricle.app.run_list import listing
from auricle.app.workspace import Shelf, current
from auricle.core.errors import AuricleError
from auricle.engine.factory import short
from auricle.engine.spec import KINDS
from auricle.models.catalogue import MODELS
from auricle.tasks.catalogue import TASKS

MOST_FILES = 200
SHOWN = 20


def page() -> None:
    """A run's results where the address names one; else what is under way, and a form."""
    shelf = current()
    if chosen := st.query_params.get("run"):
        _results(shelf, chosen)
        return
    theme.head("Benchmark", "Run a task on a model. Closing this page stops nothing.")
    job_status.under_way(shelf)
    _form(shelf)
    if runs := [entry for entry in shelf.entries() if entry.kind == "run"]:
        st.subheader("Runs", anchor=False)
        listing(runs, SHOWN)


def _results(shelf: Shelf, name: str) -> None:
    from auricle.app.views.results import results

    try:
        path = shelf.run(name)
    except AuricleError as error:
        theme.head("Benchmark")
        st.error(theme.plain(error), icon=":material/error:")
        navigation.link("benchmark", "All benchmarks")
        return
    navigation.link("benchmark", "All benchmarks")
    theme.head(theme.plain(name))
    job_status.under_way(shelf, [job.name for job in Jobs(shelf).all() if name in job.runs])
    results(path)


def _form(shelf: Shelf) -> None:
    """What to run. Fields outside a form, so that one may depend on another."""
    with st.container(border=True):
        st.subheader("New run", anchor=False)
        left, right = st.columns(2, gap="large")
        with left:
            model = st.selectbox(
                "Model", names(), index=names().index("moonshine"), key="bench-model", **theme.KEPT,
                accept_new_options=True, placeholder="A name, or file.py:Class",
            )  # fmt: skip
            st.caption(theme.plain(_about(model)))
        with right:
            task, data, kind = _subject(shelf)
        more = _more()
        name = st.text_input(
            "Name of the run", placeholder=suggested(shelf, task or data, model or ""),
            key="bench-name", **theme.KEPT,
        )  # fmt: skip
        order = Order(
            run=name or suggested(shelf, task or data, model or ""),
            model=model or "", task=task, data=data, kind=kind, **more,
        )  # fmt: skip
        ready = bool(model and (task or data))
        if st.button("Start", type="primary", icon=":material/play_arrow:", disabled=not ready):
            _start(shelf, order)


def _start(shelf: Shelf, order: Order) -> None:
    try:
        run_name(order.run)
        Jobs(shelf).start(order)
    except AuricleError as error:
        st.error(theme.plain(error), icon=":material/error:")
        return
    st.rerun()


def _about(model: str | None) -> str:
    return MODELS.summary(model) if model in set(MODELS) else "a class in a file"


def _subject(shelf: Shelf) -> tuple[str, str, str]:
    """A task by name, or data with what it is for."""
    source = st.segmented_control(
        "Data",
        ("A task", "My data"),
        default="A task",
        key="bench-source",
        **theme.KEPT,
        required=True,
    )
    if source != "My data":
        task = st.selectbox(
            "Task",
            list(TASKS),
            index=_place("demo"),
            key="bench-task",
            **theme.KEPT,
        )
        st.caption(theme.plain(TASKS.summary(task)))
        return task, "", ""
    data = st.selectbox(
        "File", files(shelf), index=None, key="bench-data", **theme.KEPT, accept_new_options=True,
        placeholder="JSONL, CSV, Parquet or a task's YAML",
        help="In the runs folder, or one the app was started with: auricle ui --allow DIR",
    )  # fmt: skip
    return (
        "",
        data or "",
        st.selectbox("What it is for", KINDS, key="bench-kind", **theme.KEPT),
    )


def _place(task: str) -> int:
    return list(TASKS).index(task)


def files(shelf: Shelf) -> list[str]:
    """Data lying in the folders that were named, as deep as one below."""
    found: list[str] = []
    for folder in shelf.allowed:
        for pattern in ("*", "*/*"):
            found += [str(p) for p in sorted(folder.glob(pattern)) if p.suffix.lower() in DATA]
    return found[:MOST_FILES]


def _more() -> dict[str, Any]:
    """Options that have good defaults."""
    with st.expander("Options"):
        left, right = st.columns(2, gap="large")
        placeholder = "key=value key=value"
        told: dict[str, Any] = {
            "model_options": left.text_input(
                "Of the model", key="bench-m", **theme.KEPT, placeholder=placeholder
            ),
            "task_options": right.text_input(
                "Of the task", key="bench-t", **theme.KEPT, placeholder=placeholder
            ),
        }
        for column, name, title in zip(
            st.columns(3, gap="large"),
            ("limit", "concurrency", "batch_size"),
            ("Only the first … samples", "Requests at once", "Most in a batch"),
            strict=True,
        ):
            told[name] = column.number_input(
                title,
                min_value=1,
                value=None,
                key=f"bench-{name}",
                **theme.KEPT,
                placeholder="as usual",
            )
    return told


def suggested(shelf: Shelf, subject: str, model: str) -> str:
    """A name for the run that is not taken yet."""
    words = f"{subject.rpartition('/')[2].partition('.')[0]}-{short(model)}"
    name = re.sub(r"[^\w.+-]+", "-", words).strip("-.") or "run"
    number = 1
    while (shelf.root / (found := name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return found
