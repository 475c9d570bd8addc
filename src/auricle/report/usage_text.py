"""Describe what a run used: tokens, hours of audio, time and cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.runs.usage import format_money

Document = Mapping[str, Any]
FACT_DESCRIPTIONS = {
    "Wall time": "From the first request to the last response of each pass, decoding included, "
                 "model loading excluded.",
    "RTFx": "Audio seconds answered per second of wall time, decoding included, model loading "
            "excluded.",
    "TTFT": "Median time from sending a request to the first token of its streamed answer.",
    "First audio": "Median time from sending a request to the first audio of its streamed answer.",
}  # fmt: skip
DELAYS = {"TTFT": "ttft_s", "First audio": "ttfa_s"}


def usage_facts(document: Document) -> list[tuple[str, str]]:
    """List what was used; ≥ marks incomplete figures."""
    used = document.get("usage") or {}
    floor = "≥ " if used.get("samples_without_usage") else ""
    facts = [
        ("Tokens in", _format_compact(used.get("input_tokens"), floor)),
        ("Tokens out", _format_compact(used.get("output_tokens"), floor)),
        ("Audio", _format_audio(used)),
        *speed_facts(document),
        ("Cost", _format_cost(used, "≥ ")),
        ("Cached", f"{used['cached']:,}" if used.get("cached") else ""),
    ]
    return [(name, text) for name, text in facts if text]


def speed_facts(document: Document) -> list[tuple[str, str]]:
    """List wall time and real-time factor, or samples per second without audio; for streams, delays."""
    took = document.get("speed")
    if not took:
        return []
    rates = (("RTFx", took["rtfx"]), ("Samples/s", took["samples_per_second"]))
    known = [(name, _format_significant(rate)) for name, rate in rates if rate is not None]
    delays = [(name, f"{_format_significant(took[key]['p50'])} s") for name, key in DELAYS.items() if took.get(key)]
    return [("Wall time", _format_duration(took["wall_seconds"])), *known[:1], *delays]


def describe_speed_facts(document: Document) -> list[tuple[str, str]]:
    """Define the terms of time and speed that a page uses."""
    known = [name for name, _ in speed_facts(document) if name in FACT_DESCRIPTIONS]
    share = _timed_share(document) if known else ""
    measured = f" Measured{share}." if share else ""
    return [(name, FACT_DESCRIPTIONS[name] + ("" if name in DELAYS else measured)) for name in known]


def format_usage_line(document: Document) -> str:
    """Describe usage in one line; return an empty string if nothing is known."""
    used = document.get("usage") or {}
    parts = [
        _format_tokens(used),
        _format_audio(used, "of audio"),
        _format_cost(used, "at least "),
        _format_speed(document),
    ]
    if used.get("cached"):
        parts.append(f"{used['cached']:,} answers from the cache")
    if used.get("samples_without_cost"):
        parts.append(f"the cost of {_format_sample_count(used['samples_without_cost'])} unknown")
    elif used.get("samples_without_usage") and parts[0]:
        parts.append(f"the tokens of {_format_sample_count(used['samples_without_usage'])} unknown")
    known = ", ".join(filter(None, parts))
    return f"Usage: {known}" if known else ""


def _format_tokens(usage: Document) -> str:
    sides = ((usage.get("input_tokens"), "in"), (usage.get("output_tokens"), "out"))
    counts = " + ".join(f"{count:,} {side}" for count, side in sides if count is not None)
    return f"tokens {counts}" if counts else ""


def _format_audio(usage: Document, suffix: str = "") -> str:
    seconds = usage.get("audio_seconds")
    if not seconds:
        return ""
    duration = f"{seconds / 3600:,.2f} h" if seconds >= 360 else f"{seconds:,.1f} s"
    return f"{duration} {suffix}".rstrip()


def _format_speed(document: Document) -> str:
    took = document.get("speed")
    if not took:
        return ""
    text = f"{_format_duration(took['wall_seconds'])} of wall time{_timed_share(document)}"
    rate = took["samples_per_second"]
    if took["rtfx"] is not None:
        text = f"{text}, RTFx {_format_significant(took['rtfx'])}"
    elif rate is not None:
        text = f"{text}, {_format_significant(rate)} samples/s"
    return ", ".join([text, *(_format_delay(name, took[key]) for name, key in DELAYS.items() if took.get(key))])


def _format_delay(name: str, delay: Document) -> str:
    high = "" if delay["p95"] is None else f" (p95 {_format_significant(delay['p95'])} s)"
    return f"{name} {_format_significant(delay['p50'])} s{high}"


def _timed_share(document: Document) -> str:
    """State how many samples were timed, if not all."""
    timed, answered = document["speed"]["samples"], document["outcomes"]["answered"]
    return f" for {timed:,} of {answered:,} answers" if timed < answered else ""


def _format_duration(seconds: float) -> str:
    if seconds < 600:
        return f"{_format_significant(seconds)} s"
    return f"{_format_significant(seconds / 60)} min" if seconds < 7200 else f"{_format_significant(seconds / 3600)} h"


def _format_significant(value: float) -> str:
    """Format with three significant digits, and with all digits before the decimal point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _format_cost(usage: Document, lower_bound_prefix: str) -> str:
    if usage.get("cost") is None:
        return ""
    return (
        f"{lower_bound_prefix if usage['samples_without_cost'] else ''}{format_money(usage['cost'], usage['currency'])}"
    )


def _format_sample_count(count: int) -> str:
    return f"{count:,} sample{'' if count == 1 else 's'}"


def _format_compact(count: int | None, lower_bound_prefix: str) -> str:
    if count is None:
        return ""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{lower_bound_prefix}{count / size:.3g} {letter}"
    return f"{lower_bound_prefix}{count}"
