"""A run that is going on, or that ended without numbers: progress, partial numbers, failures and the latest samples."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from auricle.app.live_run import LiveRun, stop_writer
from auricle.app.run_data import Fingerprint, fingerprint
from auricle.app.views import components
from auricle.app.views.job_cards import PHASE_DESCRIPTIONS, draw_bar, format_duration
from auricle.app.workspace import check_run_file, current_workspace
from auricle.core.types import Record
from auricle.core.value_text import format_json_value
from auricle.report.html_format import format_count, typeset_interval, typeset_value
from auricle.report.run_list import describe_done
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.progress import PROGRESS_FILE
from auricle.runs.run_directory import find_writer
from auricle.runs.run_summary import RunSummary
from auricle.scoring.sample_table import format_answer, truncate_text

REFRESH_SECONDS = 1.0
WATCH_SECONDS = 3.0
"""Time between two looks at a run that ended, which may be resumed."""
LATEST_SAMPLES, LATEST_FAILURES = 8, 5
MAX_TEXT = 120
STOP_NOW_HELP = "End the process at once. Completed samples are kept; requests in flight are lost."


def draw_live_run(path: Path, *, can_stop: bool) -> bool:
    """Draw the progress of a run that is not done, and what is known of it unless it has numbers to show.

    Args:
        path: Folder of the run.
        can_stop: Whether to offer to stop the process that writes it; a job of the app has its own button.

    Returns:
        Whether the run has numbers to show.
    """
    run = _summarise(path)
    if run.kind == "perf" or run.error or run.status == "done":
        return True
    is_running = run.status == "running"
    st.fragment(run_every=REFRESH_SECONDS if is_running else None)(_draw)(path, is_running, can_stop)
    if not is_running:
        st.fragment(run_every=WATCH_SECONDS)(_draw_again_when_resumed)(path, _take_fingerprint(path))
    return not is_running and (path / METRICS_FILE).exists()


@st.cache_resource(max_entries=32, show_spinner=False)
def open_live_run(path: str) -> LiveRun:
    """Return a run that may be going on, which all users of the app share."""
    return LiveRun(Path(path))


def _summarise(path: Path) -> RunSummary:
    return open_live_run(str(path)).summarise(current_workspace().root, check_run_file)


def _take_fingerprint(path: Path) -> Fingerprint:
    return fingerprint(path, PROGRESS_FILE, METRICS_FILE)


def _draw_again_when_resumed(path: Path, drawn: Fingerprint) -> None:
    """Draw the whole page again when the run was resumed, or scored, since it was drawn."""
    if _take_fingerprint(path) != drawn:
        st.rerun()


def _draw(path: Path, was_running: bool, can_stop: bool) -> None:
    run = _summarise(path)
    if was_running and run.status != "running":
        st.rerun()  # the whole page: there are results to show
    if run.status != "running":
        if run.status == "stopped":
            draw_bar(run.done or 0, run.total, f"stopped: {describe_done(run)} samples")
        _draw_ended(run)
        return
    live = open_live_run(str(path))
    live.update()
    if run.phase == "answering" and _was_stopped(path):
        run = replace(run, phase="stopping")  # the process will record it, too
    draw_bar(run.done or 0, run.total, describe_live(run, live))
    if can_stop:
        label, icon, note = (
            ("Stop now", None, STOP_NOW_HELP) if run.phase == "stopping" else ("Stop", ":material/stop:", None)
        )
        # The callback comes before the page is drawn again, which then shows the effect of the click.
        st.button(label, icon=icon, key=f"{label}-{path}", help=note, on_click=_request_stop, args=(path,))
        if st.session_state.get(_stop_key(path)) == 0:
            st.warning("The process that writes this run is not one of this machine and user. Stop it where it runs.")
    _draw_numbers(live.numbers)
    _draw_samples(live)


def _stop_key(path: Path) -> str:
    """Return where the session keeps the process that was asked to stop writing a run; 0 if it could not be asked."""
    return f"stopping-{path}"


def _was_stopped(path: Path) -> bool:
    return bool(pid := st.session_state.get(_stop_key(path))) and pid == find_writer(path)


def _request_stop(path: Path) -> None:
    pid = find_writer(path)
    st.session_state[_stop_key(path)] = pid if stop_writer(path) else 0


def describe_live(run: RunSummary, live: LiveRun) -> str:
    """Describe what the run does, counts, rate, time left and failures on one line."""
    follower = live.follower
    parts = [f"{describe_done(run)} samples"]
    if run.phase in PHASE_DESCRIPTIONS:
        stopping = "Stopping… " if run.phase == "stopping" else ""
        parts.insert(0, f"{stopping}{PHASE_DESCRIPTIONS[run.phase]}")
    else:
        if rate := follower.rate:
            parts.append(f"{rate:.3g}/s")
        if (seconds := follower.seconds_left(run.total)) is not None:
            parts.append(f"{format_duration(seconds)} left")
        elif not follower.done:
            parts.append("loading the model")
    if follower.failed:
        parts.append(f"{format_count(follower.failed)} failed")
    if follower.dropped:
        parts.append(f"{format_count(follower.dropped)} dropped")
    return " · ".join(parts)


def _draw_ended(run: RunSummary) -> None:
    """Explain what to do about a run that ended without numbers, and draw its latest samples."""
    path = run.path
    if (path / METRICS_FILE).exists():
        return
    if not run.done:
        st.info("This run has no result yet. Give the same command again to go on.", icon=":material/pause_circle:")
        return
    st.info(
        "This run ended before its numbers were computed. Give the same command again to resume it, or compute the "
        "numbers of what is done:",
        icon=":material/pause_circle:",
    )
    st.code(f"auricle score {shlex.quote(str(path))}", language=None, wrap_lines=True)
    live = LiveRun(path)
    live.follower.update()
    _draw_samples(live)


def _draw_numbers(numbers: Sequence[Number]) -> None:
    if not numbers:
        return
    st.header("So far", anchor=False)
    rows = [
        [number.title or number.metric, typeset_value(number), typeset_interval(number), format_count(number.scored)]
        for number in numbers
    ]
    components.draw_table(["", "Value", "95 % interval", "Samples"], rows)
    components.draw_notes(
        f"Over the first {format_count(numbers[0].total)} samples with a result. If the data are sorted, the rest may "
        "differ."
    )


def _draw_samples(live: LiveRun) -> None:
    follower = live.follower
    if failures := follower.latest_records(LATEST_FAILURES, failed_only=True):
        st.header("Latest failures", anchor=False)
        rows = [[record.sample.id, _describe_error(record)] for record in failures]
        components.draw_table(["Sample", "Reason"], rows, 2)
    if records := follower.latest_records(LATEST_SAMPLES):
        st.header("Latest samples", anchor=False)
        rows = [
            [
                record.sample.id,
                record.outcome.value,
                truncate_text(format_json_value(record.sample.target), MAX_TEXT),
                truncate_text(format_answer(record.outputs), MAX_TEXT),
            ]
            for record in records
        ]
        components.draw_table(["Sample", "Outcome", "Target", "Answer"], rows, 4)


def _describe_error(record: Record) -> str:
    return truncate_text(f"{record.error.kind}: {record.error.message}", MAX_TEXT) if record.error else ""
