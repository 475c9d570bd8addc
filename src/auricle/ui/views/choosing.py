"""Choosing a run from the shelf."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.ui import shelf
from auricle.ui.shelf import Entry
from auricle.ui.theme import plain


def entries(*kinds: str) -> list[Entry]:
    """What is on the shelf, of these kinds."""
    return [each for each in shelf.current().entries() if not kinds or each.kind in kinds]


def chosen(
    label: str, known: Sequence[Entry], key: str, *, asked: str = "run", first: int = 0
) -> Entry | None:
    """The run a visitor chooses, at first the one the address names; None where there is none."""
    if not known:
        st.info(
            "There is nothing to look at yet: no run is in the runs folder.",
            icon=":material/inbox:",
        )
        return None
    by_name = {each.name: each for each in known}
    names = list(by_name)
    wanted = st.query_params.get(asked, "")
    index = names.index(wanted) if wanted in by_name else min(first, len(names) - 1)
    name = st.selectbox(
        label,
        names,
        index=index,
        key=key,
        persist_state="session",
        format_func=lambda name: _told(by_name[name]),
    )
    entry = by_name[name]
    if entry.reason:
        st.error(plain(f"{entry.name}: {entry.reason}"), icon=":material/broken_image:")
        return None
    return entry


def _told(entry: Entry) -> str:
    if entry.reason:
        return f"{entry.name} (broken)"
    return f"{entry.name}, {entry.task} × {entry.model}" if entry.task else entry.name
