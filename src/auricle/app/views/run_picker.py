"""Choosing a run from the shelf."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import workspace
from auricle.app.theme import plain
from auricle.app.workspace import Entry


def entries(*kinds: str) -> list[Entry]:
    """What is on the shelf, of these kinds."""
    return [each for each in workspace.current().entries() if not kinds or each.kind in kinds]


def chosen(
    label: str, known: Sequence[Entry], key: str, *, asked: str = "run", first: int = 0
) -> Entry | None:
    """The run a visitor chooses, or the one the address names; None where there is none.

    The address follows the choice, so that what is seen can be sent to somebody.
    """
    if not known:
        st.info(
            "There is nothing to look at yet: no run is in the runs folder.",
            icon=":material/inbox:",
        )
        return None
    by_name = {each.name: each for each in known}
    wanted = st.query_params.get(asked, "")
    before = st.session_state.get(f"{key}-asked")
    if wanted in by_name and before != wanted:
        st.session_state[key] = wanted  # a link was followed: it counts more than what was chosen
    if st.session_state.get(key) not in by_name:  # Streamlit forgets it on the way to other pages
        usual = list(by_name)[min(first, len(by_name) - 1)]
        st.session_state[key] = before if before in by_name else usual
    name = st.selectbox(
        label, list(by_name), key=key, format_func=lambda name: _told(by_name[name])
    )
    st.session_state[f"{key}-asked"] = name
    if wanted != name:
        st.query_params[asked] = name
    entry = by_name[name]
    if entry.reason:
        st.error(plain(f"{entry.name}: {entry.reason}"), icon=":material/broken_image:")
        return None
    return entry


def forget(key: str) -> None:
    """Leave a choice open again."""
    for each in (key, f"{key}-asked"):
        st.session_state.pop(each, None)


def beside(known: Sequence[Entry], name: str) -> int:
    """Which run to compare another with: the newest of the same task, if there is one."""
    one = next((each for each in known if each.name == name), known[0])
    others = [at for at, each in enumerate(known) if each.name != one.name]
    alike = [at for at in others if (known[at].task, known[at].kind) == (one.task, one.kind)]
    return next(iter(alike or others), 0)


def _told(entry: Entry) -> str:
    if entry.reason:
        return f"{entry.name} (broken)"
    return f"{entry.name}, {entry.task} × {entry.model}" if entry.task else entry.name
