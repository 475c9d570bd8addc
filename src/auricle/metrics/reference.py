"""The reference of metrics: formula, range, edge cases, oracle and citation of each, read from TOML files.

A file in the folder `reference` of a feature is one page of docs/metrics; `scripts/make_metric_reference.py` writes
the pages, and `auricle list metrics NAME` prints an entry. What code knows about a metric (title, direction, unit,
version) is not in the files but read from the metric.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.features import find_features
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged

SAMPLES = "samples, or clusters of samples such as speakers"
"""Independent units of most metrics."""
INTERVAL_METHODS: Mapping[str, str] = {
    "mid-p": "exact interval with mid-P limits",
    "wilson": "Wilson's interval for the effective number of trials",
    "wilson-bias": "Wilson's interval, extended by the bias of a minimum",
    "gamma": "interval of counted errors (Fay and Feuer 1997)",
    "skew-t": "Student's t, corrected for skewness",
    "limits-t": "Student's t within the limits of the scale, no shorter than Wilson's interval",
    "log-skew-t": "Student's t of the logarithm, corrected for skewness",
    "fisher-t": "Student's t of Fisher's transformation",
    "bootstrap-t": "Student's t with the standard error of a bootstrap",
    "prediction-powered": "Student's t with the variance of prediction-powered inference",
    "two-way-t": "Student's t; listeners and items are both units",
    "two-way-median": "the ratings that may have half of all ratings below them; listeners and items are both units",
    "two-way-wilson": "Wilson's interval; listeners and items are both units",
    "item-wilson": "Wilson's interval, with items as units",
}
"""What each method of an interval is; docs/statistics.md has the details."""
UNITS = {
    "share": "share, shown in per cent",
    "points": "points, not scaled",
    "s": "seconds",
    "": "number without a unit",
}
"""What each unit of a metric means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The reference of one metric, or of several that are computed alike.

    Args:
        heading: Name of the entry on its page.
        metrics: Names of the metrics. `*.kappa` stands for all metrics that end so, `mos.SYSTEM` for one per system.
        formula: The definition, in plain text.
        statistic: What the metric keeps of one sample.
        range: Lowest and highest value, and what they mean.
        interval: Methods of the interval, by their names in tables.
        edges: What happens in edge cases, by the case.
        oracle: What the numbers are tested against, and in which file.
        differences: How other tools differ.
        citation: Publications or standards that define it; "none" if it is defined here.
        about: What the number shows, and when to use it.
        units: What is independent.
    """

    heading: str
    metrics: tuple[str, ...]
    formula: str
    statistic: str
    range: str
    interval: tuple[str, ...]
    edges: Mapping[str, str]
    oracle: str
    differences: str
    citation: str
    about: str = ""
    units: str = SAMPLES

    def describe_interval(self) -> str:
        """Return how the interval is computed, in one sentence."""
        methods = " or ".join(f"`{name}` ({INTERVAL_METHODS[name]})" for name in self.interval)
        return f"{methods}, over {self.units}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A family of metrics.

    Args:
        name: Name of the file, without its ending.
        title: Title of the page.
        order: Place among the pages.
        introduction: What the metrics have in common.
        example: A worked example as an interactive session, which tests execute.
        guides: Pages of the documentation that show how to use the metrics.
        entries: The metrics.
    """

    name: str
    title: str
    order: int
    introduction: str
    example: str
    guides: tuple[str, ...]
    entries: tuple[Entry, ...]


@cache
def load_pages() -> tuple[Page, ...]:
    """Read all pages, in their order."""
    packages = ["auricle.metrics", *(feature.package for feature in find_features())]
    folders = [Path(path) / "reference" for package in packages for path in import_module(package).__path__]
    files = (file for folder in folders for file in folder.glob("*.toml"))
    return tuple(sorted(map(read_page, files), key=lambda page: page.order))


def find_entry(name: str) -> Entry | None:
    """Return the entry of a metric, also of a derived one such as `wer.mean` or `judge-1-5.kappa`; None without one.

    >>> find_entry("wer").heading
    'Word, character and mixed error rates'
    """
    by_name = {metric: entry for page in load_pages() for entry in page.entries for metric in entry.metrics}
    if name in by_name:
        return by_name[name]
    stem, _, suffix = name.rpartition(".")
    return by_name.get(f"*.{suffix}") or by_name.get(stem)


def read_page(path: Path) -> Page:
    """Read one page.

    Raises:
        SpecError: if a field of an entry is missing or unknown.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    defaults = document.pop("defaults", {})
    entries = tuple(_build_entry({**defaults, **values}, path) for values in document.pop("entries"))
    guides = tuple(document.pop("guides", ()))
    return Page(name=path.stem, guides=guides, entries=entries, **{"example": "", **document})


def _build_entry(values: Mapping[str, Any], path: Path) -> Entry:
    known = {field.name for field in fields(Entry)}
    required = known - {"about", "units"}
    heading = values.get("heading", "an entry without heading")
    if unknown := sorted(values.keys() - known):
        raise SpecError(f"{path.name}: {heading}: unknown field {unknown[0]!r}")
    if missing := sorted(name for name in required if not values.get(name)):
        raise SpecError(f"{path.name}: {heading}: missing field {missing[0]!r}")
    cleaned = {name: _clean(value) for name, value in values.items()}
    return Entry(**{**cleaned, "formula": values["formula"].strip("\n")})


def _clean(value: Any) -> Any:
    """Join the lines of a paragraph, and make lists immutable."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return tuple(value)
    return {name: _clean(text) for name, text in value.items()}


def describe_metric(metric: Metric) -> dict[str, str]:
    """Return what code knows about a metric, by the name of the fact."""
    facts = {
        "title": metric.title,
        "better": describe_direction(metric),
        "unit": UNITS[metric.unit],
        "version": str(metric.version),
        "signature": metric.signature,
        "profile": metric.profile,
        "unreadable answers": "count as wrong" if metric.unreadable == "wrong" else "are left out and counted",
        "needs": ", ".join(_list_needs(metric)),
    }
    return {name: fact for name, fact in facts.items() if fact}


def describe_direction(metric: Metric) -> str:
    """Return which numbers are better."""
    if metric.is_model_independent:
        return "independent of the model"
    return {"zero": "closer to zero", "none": "neither"}.get(metric.direction, metric.direction.value)


def _list_needs(metric: Metric) -> Sequence[str]:
    needs = [metric.needs] if metric.needs else []
    if isinstance(metric, Judged):
        needs.append(f"a {metric.judge_role.noun}")
    if "audio_seconds" in metric.facts:
        needs.append("the duration of the recording")
    if "model_seconds" in metric.facts:
        needs.append("the time that the model took")
    return needs
