"""How numbers are written, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.types import Likelihood

GIVEN = {"context": "", "nothing": ", after nothing", "itself": ", with the prompt"}


def value_of(number: Mapping[str, Any], which: str = "value") -> str:
    """A number's value, low, high, worst or best in its own unit."""
    return written(number[which], number["unit"])


def written(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.2f} %" if unit == "share" else f"{value:.4g}" if unit else f"{value:.4f}"


FAMILIES = ("eta2", "ccc", "pearson", "rmse")
"""Metrics there is one of for every dimension."""


def by_reason(refused: Mapping[str, str]) -> list[tuple[list[str], str]]:
    """Reasons with all the metrics they hold for; those of several dimensions named once."""
    found: dict[str, list[str]] = {}
    for name, why in refused.items():
        family = name.rpartition("_")[0]
        told = family if family in FAMILIES else name
        if told not in found.setdefault(why, []):
            found[why].append(told)
    return [(names, why) for why, names in found.items()]


def coverage_of(number: Mapping[str, Any]) -> str:
    """The share of samples behind a number; only all of them is told as 100 %."""
    if not number["total"]:
        return "–"
    share = 100 * number["scored"] / number["total"]
    return "100 %" if number["scored"] == number["total"] else f"{min(share, 99.9):.1f} %"


def likelihood_of(found: Likelihood, name: str = "") -> str:
    """What was asked about and how likely it is: `a cat: log-likelihood -3.1 over 2 tokens`."""
    tokens = len(found.logprobs)
    named = found.text.strip() or name
    count = f"{tokens} token{'s' * (tokens != 1)}{GIVEN[found.given]}"
    return f"{named}{': ' if named else ''}log-likelihood {found.total:.3f} over {count}"
