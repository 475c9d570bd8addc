"""HTML made of function calls. Whatever is not `Markup` already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID_ELEMENTS = {"meta", "input"}


class Markup(str):
    """Text that is HTML. Joined to a plain string it is plain again, and escaped when used."""

    __slots__ = ()


Child: TypeAlias = str | Iterable[str] | None


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An element; `class_` and `aria_label` name class and aria-label, None and False leave out."""
    told = "".join(_render_attribute(key, value) for key, value in attributes.items())
    if name in VOID_ELEMENTS:
        return Markup(f"<{name}{told}>")
    return Markup(f"<{name}{told}>{join_markup(*children)}</{name}>")


def join_markup(*children: Child) -> Markup:
    """Pieces side by side, each escaped unless it is markup."""
    return Markup("".join(_render_child(child) for child in children))


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
