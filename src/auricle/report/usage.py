"""What a run took, in words: tokens, hours of sound, time, cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.runs.usage import money

Document = Mapping[str, Any]
MEANINGS = {
    "Wall time": "From the first question to the last answer of each pass, decoding included, "
                 "model loading excluded.",
    "RTFx": "Audio seconds answered per second of wall time, decoding included, model loading "
            "excluded.",
}  # fmt: skip


def usage_facts(document: Document) -> list[tuple[str, str]]:
    """Names and short figures of what is known; ≥ where that is not all of it."""
    used = document.get("usage") or {}
    floor = "≥ " if used.get("samples_without_usage") else ""
    facts = [
        ("Tokens in", _short(used.get("input_tokens"), floor)),
        ("Tokens out", _short(used.get("output_tokens"), floor)),
        ("Audio", _audio(used)),
        *speed_facts(document),
        ("Cost", _cost(used, "≥ ")),
        ("From the cache", f"{used['cached']:,}" if used.get("cached") else ""),
    ]
    return [(name, told) for name, told in facts if told]


def speed_facts(document: Document) -> list[tuple[str, str]]:
    """How long it took, and how much faster than real time that was; or samples, without sound."""
    took = document.get("speed")
    if not took:
        return []
    rates = (("RTFx", took["rtfx"]), ("Samples/s", took["samples_per_second"]))
    known = [(name, _figures(rate)) for name, rate in rates if rate is not None]
    return [("Wall time", _span(took["wall_seconds"])), *known[:1]]


def meanings(document: Document) -> list[tuple[str, str]]:
    """What the words of time and speed mean, where a page has them."""
    known = [name for name, _ in speed_facts(document) if name in MEANINGS]
    share = _share(document) if known else ""
    measured = f" Measured{share}." if share else ""
    return [(name, MEANINGS[name] + measured) for name in known]


def usage_line(document: Document) -> str:
    """One line for a terminal; empty where nothing is known."""
    used = document.get("usage") or {}
    told = [_tokens(used), _audio(used, "of audio"), _cost(used, "at least "), _speed(document)]
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


def _speed(document: Document) -> str:
    took = document.get("speed")
    if not took:
        return ""
    told = f"{_span(took['wall_seconds'])} of wall time{_share(document)}"
    if took["rtfx"] is not None:
        return f"{told}, RTFx {_figures(took['rtfx'])}"
    rate = took["samples_per_second"]
    return told if rate is None else f"{told}, {_figures(rate)} samples/s"


def _share(document: Document) -> str:
    """Of how many samples time and speed are, where it is not known of all."""
    timed, answered = document["speed"]["samples"], document["outcomes"]["answered"]
    return f" for {timed:,} of {answered:,} answers" if timed < answered else ""


def _span(seconds: float) -> str:
    if seconds < 600:
        return f"{_figures(seconds)} s"
    return f"{_figures(seconds / 60)} min" if seconds < 7200 else f"{_figures(seconds / 3600)} h"


def _figures(value: float) -> str:
    """Three significant digits, and never fewer than all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


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
