"""What a run took, in words: tokens, hours of sound, cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.costs import money

Document = Mapping[str, Any]


def usage_facts(document: Document) -> list[tuple[str, str]]:
    """Names and figures of what is known; nothing of what is not."""
    used = document.get("usage") or {}
    facts = [("Tokens", _tokens(used)), ("Audio", _audio(used)), ("Cost", _cost(used))]
    if used.get("cached"):
        facts.append(("From the cache", f"{used['cached']:,}"))
    return [(name, told) for name, told in facts if told]


def usage_line(document: Document) -> str:
    """One line for a terminal; empty where nothing is known."""
    facts = usage_facts(document)
    told = ", ".join(f"{name.lower()} {figure}" for name, figure in facts)
    return f"Usage: {told}" if told else ""


def _tokens(used: Document) -> str:
    sides = ((used.get("input_tokens"), "in"), (used.get("output_tokens"), "out"))
    told = " + ".join(f"{count:,} {side}" for count, side in sides if count is not None)
    missing = used.get("samples_without_usage")
    return f"{told} ({missing:,} samples told not all)" if told and missing else told


def _audio(used: Document) -> str:
    seconds = used.get("audio_seconds")
    if not seconds:
        return ""
    return f"{seconds / 3600:,.2f} h" if seconds >= 360 else f"{seconds:,.1f} s"


def _cost(used: Document) -> str:
    missing = used.get("samples_without_cost")
    if used.get("cost") is None:
        return "unknown: the answers tell no usage" if missing else ""
    told = money(used["cost"], used["currency"])
    return f"at least {told} ({missing:,} samples of unknown cost)" if missing else told
