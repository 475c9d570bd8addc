"""Choosing a run from the shelf."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import workspace
from auricle.app.theme import escape_markdown
from auricle.app.workspace import RunEntry


def list_entries(*kinds: str) -> list[RunEntry]:
    """What is on the shelf, of these kinds."""
    return [each for each in workspace.current_workspace().list_entries() if not kinds or each.kind in kinds]


def pick_run(
    label: str, entries: Sequence[RunEntry], key: str, *, query_key: str = "run", default_index: int = 0
) -> RunEntry | None:
    """The run a visitor chooses, or the one the address names; None where there is none.

    The address follows the choice, so that what is seen can be sent to somebody.
    """
    if not entries:
        st.info("There is nothing to look at yet: no run is in the runs folder.", icon=":material/inbox:")
        return None
    by_name = {each.name: each for each in entries}
    wanted = st.query_params.get(query_key, "")
    before = st.session_state.get(f"{key}-asked")
    if wanted in by_name and before != wanted:
        st.session_state[key] = wanted  # a link was followed: it counts more than what was chosen
    if st.session_state.get(key) not in by_name:  # Streamlit forgets it on the way to other pages
        usual = list(by_name)[min(default_index, len(by_name) - 1)]
        st.session_state[key] = before if before in by_name else usual
    name = st.selectbox(label, list(by_name), key=key, format_func=lambda name: _format_entry(by_name[name]))
    st.session_state[f"{key}-asked"] = name
    if wanted != name:
        st.query_params[query_key] = name
    entry = by_name[name]
    if entry.error:
        st.error(escape_markdown(f"{entry.name}: {entry.error}"), icon=":material/broken_image:")
        return None
    return entry


def clear_choice(key: str) -> None:
    """Leave a choice open again."""
    for each in (key, f"{key}-asked"):
        st.session_state.pop(each, None)


def default_baseline_index(entries: Sequence[RunEntry], name: str) -> int:
    """Which run to compare another with: the newest of the same task, if there is one."""
    one = next((each for each in entries if each.name == name), entries[0])
    others = [at for at, each in enumerate(entries) if each.name != one.name]
    alike = [at for at in others if (entries[at].task, entries[at].kind) == (one.task, one.kind)]
    return next(iter(alike or others), 0)


def _format_entry(entry: RunEntry) -> str:
    if entry.error:
        return f"{entry.name} (broken)"
    return f"{entry.name}, {entry.task} × {entry.model}" if entry.task else entry.name
