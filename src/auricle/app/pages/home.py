"""The home page: the demo for new users, the table of runs, and links to other pages."""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager
from auricle.app.views import job_cards
from auricle.app.views.run_list import list_runs
from auricle.app.views.run_table import draw_run_table
from auricle.app.workspace import Workspace, current_workspace
from auricle.runs.run_summary import RunSummary

PAGE_INTRODUCTIONS = {
    "inference": (
        "Try a model",
        "Record or upload audio, send it to one or more models, and inspect their raw output.",
    ),
    "benchmark": (
        "Run a benchmark",
        "Choose a model and a dataset. Runs can be stopped and resumed; every metric has a confidence interval.",
    ),
    "compare": ("Compare runs", "Compare two runs sample by sample and listen to the samples whose outcome changed."),
}


def page() -> None:
    """Draw the home page."""
    workspace = current_workspace()
    runs = list_runs()
    theme.draw_header(
        "Auricle", "Evaluate speech and audio models: recognisers, audio LLMs, emotion and reward models."
    )
    _draw_demo(workspace, runs)
    draw_run_table("home")
    for column, name in zip(st.columns(3, gap="large"), PAGE_INTRODUCTIONS, strict=True):
        title, introduction = PAGE_INTRODUCTIONS[name]
        with column:
            st.header(title, anchor=False)
            st.markdown(f":gray[{introduction}]")
            navigation.draw_page_link(name, "Open")


def _draw_demo(workspace: Workspace, runs: list[RunSummary]) -> None:
    """Offer the demo, or show its progress and results."""
    job = JobManager(workspace).get("demo")
    if job is None and not runs:
        with st.container(border=True):
            st.header("New here?", anchor=False)
            st.markdown(
                "The demo runs two speech recognisers on 48 short sentences, clean and noisy. It takes about "
                "two minutes and needs no network."
            )
            if st.button("Run the demo", type="primary", icon=":material/play_arrow:"):
                JobManager(workspace).start_demo()
                st.rerun()
    if job is None:
        return
    job_cards.draw_job_cards(workspace, ["demo"])
    finished = [run for run in runs if run.name in job.runs and run.status == "done"]
    if finished and JobManager(workspace).state(job) not in job_cards.ACTIVE_STATES:
        _draw_results(finished)


def _draw_results(finished_runs: list[RunSummary]) -> None:
    from auricle.app.views.results import draw_results

    runs = sorted(finished_runs, key=lambda run: run.name)
    for tab, run in zip(st.tabs([theme.escape_markdown(run.model) for run in runs]), runs, strict=True):
        with tab:
            draw_results(run.path)
