"""How the interval of a number was computed: its method, its independent units, and a mark if these are few.

Imports no numerical library, so that `auricle show` starts fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

FEW_UNITS = 10
"""Numbers with fewer independent units are marked: their intervals rest on an approximation."""
FEW_UNITS_MARK = "†"
TOO_FEW = "too few to say"
"""Shown instead of the interval of a number with `has_too_few_units`."""
CLUSTER_MARK = "cluster-"
BUCKET_MARK = "bucket-"
"""In the names of methods whose units are buckets of samples or of clusters, as in runs that do not fit into memory."""

METHODS = {
    "mid-p": ("mid-P", "exact interval of a share, with mid-P limits"),
    "wilson": ("Wilson", "Wilson’s score interval, with as many trials as have the standard error of the number"),
    "wilson-bias": (
        "Wilson, bias",
        "Wilson’s score interval, extended by how much a minimum over thresholds is too low (jackknife)",
    ),
    "fisher-t": ("Fisher t", "Student’s t interval of the inverse hyperbolic tangent of a correlation"),
    "gamma": ("gamma", "interval of Fay and Feuer for counted errors, which may occur together"),
    "skew-t": ("t", "Student’s t interval, extended on the side to which the units are skewed"),
    "limits-t": ("t in limits", "the same as t, cut at the limits of the scale and no shorter than Wilson’s interval"),
    "log-skew-t": ("t of log", "the same as t, of the logarithm"),
    "bootstrap-t": ("bootstrap t", "Student’s t interval with the standard error of a bootstrap"),
    "price-bonett": ("Price–Bonett", "interval of Price and Bonett of a weighted mean of shares"),
    "mover": ("MOVER", "from the intervals of the parts, whose distances to the value are combined"),
    "bonett-price": ("Bonett–Price", "interval and test of Bonett and Price for pairs that are right or wrong"),
    "paired-t": ("paired t", "Student’s t of the influence of each pair on the difference"),
    "agresti-caffo": ("Agresti–Caffo", "interval and test of Agresti and Caffo for two independent shares"),
    "welch-t": ("Welch t", "Welch’s t of two independent groups"),
    "stratified-bonett-price": (
        "Bonett–Price",
        "normal approximation of Bonett and Price, with the variance of each part",
    ),
    "stratified-t": ("stratified t", "Student’s t, with the variance of each part"),
    "joint-t": ("joint t", "Student’s t of the influence of each unit on all conditions together"),
    "joint-percentile": (
        "bootstrap",
        "expanded percentiles of draws of the units, each with all of its conditions; open beyond the tested levels",
    ),
    "joint-inverse-t": (
        "inverse t",
        "the levels at which Student’s t does not separate the curve from its criterion; open beyond the tested levels",
    ),
    "worst-condition": (
        "worst condition",
        "the outermost ends of the intervals of all conditions that may be the worst; inner ends hold jointly",
    ),
    "withheld": ("too few", "none, because it would be wrong for so few trials; a note states how many it needs"),
    "best-control": (
        "best control",
        "the lowest ends of the paired intervals against all controls; upper ends hold jointly, by draws of the units",
    ),
    "no-variance": (
        "no variance",
        "no unit varies: how far another one may be, by the limits of the scale or of counts",
    ),
    "sign-flip": ("sign flip", "test that flips the signs of the changes of all units, which are equal"),
    "prediction-powered": ("prediction-powered", "verdicts corrected by human labels, with the variance of both"),
    "two-way-t": ("two-way t", "Student’s t interval with the standard error over listeners and items together"),
    "two-way-median": (
        "two-way median",
        "the ratings that Wilson’s interval of the share below them, over listeners and items, allows to be the median",
    ),
    "two-way-wilson": ("two-way Wilson", "Wilson’s score interval with the standard error over listeners and items"),
    "item-wilson": ("Wilson by item", "Wilson’s score interval; items are the units"),
    "none": ("–", "too few samples"),
}
"""The name of each method for tables, and its description. Methods of clusters have `cluster-` in their names."""


class HasUnits(Protocol):
    """A number or a difference with its independent units."""

    @property
    def cluster(self) -> str:
        """Metadata field whose values are the units; empty if samples or pairs are."""

    @property
    def units(self) -> int:
        """Number of independent units."""


def name_units(cluster: str, low: int, high: int | None = None, *, sample: str = "sample") -> str:
    """Name a number of units, or a range: `12 speakers`, `3 to 6 speakers`, `1 sample`.

    Args:
        cluster: Metadata field whose values are the units; empty if samples are.
        low: The number, or the lowest.
        high: The highest, if it is a range.
        sample: What a unit is without a cluster.
    """
    count = f"{low:,}" if high is None or high == low else f"{low:,} to {high:,}"
    nouns = [_unit_noun(name, is_single=(high or low) == 1) for name in (cluster or sample).split(" / ")]
    return f"{count} {' / '.join(nouns)}"


def _unit_noun(field: str, *, is_single: bool) -> str:
    """Return the noun for the values of a metadata field: `spk` and `speaker_id` are speakers."""
    noun = {"spk": "speaker"}.get(field.lower(), field.lower().removesuffix("_id").replace("_", " "))
    if is_single or noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def format_method(method: str, number: HasUnits) -> str:
    """Format how an interval was computed, with its units if they are not samples: `gamma, 12 speakers`."""
    name = METHODS.get(_find_kind(method), (method, ""))[0]
    if BUCKET_MARK in method:
        members = name_units(number.cluster, 2).removeprefix("2 ")
        return f"{name}, {number.units:,} buckets of {members}"
    return f"{name}, {name_units(number.cluster, number.units)}" if number.cluster else name


def describe_method(method: str) -> str:
    """Describe how an interval was computed."""
    clustered = "; clusters are the units" if CLUSTER_MARK in method else ""
    if BUCKET_MARK in method:
        clustered = f"; buckets of {'clusters' if clustered else 'samples'} are the units"
    return METHODS.get(_find_kind(method), ("", method))[1] + clustered


def _find_kind(method: str) -> str:
    """Return the key of a method in `METHODS`: its name without clusters and buckets."""
    return method.replace(CLUSTER_MARK, "").replace(BUCKET_MARK, "")


def has_few_units(number: HasUnits) -> bool:
    return 0 < number.units < FEW_UNITS


def mark_few_units(number: HasUnits) -> str:
    """Return the mark of a number with few independent units; otherwise an empty string."""
    return FEW_UNITS_MARK if has_few_units(number) else ""


def explain_few_units(numbers: Iterable[HasUnits], *, sample: str = "sample") -> str:
    """Explain the mark of the numbers of a table in one line; empty if none is marked.

    Args:
        numbers: The numbers of the table, marked or not.
        sample: What a unit is without a cluster.
    """
    counts: dict[str, list[int]] = {}
    marked = [number for number in numbers if has_few_units(number)]
    if not marked:
        return ""
    for number in marked:
        counts.setdefault(number.cluster, []).append(number.units)
    named = ", ".join(name_units(name, min(units), max(units), sample=sample) for name, units in counts.items())
    if all(getattr(number, "has_too_few_units", False) for number in marked):  # differences always show theirs
        return f"{FEW_UNITS_MARK} only {named}: {TOO_FEW} how far off the value{'s' * (len(marked) > 1)} may be"
    return f"{FEW_UNITS_MARK} only {named}: {'the interval is' if len(marked) == 1 else 'intervals are'} approximate"
