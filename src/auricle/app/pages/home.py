"""Home: what this is for those who are new, what there is for those who are not."""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import JobManager
from auricle.app.views import job_cards
from auricle.app.views.run_list import draw_run_list
from auricle.app.workspace import RunEntry, Workspace, current_workspace

MAX_RUNS = 8
PAGE_INTRODUCTIONS = {
    "listen": ("Try a model", "Record or upload a sound, ask models about it, and see what exactly they answer."),
    "benchmark": (
        "Run a benchmark",
        "Choose a model and data. A run can be stopped and resumed; every number has its interval.",
    ),
    "compare": ("Compare runs", "See pair by pair how two runs differ, and listen to the samples that flipped."),
}


def page() -> None:
    """The demo for a start, then ways into the app and the latest runs."""
    shelf = current_workspace()
    entries = shelf.list_entries()
    theme.draw_header("Auricle", "Evaluate anything that listens: recognisers, audio language models, "
               "emotion classifiers, reward models.")  # fmt: skip
    began = _draw_demo(shelf, entries)
    if entries and not began:
        st.subheader("Latest runs", anchor=False)
        draw_run_list(entries, MAX_RUNS)
    for column, name in zip(st.columns(3, gap="large"), PAGE_INTRODUCTIONS, strict=True):
        title, words = PAGE_INTRODUCTIONS[name]
        with column:
            st.subheader(title, anchor=False)
            st.markdown(f":gray[{words}]")
            navigation.draw_page_link(name, "Open")


def _draw_demo(workspace: Workspace, entries: list[RunEntry]) -> bool:
    """The button that runs the demo, its progress, its results; is there anything of the kind?"""
    job = JobManager(workspace).get("demo")
    if job is None and not entries:
        with st.container(border=True):
            st.markdown("##### New here?")
            st.markdown(
                "The demo has two recognisers listen to 48 short sentences, clean and in noise. "
                "It takes about a minute, on this machine and without a network."
            )
            if st.button("Run the demo", type="primary", icon=":material/play_arrow:"):
                JobManager(workspace).start_demo()
                st.rerun()
    if job is None:
        return False
    job_cards.draw_job_cards(workspace, ["demo"])
    finished = [each for each in entries if each.name in job.runs and each.is_finished]
    if finished and JobManager(workspace).state(job) not in job_cards.ACTIVE_STATES:
        _draw_results(finished)
    return True


def _draw_results(finished_entries: list[RunEntry]) -> None:
    from auricle.app.views.results import draw_results

    finished_entries = sorted(finished_entries, key=lambda each: each.name)
    for tab, entry in zip(
        st.tabs([theme.escape_markdown(e.model) for e in finished_entries]), finished_entries, strict=True
    ):
        with tab:
            draw_results(entry.path)
