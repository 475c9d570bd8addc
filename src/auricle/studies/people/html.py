"""The sections of a report about a listening test: systems, pairs, items, listeners, and correlation with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from auricle.report.html_format import Scale
from auricle.report.run_html import Page
from auricle.report.templating import render
from auricle.runs.metrics import Metrics, Number
from auricle.studies.people import text as text
from auricle.studies.people.correlations_document import PeopleCorrelations

VALUE_TITLES = {"cmos": "Mean rating", "ab": "Preferred", "abx": "Right"}
STRENGTH, MEAN = "Strength", "Mean"
ITEM_FIELD, LISTENER_FIELD = "item", "listener"
HIDDEN_FROM_ITEMS = ("alpha", "check_failures", "strength.", "dprime.", "mushra_median.")
"""Metrics that are not columns of the table of items."""


def render_listening_test(page: Page) -> Markup | None:
    """Render the results of a listening test; None for any other run."""
    metrics = page.metrics
    tables = text.get_tables(metrics)
    if tables is None:
        return None
    kind, is_share = tables["kind"], tables["kind"] in ("ab", "abx")
    systems, pairs = tables.get("systems", []), tables["differences"]
    return render(
        "studies/people/listening_test.html",
        kind=kind,
        systems=systems,
        has_ratings=kind in ("mos", "mushra"),
        system_title=MEAN if kind in ("mos", "mushra") else STRENGTH,
        system_scale=_fit(systems),
        pairs=pairs,
        pair_title=VALUE_TITLES.get(kind, "Difference"),
        pair_scale=_fit(pairs, 0.5 if is_share else 0.0),
        neutral=0.5 if is_share else 0.0,
        is_share=is_share,
        show=text.share if is_share else text.number,
        text=text,
        items=_list_items(metrics),
        listeners=_list_listeners(metrics, tables),
        excluded=len(tables["excluded"]),
    )


render_listening_test.replaces = ("breakdowns",)  # type: ignore[attr-defined]


def _fit(rows: Sequence[Mapping[str, Any]], *further: float) -> Scale:
    values = [row[name] for row in rows for name in ("low", "value", "high")]
    return Scale.fit([*values, *further])


def _list_items(metrics: Metrics) -> tuple[list[str], list[tuple[str, list[Number | None]]]]:
    """Return the titles of the columns, and each item with its number in each of them."""
    columns = [number for number in metrics.overall if not number.metric.startswith(HIDDEN_FROM_ITEMS)]
    by_item: dict[str, dict[str, Number]] = {}
    for number in metrics.numbers:
        if number.field == ITEM_FIELD:
            by_item.setdefault(number.group, {})[number.metric] = number
    rows = [(item, [numbers.get(column.metric) for column in columns]) for item, numbers in by_item.items()]
    return [column.title for column in columns], rows


def _list_listeners(metrics: Metrics, tables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the row of each listener, with failed checks and why it is excluded."""
    checks = {
        number.group: number.details
        for number in metrics.numbers
        if number.field == LISTENER_FIELD and number.metric == "check_failures"
    }
    reasons = {note.partition(" is excluded: ")[0]: note.partition(" is excluded: ")[2] for note in metrics.notes}
    return [
        {**row, "checks": checks.get(row["listener"]), "reason": reasons.get(row["listener"], "").rstrip(".")}
        for row in tables["listener_table"]
    ]


def render_people_correlations(page: Page) -> Markup | None:
    """Render how metrics correlate with people; None if that was not computed."""
    result: PeopleCorrelations = page.metrics.extras["people_correlations"]
    if not result.rows:
        return None
    return render(
        "studies/people/people_correlations.html",
        rows=text.group_correlations(result),
        coefficients=list(text.COEFFICIENTS),
        format_correlation=text.format_correlation,
        notes=result.notes,
        runs=result.runs,
    )
