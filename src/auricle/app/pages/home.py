"""Home: what this is for those who are new, what there is for those who are not."""

from __future__ import annotations

import streamlit as st

from auricle.app import job_status, navigation, theme
from auricle.app.jobs import Jobs
from auricle.app.run_list import listing
from auricle.app.workspace import Entry, Shelf, current

SHOWN = 8
WAYS = {
    "listen": (
        "Try a model",
        "Record or upload a sound, ask models about it, and see what exactly they answer.",
    ),
    "benchmark": (
        "Run a benchmark",
        "Choose a model and data. A run can be stopped and resumed; every number has its interval.",
    ),
    "compare": (
        "Compare runs",
        "See pair by pair how two runs differ, and listen to the samples that flipped.",
    ),
}


def page() -> None:
    """The demo for a start, then ways into the app and the latest runs."""
    shelf = current()
    entries = shelf.entries()
    theme.head("Auricle", "Evaluate anything that listens: recognisers, audio language models, "
               "emotion classifiers, reward models.")  # fmt: skip
    began = _demo(shelf, entries)
    if entries and not began:
        st.subheader("Latest runs", anchor=False)
        listing(entries, SHOWN)
    for column, name in zip(st.columns(3, gap="large"), WAYS, strict=True):
        title, words = WAYS[name]
        with column:
            st.subheader(title, anchor=False)
            st.markdown(f":gray[{words}]")
            navigation.link(name, "Open")


def _demo(shelf: Shelf, entries: list[Entry]) -> bool:
    """The button that runs the demo, its progress, its results; is there anything of the kind?"""
    job = Jobs(shelf).get("demo")
    if job is None and not entries:
        with st.container(border=True):
            st.markdown("##### New here?")
            st.markdown(
                "The demo has two recognisers listen to 48 short sentences, clean and in noise. "
                "It takes about a minute, on this machine and without a network."
            )
            if st.button("Run the demo", type="primary", icon=":material/play_arrow:"):
                Jobs(shelf).demo()
                st.rerun()
    if job is None:
        return False
    job_status.under_way(shelf, ["demo"])
    finished = [each for each in entries if each.name in job.runs and each.finished]
    if finished and Jobs(shelf).state(job) not in job_status.BUSY:
        _results(finished)
    return True


def _results(finished: list[Entry]) -> None:
    from auricle.app.views.results import results

    finished = sorted(finished, key=lambda each: each.name)
    for tab, entry in zip(st.tabs([theme.plain(e.model) for e in finished]), finished, strict=True):
        with tab:
            results(entry.path)
