"""The home page: the demo for new users, the latest runs, and links to other pages."""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager
from auricle.app.views import job_cards
from auricle.app.views.run_list import draw_run_list
from auricle.app.workspace import RunEntry, Workspace, current_workspace

MAX_RUNS = 8
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
    entries = workspace.list_entries()
    theme.draw_header(
        "Auricle", "Evaluate speech and audio models: recognisers, audio LLMs, emotion and reward models."
    )
    has_demo = _draw_demo(workspace, entries)
    if entries and not has_demo:
        st.subheader("Latest runs", anchor=False)
        draw_run_list(entries, MAX_RUNS)
    for column, name in zip(st.columns(3, gap="large"), PAGE_INTRODUCTIONS, strict=True):
        title, introduction = PAGE_INTRODUCTIONS[name]
        with column:
            st.subheader(title, anchor=False)
            st.markdown(f":gray[{introduction}]")
            navigation.draw_page_link(name, "Open")


def _draw_demo(workspace: Workspace, entries: list[RunEntry]) -> bool:
    """Offer the demo, or show its progress and results; return whether it was started."""
    job = JobManager(workspace).get("demo")
    if job is None and not entries:
        with st.container(border=True):
            st.markdown("##### New here?")
            st.markdown(
                "The demo runs two speech recognisers on 48 short sentences, clean and noisy. It takes about a minute "
                "and needs no network."
            )
            if st.button("Run the demo", type="primary", icon=":material/play_arrow:"):
                JobManager(workspace).start_demo()
                st.rerun()
    if job is None:
        return False
    job_cards.draw_job_cards(workspace, ["demo"])
    finished = [entry for entry in entries if entry.name in job.runs and entry.is_finished]
    if finished and JobManager(workspace).state(job) not in job_cards.ACTIVE_STATES:
        _draw_results(finished)
    return True


def _draw_results(finished_entries: list[RunEntry]) -> None:
    from auricle.app.views.results import draw_results

    entries = sorted(finished_entries, key=lambda entry: entry.name)
    for tab, entry in zip(st.tabs([theme.escape_markdown(entry.model) for entry in entries]), entries, strict=True):
        with tab:
            draw_results(entry.path)
