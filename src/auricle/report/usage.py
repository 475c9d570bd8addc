"""What a run took, in words: tokens, hours of sound, cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.costs import money

Document = Mapping[str, Any]


def usage_facts(document: Document) -> list[tuple[str, str]]:
    """Names and short figures of what is known; ≥ where that is not all of it."""
    used = document.get("usage") or {}
    floor = "≥ " if used.get("samples_without_usage") else ""
    facts = [
        ("Tokens in", _short(used.get("input_tokens"), floor)),
        ("Tokens out", _short(used.get("output_tokens"), floor)),
        ("Audio", _audio(used)),
        ("Cost", _cost(used, "≥ ")),
        ("From the cache", f"{used['cached']:,}" if used.get("cached") else ""),
    ]
    return [(name, told) for name, told in facts if told]


def usage_line(document: Document) -> str:
    """One line for a terminal; empty where nothing is known."""
    used = document.get("usage") or {}
    told = [_tokens(used), _audio(used, "of audio"), _cost(used, "at least ")]
    if used.get("cached"):
        told.append(f"{used['cached']:,} answers from the cache")
    if used.get("samples_without_cost"):
        told.append(f"the cost of {_samples(used['samples_without_cost'])} unknown")
    elif used.get("samples_without_usage") and told[0]:
        told.append(f"the tokens of {_samples(used['samples_without_usage'])} unknown")
    known = ", ".join(filter(None, told))
    return f"Usage: {known}" if known else ""


def _tokens(used: Document) -> str:
    sides = ((used.get("input_tokens"), "in"), (used.get("output_tokens"), "out"))
    told = " + ".join(f"{count:,} {side}" for count, side in sides if count is not None)
    return f"tokens {told}" if told else ""


def _audio(used: Document, what: str = "") -> str:
    seconds = used.get("audio_seconds")
    if not seconds:
        return ""
    told = f"{seconds / 3600:,.2f} h" if seconds >= 360 else f"{seconds:,.1f} s"
    return f"{told} {what}".rstrip()


def _cost(used: Document, floor: str) -> str:
    if used.get("cost") is None:
        return ""
    return f"{floor if used['samples_without_cost'] else ''}{money(used['cost'], used['currency'])}"


def _samples(count: int) -> str:
    return f"{count:,} sample{'' if count == 1 else 's'}"


def _short(count: int | None, floor: str) -> str:
    if count is None:
        return ""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{floor}{count / size:.3g} {letter}"
    return f"{floor}{count}"
