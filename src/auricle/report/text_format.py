"""Format numbers as plain text, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.types import Likelihood

MAX_CHARACTERS = 4000
CONDITION_SUFFIXES = {"context": "", "nothing": ", without a prompt", "itself": ", with the prompt"}


def format_value(number: Mapping[str, Any], key: str = "value") -> str:
    """Format a metric's value, low, high, worst or best in its unit."""
    return format_number(number[key], number["unit"])


def format_number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.2f} %" if unit == "share" else f"{value:.4g}" if unit else f"{value:.4f}"


METRIC_FAMILIES = ("eta2", "ccc", "pearson", "rmse")
"""Metrics that exist for every dimension."""


def group_by_reason(refusals: Mapping[str, str]) -> list[tuple[list[str], str]]:
    """Group metrics by reason; name metrics of several dimensions once."""
    by_reason: dict[str, list[str]] = {}
    for name, why in refusals.items():
        family = name.rpartition("_")[0]
        label = family if family in METRIC_FAMILIES else name
        if label not in by_reason.setdefault(why, []):
            by_reason[why].append(label)
    return [(names, why) for why, names in by_reason.items()]


def format_coverage(number: Mapping[str, Any]) -> str:
    """Format the share of samples that were scored; only complete coverage is 100 %."""
    if not number["total"]:
        return "–"
    share = 100 * number["scored"] / number["total"]
    return "100 %" if number["scored"] == number["total"] else f"{min(share, 99.9):.1f} %"


def format_likelihood(likelihood: Likelihood, name: str = "") -> str:
    """Format a likelihood: `a cat: log-likelihood -3.1 over 2 tokens`."""
    tokens = len(likelihood.logprobs)
    named = likelihood.text.strip() or name
    count = f"{tokens} token{'s' * (tokens != 1)}{CONDITION_SUFFIXES[likelihood.conditioned_on]}"
    return f"{named}{': ' if named else ''}log-likelihood {likelihood.total:.3f} over {count}"


def truncate(text: str, max_length: int = MAX_CHARACTERS) -> str:
    """Shorten a text and state how much was cut."""
    if len(text) <= max_length:
        return text
    return f"{text[:max_length]} … ({len(text) - max_length:,} more characters)"
