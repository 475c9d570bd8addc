"""A run that is going on, or that ended without numbers: progress, partial numbers, failures and the latest samples."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from auricle.app.live_run import LiveRun, stop_writer
from auricle.app.run_data import format_answer, truncate_text
from auricle.app.theme import escape_markdown
from auricle.app.views import components
from auricle.app.views.job_cards import format_duration
from auricle.app.workspace import check_run_file, current_workspace
from auricle.core.types import Record
from auricle.report.html_format import format_count, typeset_interval, typeset_value
from auricle.report.run_list import describe_done
from auricle.report.sample_view import format_json_value
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_summary import RunSummary, summarise_run

REFRESH_SECONDS = 2.0
LATEST_SAMPLES, LATEST_FAILURES = 8, 5
MAX_TEXT = 120


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
    return not is_running and (path / METRICS_FILE).exists()


@st.cache_resource(max_entries=32, show_spinner=False)
def _open_live_run(path: str) -> LiveRun:
    return LiveRun(Path(path))


def _summarise(path: Path) -> RunSummary:
    return summarise_run(current_workspace().root, path, check_run_file)


def _draw(path: Path, was_running: bool, can_stop: bool) -> None:
    run = _summarise(path)
    if was_running and run.status != "running":
        st.rerun()  # the whole page: there are results to show
    share = (run.done or 0) / run.total if run.total else 0.0
    if run.status != "running":
        text = escape_markdown(f"{run.status}: {describe_done(run)} samples")
        st.progress(min(1.0, share), text=f":gray[{text}]")
        _draw_ended(run)
        return
    live = _open_live_run(str(path))
    live.update()
    st.progress(min(1.0, share), text=f":gray[{escape_markdown(describe_live(run, live))}]")
    if can_stop and st.button("Stop", icon=":material/stop:", key=f"stop-{path}"):
        if stop_writer(path):
            st.toast("The run stops when its requests in flight are answered.")
        else:
            st.warning("The process that writes this run is not one of this machine and user. Stop it where it runs.")
    _draw_numbers(live.numbers, live.scored)
    _draw_samples(live)


def describe_live(run: RunSummary, live: LiveRun) -> str:
    """Describe counts, rate, time left and failures on one line."""
    follower = live.follower
    parts = [f"{describe_done(run)} samples"]
    if rate := follower.rate:
        parts.append(f"{rate:.3g}/s")
    if run.total is not None and follower.done >= run.total:
        parts.append("scoring")
    elif (seconds := follower.seconds_left(run.total)) is not None:
        parts.append(f"{format_duration(seconds)} left")
    elif not follower.done:
        parts.append("loading the model")
    if follower.failed:
        parts.append(f"{format_count(follower.failed)} failed")
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


def _draw_numbers(numbers: Sequence[Number], scored: int) -> None:
    if not numbers:
        return
    st.subheader("So far", anchor=False)
    rows = [
        [number.title or number.metric, typeset_value(number), typeset_interval(number), format_count(number.scored)]
        for number in numbers
    ]
    components.draw_table(["", "Value", "95 % interval", "Samples"], rows)
    components.draw_notes(
        f"Over the first {format_count(scored)} samples with a result. If the data are sorted, the rest may differ."
    )


def _draw_samples(live: LiveRun) -> None:
    follower = live.follower
    if failures := follower.latest_records(LATEST_FAILURES, failed_only=True):
        st.subheader("Latest failures", anchor=False)
        rows = [[record.sample.id, _describe_error(record)] for record in failures]
        components.draw_table(["Sample", "Reason"], rows, 2)
    if records := follower.latest_records(LATEST_SAMPLES):
        st.subheader("Latest samples", anchor=False)
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
