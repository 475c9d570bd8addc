"""Cards of jobs: progress, rate, failures, and buttons to stop and resume.

While a job runs, only the cards are drawn again every second, not the page.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.jobs import Job, JobLog, JobManager, JobState
from auricle.app.views.components import error_boundary
from auricle.app.views.confirmation import confirm_origins
from auricle.app.workspace import Workspace, check_run_file
from auricle.core.value_text import pluralise
from auricle.engine.progress import ProgressEvent
from auricle.report.html_format import format_count
from auricle.runs.metrics import format_money
from auricle.runs.run_summary import summarise_run

REFRESH_SECONDS = 1.0
ACTIVE_STATES = ("running", "stopping")
STATE_LABELS: dict[JobState, tuple[str, str]] = {
    "running": ("running", "blue"),
    "stopping": ("Stopping…", "orange"),
    "done": ("done", "green"),
    "done_with_failures": ("done, with failures", "orange"),
    "stopped": ("stopped; completed samples are kept", "gray"),
    "failed": ("failed to start", "orange"),
}
PHASE_DESCRIPTIONS = {"stopping": "requests in flight are answered first", "scoring": "the metrics are computed"}
"""What a run does that answers no further samples."""
MAX_BARS = 2
LOG_LINES_SHOWN = 40
MAX_REASON_LENGTH = 300


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
            _draw_card(workspace, jobs, job, state)


def _select_jobs(jobs: JobManager, job_names: list[str] | None) -> list[tuple[Job, JobState]]:
    """Return the jobs with their states: all that are not done, and the latest that is."""
    pairs = [(job, jobs.state(job)) for job in jobs.list_jobs() if job_names is None or job.name in job_names]
    latest_done = next((pair for pair in pairs if pair[1] == "done"), None)
    return [pair for pair in pairs if pair[1] != "done" or pair is latest_done]


def _draw_card(workspace: Workspace, jobs: JobManager, job: Job, state: JobState) -> None:
    label, colour = STATE_LABELS[state]
    if state == "stopping":
        label = describe_stopping(workspace, job)
    st.markdown(f"**{theme.escape_markdown(', '.join(job.runs))}** &nbsp; :{colour}[{label}]")
    log = jobs.read_log(job)
    _draw_progress(log, state)
    if state == "failed" and log.error:
        st.error(theme.escape_markdown(log.error), icon=":material/error:")
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_buttons(jobs, job, state)
    if state not in ACTIVE_STATES:
        with st.expander("Log"):
            st.code("\n".join(log.lines[-LOG_LINES_SHOWN:]), language=None)


def describe_stopping(workspace: Workspace, job: Job) -> str:
    """Describe what a job that was stopped still does."""
    phases = {summarise_run(workspace.root, workspace.root / name, check_run_file).phase for name in job.runs}
    return "Stopping… " + PHASE_DESCRIPTIONS["scoring" if phases == {"scoring"} else "stopping"]


def _draw_progress(log: JobLog, state: JobState) -> None:
    """Draw a bar for the last phases of its runs, as long as what is done of it; a job may have dozens of runs."""
    progress = log.progress
    if len(progress) > MAX_BARS:
        st.caption(f"{pluralise(len(progress) - MAX_BARS, 'earlier run')} finished.")
    for event in progress[-MAX_BARS:]:
        current = event if state == "running" else replace(event, eta_seconds=None)
        draw_bar(current.done, current.total, describe_progress(current))
    if not progress and state in ACTIVE_STATES:
        draw_bar(0, 1, "starting: loading the model")
    if failure := log.last_failure:
        reason = theme.escape_markdown(f"{failure.id}: {failure.kind}: {failure.message}"[:MAX_REASON_LENGTH])
        st.caption(f"Last failure: {reason}")


def draw_bar(done: int, total: int | None, text: str) -> None:
    """Draw a bar as long as what is done, below a text; only the text if it is unknown how much there is to do."""
    text = f":gray[{theme.escape_markdown(text)}]"
    if total:
        st.progress(min(1.0, done / total), text=text)
    else:
        st.markdown(text)


def describe_progress(event: ProgressEvent) -> str:
    """Describe counts, rate, time left, failures and cost on one line."""
    total = f" of {format_count(event.total)}" if event.total and event.done < event.total else ""
    unit = "verdicts" if event.phase == "judging" else "samples"
    parts = [f"{event.title}: {format_count(event.done)}{total} {unit}", f"{event.rate:.3g}/s"]
    if event.eta_seconds is not None:
        parts.append(f"{format_duration(event.eta_seconds)} left")
    parts += [f"{count} {name}" for name, count in (("retried", event.retried), ("failed", event.failed)) if count]
    if event.cost is not None:
        parts.append(format_money(event.cost, event.currency or ""))
    return " · ".join(parts)


def format_duration(seconds: float) -> str:
    """Format a duration in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _draw_buttons(jobs: JobManager, job: Job, state: JobState) -> None:
    if state in ACTIVE_STATES:
        label, icon = ("Stop", ":material/stop:") if state == "running" else ("Stop now", None)
        # The callback comes before the card is drawn again, which then shows the effect of the click.
        st.button(label, key=f"{state}-{job.name}", icon=icon, on_click=jobs.cancel, args=(job,))
        return
    resume_label = {"stopped": "Resume", "done_with_failures": "Retry failed samples"}.get(state)
    if resume_label and confirm_origins(job.form.origins if job.form else [], key=f"resume-{job.name}"):
        with error_boundary():
            if st.button(resume_label, key=f"resume-{job.name}", icon=":material/play_arrow:"):
                jobs.run(job)
                st.rerun()
    if state in ("done", "done_with_failures"):
        for name in job.runs:
            navigation.draw_page_link("benchmark", f"Results of {name}", run=name)
    if st.button("Dismiss", key=f"dismiss-{job.name}", type="tertiary"):
        jobs.remove(job)
        st.rerun()
