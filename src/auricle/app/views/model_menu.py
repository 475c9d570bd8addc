"""A menu of models by group, with what is installed and which weights are at hand, and of classes in files.

It is a dialog, which closes when a model is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.views.path_picker import draw_browser
from auricle.app.workspace import current_workspace
from auricle.core.errors import SpecError
from auricle.core.source_files import list_definitions
from auricle.models.availability import ModelEntry, list_model_entries
from auricle.models.catalogue import MODELS

CATALOGUE, FILE = "Catalogue", "Class in a file"
OWN_CLASS = "Auricle"
FRAMEWORK_NAMES = {
    "aisbench:": "AISBench",
    "cmi:": "CMI-RewardBench",
    "kimi:": "Kimi-Audio-Evalkit",
    "lmms:": "lmms-eval",
    "ser:": "a speech emotion suite",
}
"""Names of frameworks by the prefix of their classes; other packages may add further prefixes."""
CACHE_SECONDS = 20
"""Seconds after which packages and downloaded weights are looked for again."""


@st.cache_data(ttl=CACHE_SECONDS, show_spinner=False)
def load_model_entries() -> list[ModelEntry]:
    """List the models; packages and caches are not searched again for each click."""
    return list_model_entries()


def find_entry(name: str) -> ModelEntry | None:
    """Return the entry of a model in the catalogue, or None for a class in a file."""
    return next((entry for entry in load_model_entries() if entry.name == name), None)


def describe_model(name: str) -> str:
    """Describe a model and what is at hand of it in one line."""
    entry = find_entry(name)
    return f"{entry.summary.rstrip('.')} · {entry.status}" if entry else "Class in a file"


def open_model_menu(key: str, choose: Callable[[str], None]) -> None:
    """Open the menu; `choose` is called with the name of the chosen model before the page is drawn again."""
    st.dialog("Choose a model", width="medium")(draw_model_menu)(key, choose)


def draw_model_menu(key: str, choose: Callable[[str], None]) -> None:
    """Draw the content of the menu."""
    sources: Any = {"options": (CATALOGUE, FILE), "default": CATALOGUE, "required": True}
    source = st.segmented_control("From", **sources, key=f"{key}-from", label_visibility="collapsed")
    if source == FILE:
        draw_class_menu(key, MODELS.prefixes(), choose)
    elif _draw_catalogue(key, choose):
        st.rerun()


def _draw_catalogue(key: str, choose: Callable[[str], None]) -> bool:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Search", key=f"{key}-search", placeholder="whisper", icon=":material/search:")
        shows_fakes = st.toggle("Show fake models", key=f"{key}-fakes", help="Models without weights, for tests.")
    entries = filter_entries(load_model_entries(), str(words or ""), shows_fakes=shows_fakes)
    is_clicked = False
    for group, members in groupby(entries, key=lambda entry: entry.group):
        st.markdown(f"**{group}**")
        for entry in members:
            is_clicked |= _draw_entry(key, entry, choose)
    if not entries:
        st.caption("No model matches.")
    return is_clicked


def filter_entries(entries: Sequence[ModelEntry], words: str, *, shows_fakes: bool) -> list[ModelEntry]:
    """Return the entries that contain all words; fake models only if asked for."""
    terms = words.casefold().split()
    texts = {entry.name: f"{entry.name} {entry.summary} {entry.group}".casefold() for entry in entries}
    return [
        entry
        for entry in entries
        if (shows_fakes or not entry.is_fake) and all(term in texts[entry.name] for term in terms)
    ]


def _draw_entry(key: str, entry: ModelEntry, choose: Callable[[str], None]) -> bool:
    name, text = st.columns([2, 5], gap="small", vertical_alignment="center")
    options: Any = {"on_click": choose, "args": (entry.name,), "width": "stretch"}
    is_clicked = name.button(theme.escape_markdown(entry.name), key=f"{key}-model-{entry.name}", **options)
    mark = ":green[:material/check_circle:]" if entry.is_ready else ":gray[:material/pending:]"
    text.caption(f"{theme.escape_markdown(entry.summary)}  \n{mark} {theme.escape_markdown(entry.status)}")
    return is_clicked


def open_class_menu(key: str, title: str, prefixes: Sequence[str], choose: Callable[[str], None]) -> None:
    """Open a menu of the classes and functions in a file."""
    st.dialog(title, width="medium")(draw_class_menu)(key, prefixes, choose)


def draw_class_menu(key: str, prefixes: Sequence[str], choose: Callable[[str], None]) -> None:
    """Draw a picker of a file, and the classes and functions that it defines; the file is not executed."""
    frameworks = [OWN_CLASS, *(f"{prefix}:" for prefix in prefixes)]
    options: Any = {"help": "The framework that the class was written for, which decides how it is called."}
    framework = st.selectbox(
        "Written for",
        frameworks,
        key=f"{key}-framework",
        format_func=lambda name: FRAMEWORK_NAMES.get(name, name),
        **options,
    )
    prefix = "" if framework == OWN_CLASS else str(framework)
    file_key = f"{key}-file"
    picked = st.session_state.get(file_key)
    path = current_workspace().resolve_path(picked) if picked else None
    if path and path.is_file():
        _draw_definitions(key, path, prefix, choose)
        st.divider()
    if draw_browser(file_key, (".py",), start=str(path or "")):
        st.rerun(scope="fragment")


def _draw_definitions(key: str, path: Path, prefix: str, choose: Callable[[str], None]) -> None:
    st.caption(f"In {theme.escape_markdown(path.name)}:")
    try:
        names = list_definitions(path)
    except SpecError as error:
        st.error(theme.escape_markdown(error), icon=":material/error:")
        return
    with st.container(horizontal=True):
        for name in names:
            options: Any = {"on_click": choose, "args": (f"{prefix}{path}:{name}",)}
            if st.button(theme.escape_markdown(name), key=f"{key}-class-{name}", **options):
                st.rerun()
    if not names:
        st.caption("The file defines no class or function.")
