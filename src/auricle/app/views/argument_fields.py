"""A field for each argument of a model or a task, as its definition describes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from auricle.app import theme
from auricle.app.permissions import KEY_VARIABLES
from auricle.app.run_form import DATA_SUFFIXES, label_of, parse_options
from auricle.app.views.components import iter_in_columns
from auricle.app.views.path_picker import draw_browse_button
from auricle.app.workspace import current_workspace
from auricle.core.arguments import Argument, ArgumentKind
from auricle.core.errors import SpecError
from auricle.engine.spec import parse_arguments

CHECKPOINT_SUFFIXES = (".pt", ".pth", ".bin", ".safetensors", ".onnx")
FILE_SUFFIXES = (*DATA_SUFFIXES, *CHECKPOINT_SUFFIXES)
MAX_COMMON = 6
"""Number of fields that are shown first; further ones, unless required, are in the expander."""


def draw_arguments(
    owner: str,
    arguments: Sequence[Argument],
    key: str,
    suggestions: Mapping[str, Sequence[str]] | None = None,
    columns: int = 2,
) -> dict[str, Any]:
    """Draw the common arguments, and the others in an expander; return the values that differ from the defaults.

    Args:
        owner: Name of the model or task, for the headings.
        arguments: The description of the arguments.
        key: Prefix of the keys of the widgets.
        suggestions: Further choices of arguments that accept any value, by name.
        columns: Number of fields side by side.
    """
    shown = [_with_suggestions(argument, suggestions or {}) for argument in arguments if _is_shown(argument)]
    common = _select_common(shown)
    name = theme.escape_markdown(owner)
    values: dict[str, Any] = {}
    if common:
        st.markdown(f"**Options of {name}**")
    for argument in iter_in_columns(common, columns):
        values |= _draw_field(argument, key)
    with st.expander(f"{'More options' if common else 'Options'} of {name}"):
        for argument in iter_in_columns([argument for argument in shown if argument not in common], columns):
            values |= _draw_field(argument, key)
        values |= _draw_other_options(key)
    return values


def _is_shown(argument: Argument) -> bool:
    """Return whether there is anything to enter; a secret must come from the environment."""
    has_alternatives = argument.kind != "choice" or argument.accepts_others or len(argument.choices) > 1
    return argument.kind != "secret" and has_alternatives


def _select_common(arguments: Sequence[Argument]) -> list[Argument]:
    """Return the arguments that are shown first: required ones, and some that are common."""
    required = [argument for argument in arguments if argument.is_required]
    common = [argument for argument in arguments if argument.is_common and not argument.is_required]
    return [*required, *common[: max(0, MAX_COMMON - len(required))]]


def _with_suggestions(argument: Argument, suggestions: Mapping[str, Sequence[str]]) -> Argument:
    choices = (*suggestions.get(argument.name, ()), *argument.choices)
    return replace(argument, choices=tuple(dict.fromkeys(choices))) if argument.kind == "weights" else argument


def _draw_field(argument: Argument, key: str) -> dict[str, Any]:
    """Draw one field, and return its value under the name of the argument, unless it is the default."""
    value = DRAWERS.get(argument.kind, _draw_text)(argument, f"{key}-{argument.name}")
    is_default = value in (None, "") or (value == argument.default and type(value) is type(argument.default))
    return {} if is_default else {argument.name: value}


def _common(argument: Argument, key: str) -> dict[str, Any]:
    """Return what all fields have: label, key and help."""
    label = label_of(argument) + (" (required)" if argument.is_required else "")
    text = theme.escape_markdown(argument.help.replace("`", "")) or None
    return {"label": label, "key": key, "help": text, **theme.PERSIST_STATE}


def _placeholder(argument: Argument) -> str:
    return str(argument.default) if argument.default not in (None, "", (), {}) else ""


def _draw_switch(argument: Argument, key: str) -> Any:
    return st.toggle(value=bool(argument.default), **_common(argument, key))


def _draw_number(argument: Argument, key: str) -> Any:
    kind, form = (int, {"step": 1}) if argument.kind == "integer" else (float, {"format": "%g"})
    default = kind(argument.default) if isinstance(argument.default, (int, float)) else None
    options: Any = {"placeholder": "default", **form, **_common(argument, key)}
    return st.number_input(value=default, **options)


def _draw_choice(argument: Argument, key: str) -> Any:
    index = argument.choices.index(argument.default) if argument.default in argument.choices else None
    return st.selectbox(
        options=list(argument.choices),
        index=index,
        accept_new_options=argument.accepts_others,
        placeholder="default",
        **_common(argument, key),
    )


def _draw_several(argument: Argument, key: str) -> str:
    chosen = st.pills(options=list(argument.choices), selection_mode="multi", **_common(argument, key))
    return ",".join(chosen or ())


def _draw_text(argument: Argument, key: str) -> str:
    return str(st.text_input(placeholder=_placeholder(argument), **_common(argument, key)) or "").strip()


def _draw_json(argument: Argument, key: str) -> Any:
    text = _draw_text(argument, key)
    return parse_arguments([f"value={text}"])["value"] if text else ""


def _draw_path(argument: Argument, key: str) -> str:
    suffixes = FILE_SUFFIXES if argument.kind == "file" else ()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        value = _draw_text(argument, key)
        draw_browse_button(key, f"a {argument.kind}", suffixes)
    return value


def _draw_weights(argument: Argument, key: str) -> Any:
    """Draw a menu of the weights at hand and of usual names, in which other names can be entered, and a picker."""
    default = [argument.default] if argument.default else []
    options = list(dict.fromkeys([*default, *argument.choices]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        value = st.selectbox(
            options=options,
            index=0 if default else None,
            accept_new_options=True,
            placeholder="Folder, or name on a hub",
            **_common(argument, key),
        )
        draw_browse_button(key, "the folder of the weights")
    return value


def _draw_variable(argument: Argument, key: str) -> Any:
    """Draw a menu of environment variables, and whether they are set; values are never shown."""
    names = list(dict.fromkeys((*KEY_VARIABLES, *current_workspace().allowed_variables)))

    def describe(name: str) -> str:
        return f"{name} ({'set' if os.environ.get(name) else 'not set'})"

    index = names.index(argument.default) if argument.default in names else None
    return st.selectbox(
        options=names, index=index, format_func=describe, placeholder="no key", **_common(argument, key)
    )


DRAWERS: Mapping[ArgumentKind, Callable[[Argument, str], Any]] = {
    "switch": _draw_switch,
    "integer": _draw_number,
    "number": _draw_number,
    "choice": _draw_choice,
    "several": _draw_several,
    "folder": _draw_path,
    "file": _draw_path,
    "weights": _draw_weights,
    "variable": _draw_variable,
    "json": _draw_json,
}
"""The field of each kind of argument; texts have the simplest one."""


def _draw_other_options(key: str) -> dict[str, Any]:
    """Draw a field for options that have none, written as on the command line."""
    text = st.text_input(
        "Other options", key=f"{key}-options", placeholder="key=value key=value", **theme.PERSIST_STATE
    )
    try:
        return parse_options(str(text or ""))
    except SpecError as error:
        st.error(theme.escape_markdown(error), icon=":material/error:")
        return {}
