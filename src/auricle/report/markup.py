"""Build HTML from function calls. Everything that is not `Markup` is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from markupsafe import Markup as Markup

VOID_ELEMENTS = {"meta", "input"}


Child: TypeAlias = str | Iterable[str] | None


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Build an element; `class_` and `aria_label` set class and aria-label, None and False are omitted."""
    rendered = "".join(_render_attribute(key, value) for key, value in attributes.items())
    if name in VOID_ELEMENTS:
        return Markup(f"<{name}{rendered}>")  # noqa: S704
    return Markup(f"<{name}{rendered}>{join_markup(*children)}</{name}>")  # noqa: S704


def join_markup(*children: Child) -> Markup:
    """Concatenate pieces, escaping those that are not markup."""
    return Markup("".join(_render_child(child) for child in children))  # noqa: S704


def _render_child(child: Child) -> str:
    if child is None or isinstance(child, Markup):
        return child or ""
    if isinstance(child, str):
        return escape(child)
    return join_markup(*child)


def _render_attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
