"""The reference of one metric, or the members of a set, as `auricle list metrics NAME` prints it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from auricle.metrics.base import Metric

WIDTH = 110
LABEL_WIDTH = 20
FIELDS = {
    "statistic": "statistic",
    "range": "range",
    "interval": "interval",
    "oracle": "tested against",
    "differences": "other tools",
    "citation": "reference",
}
"""Fields of an entry that are printed after its formula, with their labels."""


def describe_name(kind: str, name: str) -> dict[str, Any]:
    """Return the reference of a metric, or the members of a set, as a document.

    Raises:
        UnknownName: if there is no such metric.
    """
    if kind != "metrics":
        raise click.UsageError(f"Only metrics are described by name, not {kind}. Run: auricle list {kind}")
    from auricle.metrics.base import resolve_metrics
    from auricle.metrics.catalogue import METRICS

    members = resolve_metrics(name)
    summary = METRICS.summary(name)
    if len(members) > 1 or members[0].name != name:
        return {"name": name, "summary": summary, "members": {metric.name: metric.title for metric in members}}
    return {"name": name, "summary": summary, **_describe_metric(members[0])}


def _describe_metric(metric: Metric) -> dict[str, Any]:
    from auricle.metrics.reference import describe_metric, find_entry

    document: dict[str, Any] = {"facts": describe_metric(metric)}
    if entry := find_entry(metric.name):
        document |= {**asdict(entry), "interval": entry.describe_interval()}
    return document


def format_description(document: Mapping[str, Any]) -> Iterator[str]:
    """Format a document of `describe_name` as lines."""
    yield f"{document['name']}: {document['summary']}"
    if members := document.get("members"):
        yield from (f"  {name:<{LABEL_WIDTH + 8}}{title}" for name, title in members.items())
        return
    if document.get("about"):
        yield from ("", *textwrap.wrap(document["about"], WIDTH))
    yield ""
    for label, fact in document["facts"].items():
        yield from _format_field(label, fact)
    if "formula" in document:
        yield from ("", textwrap.indent(document["formula"], "  "), "")
        for field, label in FIELDS.items():
            yield from _format_field(label, document[field])
        yield "edge cases"
        for case, result in document["edges"].items():
            yield from textwrap.wrap(f"{case}: {result}", WIDTH, initial_indent="  ", subsequent_indent="    ")


def _format_field(label: str, text: str) -> list[str]:
    indent = " " * LABEL_WIDTH
    return textwrap.wrap(text, WIDTH, initial_indent=f"{label:<{LABEL_WIDTH}}", subsequent_indent=indent)
