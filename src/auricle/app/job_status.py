"""Jobs as they go by: bars, rates, what failed, and buttons to stop and to go on.

Only this part of a page is drawn again while something runs, not the page.
"""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import Job, Jobs, Stage, State
from auricle.app.workspace import Shelf

EVERY = 1.0  # seconds
BUSY = ("running", "stopping")
WORDS: dict[State, tuple[str, str]] = {
    "running": ("under way", "blue"),
    "stopping": ("stopping: what is in flight is waited for", "orange"),
    "done": ("done", "green"),
    "incomplete": ("done, with failures", "orange"),
    "stopped": ("stopped; nothing answered is lost", "gray"),
    "refused": ("could not be run", "orange"),
}
LAST_LINES = 40


def under_way(shelf: Shelf, names: list[str] | None = None) -> None:
    """Cards of these jobs, or of all; drawn again every second while one is busy."""
    jobs = Jobs(shelf)
    found = _worth_telling(jobs, names)
    busy = any(state in BUSY for _, state in found)
    if found:
        st.fragment(run_every=EVERY if busy else None)(_cards)(shelf, names, busy)


def _cards(shelf: Shelf, names: list[str] | None, was_busy: bool) -> None:
    jobs = Jobs(shelf)
    found = _worth_telling(jobs, names)
    if was_busy and not any(state in BUSY for _, state in found):
        st.rerun()  # the page as a whole: there are results to show
    for job, state in found:
        with st.container(border=True, key=f"job-{job.name}"):
            _card(jobs, job, state)


def _worth_telling(jobs: Jobs, names: list[str] | None) -> list[tuple[Job, State]]:
    """All that is not done, and the last one that is."""
    known = [job for job in jobs.all() if names is None or job.name in names]
    found = [(job, jobs.state(job)) for job in known]
    done = [pair for pair in found if pair[1] == "done"]
    return [pair for pair in found if pair[1] != "done" or pair is done[0]]


def _card(jobs: Jobs, job: Job, state: State) -> None:
    words, colour = WORDS[state]
    st.markdown(f"**{theme.plain(', '.join(job.runs))}** &nbsp; :{colour}[{words}]")
    stages = jobs.stages(job)
    for stage in stages:
        share = 1.0 if stage.finished else stage.done / max(1, stage.total or stage.done)
        st.progress(min(1.0, share), text=f":gray[{theme.plain(told(stage))}]")
    if not stages and state in BUSY:
        st.progress(0.0, text=":gray[starting: the model is being loaded]")
    if state == "refused" and (why := jobs.why(job)):
        st.error(theme.plain(why), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        _buttons(jobs, job, state)
    if state not in BUSY:
        with st.expander("What it said"):
            st.code("\n".join(jobs.said(job).splitlines()[-LAST_LINES:]), language=None)


def told(stage: Stage) -> str:
    """A stage in words: how far, how fast, how long still."""
    of = f" of {stage.total}" if stage.total and not stage.finished else ""
    parts = [f"{stage.title}: {stage.done}{of} {stage.what}", f"{stage.rate:.3g} a second"]
    if stage.left is not None:
        parts.append(f"{minutes(stage.left)} left")
    if stage.failed:
        parts.append(f"{stage.failed} failed")
    return " · ".join(parts)


def minutes(seconds: float) -> str:
    """A stretch of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _buttons(jobs: Jobs, job: Job, state: State) -> None:
    if state == "running" and st.button("Stop", key=f"stop-{job.name}", icon=":material/stop:"):
        jobs.cancel(job)
        st.rerun()
    if state == "stopping" and st.button("Stop at once", key=f"kill-{job.name}"):
        jobs.cancel(job)
        st.rerun()
    if state in BUSY:
        return
    resumable = state in ("stopped", "incomplete")
    word = "Resume" if state == "stopped" else "Ask what failed again"
    if resumable and st.button(word, key=f"resume-{job.name}", icon=":material/play_arrow:"):
        jobs.resume(job)
        st.rerun()
    if state in ("done", "incomplete"):
        for name in job.runs:
            navigation.link("benchmark", f"Results of {name}", run=name)
    if st.button("Dismiss", key=f"dismiss-{job.name}", type="tertiary"):
        jobs.forget(job)
        st.rerun()
