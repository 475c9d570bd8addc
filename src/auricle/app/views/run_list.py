"""Lists of runs: links to their results, and the select box for one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import navigation
from auricle.app.theme import escape_markdown
from auricle.app.workspace import RunEntry, current_workspace


def draw_run_list(entries: Sequence[RunEntry], max_runs: int) -> None:
    """Draw one line for each of the first `max_runs` runs."""
    with st.container(key="run-rows", gap=None):
        for entry in entries[:max_runs]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                page = "performance" if entry.kind == "perf" else "benchmark"
                navigation.draw_page_link(page, entry.name, run=entry.name)
                st.markdown(f":gray[{escape_markdown(describe_run(entry))}]")
    if len(entries) > max_runs:
        st.caption(
            f"{len(entries) - max_runs:,} older runs are available on the Samples, Compare and Performance pages."
        )


def describe_run(entry: RunEntry) -> str:
    """Describe a run on one line: task, model, state and start time."""
    if entry.error:
        return entry.error
    kind = "Load test: " if entry.kind == "perf" else ""
    state = "" if entry.is_finished else " · unfinished"
    created_at = f" · {entry.created_at[:16].replace('T', ' ')}" if entry.created_at else ""
    return f"{kind}{entry.task} × {entry.model}{state}{created_at}"


# --- the select box -----------------------------------------------------------------------------


def list_entries(*kinds: str) -> list[RunEntry]:
    """List the runs of the current workspace, of these kinds if any are given."""
    return [entry for entry in current_workspace().list_entries() if not kinds or entry.kind in kinds]


def pick_run(
    label: str, entries: Sequence[RunEntry], key: str, *, query_key: str = "run", default_index: int = 0
) -> RunEntry | None:
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


def default_baseline_index(entries: Sequence[RunEntry], name: str) -> int:
    """Return the index of the run to compare with: the newest other run of the same task, if there is one."""
    candidate = next((entry for entry in entries if entry.name == name), entries[0])
    others = [index for index, entry in enumerate(entries) if entry.name != candidate.name]
    same_task = [
        index for index in others if (entries[index].task, entries[index].kind) == (candidate.task, candidate.kind)
    ]
    return next(iter(same_task or others), 0)


def _format_entry(entry: RunEntry) -> str:
    if entry.error:
        return f"{entry.name} (broken)"
    return f"{entry.name}, {entry.task} × {entry.model}" if entry.task else entry.name
