"""Pick a folder or a file on the server with the mouse, from the folders that the app may read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.browsing import find_parent, list_folder, list_roots, resolve_folder
from auricle.app.workspace import Workspace, current_workspace

NO_FOLDERS = "The app may read no folder but that of the runs. Restart it with --allow DIR to add one."


def draw_browse_button(key: str, label: str, suffixes: Sequence[str] = ()) -> None:
    """Draw a button that opens a picker; what is picked becomes the value of the widget with this key.

    Args:
        key: Key of the widget.
        label: What is picked, for the title.
        suffixes: File suffixes to offer; without any, a folder is picked.
    """
    icon = ":material/draft:" if suffixes else ":material/folder_open:"
    if st.button("Browse", key=f"{key}-browse", icon=icon, help=f"Choose {label} on the server"):
        st.session_state.pop(_folder_key(key), None)
        st.dialog(f"Choose {label}", width="medium")(_draw_dialog)(key, suffixes)


def _draw_dialog(key: str, suffixes: Sequence[str]) -> None:
    path = draw_browser(key, suffixes, start=str(st.session_state.get(key) or ""))
    if path is not None:
        st.rerun()


def draw_browser(key: str, suffixes: Sequence[str] = (), start: str = "") -> str | None:
    """Draw the content of a folder, to enter its folders; return what was picked with this click.

    The value of the widget with this key is set, too.
    """
    workspace = current_workspace()
    folder = _current_folder(workspace, key, start)
    with st.container(horizontal=True, vertical_alignment="center"):
        if folder is not None:
            parent = find_parent(workspace, folder)
            label = "Up" if parent else "All folders"
            goto: Any = {"on_click": _enter, "args": (key, str(parent or ""))}
            st.button(label, key=f"{key}-up", icon=":material/arrow_upward:", **goto)
        st.markdown(f"**{theme.escape_markdown(folder or 'Folders the app may read')}**")
    if folder is None:
        for root in list_roots(workspace):
            _draw_folder(key, root, str(root))
        if not workspace.allowed_folders:
            st.caption(NO_FOLDERS)
        return None
    listing = list_folder(workspace, folder, suffixes)
    picked = None
    if not suffixes:
        # Its key does not depend on the folder: a click that arrives while another one is entered must not be lost.
        options: Any = {"key": f"{key}-pick", "type": "primary", "icon": ":material/check:"}
        picked = _draw_choice("Choose this folder", key, folder, **options)
    facts = [f"{len(listing.folders)} folders"]
    facts += [f"{len(listing.files)} files"] if suffixes else []
    facts += [f"{listing.audio_count:,} audio files"] if listing.audio_count else []
    st.caption(", ".join(facts) + ("" if listing.is_complete else "; not all are listed"))
    with st.container(height=320, key=f"{key}-entries", gap=None):
        for path in listing.folders:
            _draw_folder(key, path, path.name)
        for path in listing.files:
            options = {"key": f"{key}-pick-{path}", "type": "tertiary", "icon": ":material/draft:"}
            picked = _draw_choice(path.name, key, path, **options) or picked
    return picked


def _current_folder(workspace: Workspace, key: str, start: str) -> Path | None:
    """Return the folder that was entered, or else the one that contains the current value, or None for all roots."""
    entered = st.session_state.get(_folder_key(key))
    if entered is not None:
        return resolve_folder(workspace, entered)
    roots = list_roots(workspace)
    folder = resolve_folder(workspace, start) or (resolve_folder(workspace, Path(start).parent) if start else None)
    return folder or (roots[0] if len(roots) == 1 else None)


def _draw_folder(key: str, path: Path, label: str) -> None:
    goto: Any = {"on_click": _enter, "args": (key, str(path))}
    name = theme.escape_markdown(label)
    st.button(name, key=f"{key}-enter-{path}", icon=":material/folder:", type="tertiary", **goto)


def _draw_choice(label: str, field_key: str, path: Path, **options: Any) -> str | None:
    is_clicked = st.button(theme.escape_markdown(label), on_click=_pick, args=(field_key, str(path)), **options)
    return str(path) if is_clicked else None


def _enter(key: str, folder: str) -> None:
    st.session_state[_folder_key(key)] = folder


def _pick(key: str, path: str) -> None:
    st.session_state[key] = path


def _folder_key(key: str) -> str:
    return f"{key}-folder"
