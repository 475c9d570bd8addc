"""The runs of the workspace, and the select box for one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from auricle.app.theme import escape_markdown
from auricle.app.workspace import check_run_file, current_workspace
from auricle.runs.run_summary import RunIndex, RunSummary


@st.cache_resource(show_spinner=False)
def open_run_index(root: str) -> RunIndex:
    """Return the summaries of the runs in a folder, which all users of the app share."""
    return RunIndex(Path(root), check_run_file)


def list_runs(*kinds: str) -> list[RunSummary]:
    """List the runs of the current workspace, of these kinds if any are given: running ones first, then the newest."""
    workspace = current_workspace()
    summaries = open_run_index(str(workspace.root)).summarise(workspace.find_run_folders())
    return [summary for summary in summaries if not kinds or summary.kind in kinds]


def pick_run(
    label: str, entries: Sequence[RunSummary], key: str, *, query_key: str = "run", default_index: int = 0
) -> RunSummary | None:
    """Draw a select box and return the chosen run, or None if there is none or it is broken.

    The URL names the chosen run (as `query_key`), so that the page can be shared.
    """
    if not entries:
        st.info("No runs yet: the runs folder is empty.", icon=":material/inbox:")
        return None
    by_name = {entry.name: entry for entry in entries}
    requested = st.query_params.get(query_key, "")
    previous = previous_choice(key)
    if requested in by_name and previous != requested:
        st.session_state[key] = requested  # the user followed a link, which overrides the previous choice
    if st.session_state.get(key) not in by_name:  # Streamlit drops the value while another page is shown
        default = list(by_name)[min(default_index, len(by_name) - 1)]
        st.session_state[key] = previous if previous in by_name else default
    name = st.selectbox(label, list(by_name), key=key, format_func=lambda name: _format_entry(by_name[name]))
    st.session_state[_previous_key(key)] = name
    if requested != name:
        st.query_params[query_key] = name
    entry = by_name[name]
    if entry.error:
        st.error(escape_markdown(f"{entry.name}: {entry.error}"), icon=":material/broken_image:")
        return None
    return entry


def previous_choice(key: str) -> str:
    """Return the run that was chosen when the page was last drawn, or an empty string."""
    return str(st.session_state.get(_previous_key(key), ""))


def clear_choice(key: str) -> None:
    """Reset a select box to its default."""
    for session_key in (key, _previous_key(key)):
        st.session_state.pop(session_key, None)


def _previous_key(key: str) -> str:
    return f"{key}-previous"


def default_candidate_index(entries: Sequence[RunSummary]) -> int:
    """Return the index of the newest run with a result, if possible with another one to compare it with, or else 0."""
    scored = [index for index, entry in enumerate(entries) if _has_result(entry)]

    def has_partner(index: int) -> bool:
        return any(other != index and _are_comparable(entries[index], entries[other]) for other in scored)

    return next(filter(has_partner, scored), scored[0] if scored else 0)


def default_baseline_index(entries: Sequence[RunSummary], name: str) -> int:
    """Return the index of the run to compare with: one with a result, of the same data if possible, the newest first.

    Args:
        entries: All runs, the newest first.
        name: The other run of the comparison; if there is no such run, it is the default candidate.
    """
    by_name = {entry.name: entry for entry in entries}
    candidate = by_name.get(name, entries[default_candidate_index(entries)])
    others = [index for index, entry in enumerate(entries) if entry.name != candidate.name]

    def preference(index: int) -> tuple[bool, bool, bool]:
        entry = entries[index]
        return entry.kind == candidate.kind, _has_result(entry), _are_comparable(entry, candidate)

    return max(others, key=preference, default=0)


def _are_comparable(a: RunSummary, b: RunSummary) -> bool:
    """Return whether two runs have the same data, or the same task if the content of the data is unknown."""
    if a.kind != b.kind:
        return False
    return a.revision == b.revision if a.revision and b.revision else a.task == b.task


def _has_result(entry: RunSummary) -> bool:
    """Return whether a run was scored, or a load test was finished, so that it can be compared."""
    if entry.error or entry.status == "running":
        return False
    return entry.status == "done" if entry.kind == "perf" else entry.headline is not None


def _format_entry(entry: RunSummary) -> str:
    if entry.error:
        return f"{entry.title} (broken)"
    return f"{entry.title}, {entry.task} × {entry.model}" if entry.task else entry.title
