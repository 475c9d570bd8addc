"""Cards of jobs: progress, rate, failures, and buttons to stop and resume.

While a job runs, only the cards are drawn again every second, not the page.
"""

from __future__ import annotations

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import Job, JobManager, JobState, RunProgress
from auricle.app.workspace import Workspace

REFRESH_SECONDS = 1.0
ACTIVE_STATES = ("running", "stopping")
STATE_LABELS: dict[JobState, tuple[str, str]] = {
    "running": ("running", "blue"),
    "stopping": ("stopping: waiting for requests in flight", "orange"),
    "done": ("done", "green"),
    "done_with_failures": ("done, with failures", "orange"),
    "stopped": ("stopped; completed samples are kept", "gray"),
    "failed": ("failed to start", "orange"),
}
LOG_LINES_SHOWN = 40


def draw_job_cards(workspace: Workspace, job_names: list[str] | None = None) -> None:
    """Draw the cards of these jobs, or of all; refreshed every second while one is active."""
    jobs = JobManager(workspace)
    selected = _select_jobs(jobs, job_names)
    is_active = any(state in ACTIVE_STATES for _, state in selected)
    if selected:
        st.fragment(run_every=REFRESH_SECONDS if is_active else None)(_draw_cards)(workspace, job_names, is_active)


def _draw_cards(workspace: Workspace, job_names: list[str] | None, was_active: bool) -> None:
    jobs = JobManager(workspace)
    selected = _select_jobs(jobs, job_names)
    if was_active and not any(state in ACTIVE_STATES for _, state in selected):
        st.rerun()  # the whole page: there are results to show
    for job, state in selected:
        with st.container(border=True, key=f"job-{job.name}"):
            _draw_card(jobs, job, state)


def _select_jobs(jobs: JobManager, job_names: list[str] | None) -> list[tuple[Job, JobState]]:
    """Return the jobs with their states: all that are not done, and the latest that is."""
    pairs = [(job, jobs.state(job)) for job in jobs.list_jobs() if job_names is None or job.name in job_names]
    latest_done = next((pair for pair in pairs if pair[1] == "done"), None)
    return [pair for pair in pairs if pair[1] != "done" or pair is latest_done]


def _draw_card(jobs: JobManager, job: Job, state: JobState) -> None:
    label, colour = STATE_LABELS[state]
    st.markdown(f"**{theme.escape_markdown(', '.join(job.runs))}** &nbsp; :{colour}[{label}]")
    run_progress = jobs.read_progress(job)
    for progress in run_progress:
        share = 1.0 if progress.is_finished else progress.done / max(1, progress.total or progress.done)
        st.progress(min(1.0, share), text=f":gray[{theme.escape_markdown(describe_progress(progress))}]")
    if not run_progress and state in ACTIVE_STATES:
        st.progress(0.0, text=":gray[starting: loading the model]")
    if state == "failed" and (message := jobs.read_error(job)):
        st.error(theme.escape_markdown(message), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_buttons(jobs, job, state)
    if state not in ACTIVE_STATES:
        with st.expander("Log"):
            st.code("\n".join(jobs.read_log(job).splitlines()[-LOG_LINES_SHOWN:]), language=None)


def describe_progress(progress: RunProgress) -> str:
    """Describe progress, rate, time left and failures on one line."""
    of = f" of {progress.total}" if progress.total and not progress.is_finished else ""
    parts = [f"{progress.title}: {progress.done}{of} {progress.unit}", f"{progress.rate:.3g}/s"]
    if progress.seconds_left is not None:
        parts.append(f"{format_duration(progress.seconds_left)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    return " · ".join(parts)


def format_duration(seconds: float) -> str:
    """Format a duration in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _draw_buttons(jobs: JobManager, job: Job, state: JobState) -> None:
    if state == "running" and st.button("Stop", key=f"stop-{job.name}", icon=":material/stop:"):
        jobs.cancel(job)
        st.rerun()
    if state == "stopping" and st.button("Stop now", key=f"kill-{job.name}"):
        jobs.cancel(job)
        st.rerun()
    if state in ACTIVE_STATES:
        return
    is_resumable = state in ("stopped", "done_with_failures")
    label = "Resume" if state == "stopped" else "Retry failed samples"
    if is_resumable and st.button(label, key=f"resume-{job.name}", icon=":material/play_arrow:"):
        jobs.resume(job)
        st.rerun()
    if state in ("done", "done_with_failures"):
        for name in job.runs:
            navigation.draw_page_link("benchmark", f"Results of {name}", run=name)
    if st.button("Dismiss", key=f"dismiss-{job.name}", type="tertiary"):
        jobs.remove(job)
        st.rerun()
