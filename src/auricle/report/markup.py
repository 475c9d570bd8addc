"""HTML made of function calls. Whatever is not `Markup` already is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID = {"meta", "input"}


class Markup(str):
    """Text that is HTML. Joined to a plain string it is plain again, and escaped when used."""

    __slots__ = ()


Child: TypeAlias = str | Iterable[str] | None


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An element; `class_` and `aria_label` name class and aria-label, None and False leave out."""
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{told}>")
    return Markup(f"<{name}{told}>{together(*children)}</{name}>")


def together(*children: Child) -> Markup:
    """Pieces side by side, each escaped unless it is markup."""
    return Markup("".join(_piece(child) for child in children))


def _piece(child: Child) -> str:
    if child is None or isinstance(child, Markup):
        return child or ""
    if isinstance(child, str):
        return escape(child)
    return together(*child)


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
