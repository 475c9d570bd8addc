"""Jobs as they go by: bars, rates, what failed, and buttons to stop and to go on.

Only this part of a page is drawn again while something runs, not the page.
"""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import Job, JobManager, JobState, RunProgress
from auricle.app.workspace import Workspace

REFRESH_SECONDS = 1.0  # seconds
ACTIVE_STATES = ("running", "stopping")
STATE_LABELS: dict[JobState, tuple[str, str]] = {
    "running": ("under way", "blue"),
    "stopping": ("stopping: what is in flight is waited for", "orange"),
    "done": ("done", "green"),
    "incomplete": ("done, with failures", "orange"),
    "stopped": ("stopped; nothing answered is lost", "gray"),
    "refused": ("could not be run", "orange"),
}
LOG_LINES_SHOWN = 40


def draw_job_cards(workspace: Workspace, job_names: list[str] | None = None) -> None:
    """Cards of these jobs, or of all; drawn again every second while one is busy."""
    jobs = JobManager(workspace)
    found = _select_jobs(jobs, job_names)
    busy = any(state in ACTIVE_STATES for _, state in found)
    if found:
        st.fragment(run_every=REFRESH_SECONDS if busy else None)(_draw_cards)(workspace, job_names, busy)


def _draw_cards(workspace: Workspace, job_names: list[str] | None, was_active: bool) -> None:
    jobs = JobManager(workspace)
    found = _select_jobs(jobs, job_names)
    if was_active and not any(state in ACTIVE_STATES for _, state in found):
        st.rerun()  # the page as a whole: there are results to show
    for job, state in found:
        with st.container(border=True, key=f"job-{job.name}"):
            _draw_card(jobs, job, state)


def _select_jobs(jobs: JobManager, job_names: list[str] | None) -> list[tuple[Job, JobState]]:
    """All that is not done, and the last one that is."""
    known = [job for job in jobs.list_jobs() if job_names is None or job.name in job_names]
    found = [(job, jobs.state(job)) for job in known]
    done = [pair for pair in found if pair[1] == "done"]
    return [pair for pair in found if pair[1] != "done" or pair is done[0]]


def _draw_card(jobs: JobManager, job: Job, state: JobState) -> None:
    words, colour = STATE_LABELS[state]
    st.markdown(f"**{theme.escape_markdown(', '.join(job.runs))}** &nbsp; :{colour}[{words}]")
    stages = jobs.read_progress(job)
    for stage in stages:
        share = 1.0 if stage.is_finished else stage.done / max(1, stage.total or stage.done)
        st.progress(min(1.0, share), text=f":gray[{theme.escape_markdown(describe_progress(stage))}]")
    if not stages and state in ACTIVE_STATES:
        st.progress(0.0, text=":gray[starting: the model is being loaded]")
    if state == "refused" and (why := jobs.read_error(job)):
        st.error(theme.escape_markdown(why), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_buttons(jobs, job, state)
    if state not in ACTIVE_STATES:
        with st.expander("What it said"):
            st.code("\n".join(jobs.read_log(job).splitlines()[-LOG_LINES_SHOWN:]), language=None)


def describe_progress(progress: RunProgress) -> str:
    """A stage in words: how far, how fast, how long still."""
    of = f" of {progress.total}" if progress.total and not progress.is_finished else ""
    parts = [f"{progress.title}: {progress.done}{of} {progress.unit}", f"{progress.rate:.3g} a second"]
    if progress.seconds_left is not None:
        parts.append(f"{format_duration(progress.seconds_left)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    return " · ".join(parts)


def format_duration(seconds: float) -> str:
    """A stretch of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _draw_buttons(jobs: JobManager, job: Job, state: JobState) -> None:
    if state == "running" and st.button("Stop", key=f"stop-{job.name}", icon=":material/stop:"):
        jobs.cancel(job)
        st.rerun()
    if state == "stopping" and st.button("Stop at once", key=f"kill-{job.name}"):
        jobs.cancel(job)
        st.rerun()
    if state in ACTIVE_STATES:
        return
    resumable = state in ("stopped", "incomplete")
    word = "Resume" if state == "stopped" else "Ask what failed again"
    if resumable and st.button(word, key=f"resume-{job.name}", icon=":material/play_arrow:"):
        jobs.resume(job)
        st.rerun()
    if state in ("done", "incomplete"):
        for name in job.runs:
            navigation.draw_page_link("benchmark", f"Results of {name}", run=name)
    if st.button("Dismiss", key=f"dismiss-{job.name}", type="tertiary"):
        jobs.remove(job)
        st.rerun()
