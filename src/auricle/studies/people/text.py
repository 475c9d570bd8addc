"""Format the results of a listening test for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auricle.report.text_table import format_table
from auricle.runs.metrics import Metrics
from auricle.studies.people.correlations_document import PeopleCorrelation, PeopleCorrelations

RATING_HEADER = ("system", "mean", "95 % interval", "median", "rank", "n", "before screening")
PAIR_HEADER = ("first", "second", "value", "95 % interval", "for first", "ties", "for second", "p", "adjusted p", "n")
STRENGTH_HEADER = ("system", "strength", "95 % interval", "rank")
DIFFERENCE_HEADER = ("first", "second", "difference", "95 % interval", "p", "adjusted p")
ABX_HEADER = ("first", "second", "right", "95 % interval", "d′", "listeners above chance", "p", "adjusted p", "n")
COEFFICIENTS = ("pearson", "spearman", "kendall")
CORRELATION_HEADER = ("metric", "level", "n", *map(str.capitalize, COEFFICIENTS))
VALUE_NAMES = {
    "cmos": "Value: mean rating in favour of the first system.",
    "ab": "Value: share of trials in which the first system was preferred; a tie counts half.",
    "abx": "Right: share of right answers; 50 % is chance.",
}


def get_tables(metrics: Metrics) -> dict[str, Any] | None:
    """Return the tables of a listening test; None if the run is of anything else."""
    for number in metrics.overall:
        if "listening_test" in number.details:
            tables: dict[str, Any] = number.details["listening_test"]
            return tables
    return None


def format_results(metrics: Metrics, path: Path) -> list[str]:
    """Format systems, differences and screening."""
    tables = get_tables(metrics)
    if tables is None:
        return [f"{path} has no ratings that can be scored."]
    lines = list(_format_tables(tables))
    alpha = metrics["alpha"]
    if alpha.value is not None:
        lines.append(f"Agreement of listeners: Krippendorff's α {alpha.value:.2f}{_interval_in_brackets(alpha)}.")
    count = tables["listeners"]
    lines.append(f"Listeners: {count}; excluded by the rules of the test: {len(tables['excluded'])}.")
    lines += [f"Note: {note}" for note in metrics.notes]
    return [*lines, f"\nRun: {path}\nReport: {(path / 'report.html').resolve()}"]


def _interval_in_brackets(number: Any) -> str:
    return "" if number.low is None else f" ({number.low:.2f} … {number.high:.2f})"


def _format_tables(tables: Mapping[str, Any]) -> Iterator[str]:
    if tables["kind"] in VALUE_NAMES:
        if tables["kind"] == "abx":
            yield from format_table(ABX_HEADER, list(map(_abx_row, tables["differences"])))
        else:
            rows = [_pair_row(row, is_share=tables["kind"] == "ab") for row in tables["differences"]]
            yield from format_table(PAIR_HEADER, rows)
        yield f"{VALUE_NAMES[tables['kind']]} p: sign test over listeners, adjusted by Holm’s method."
        if tables.get("systems"):
            yield ""
            strengths = [(row["name"], number(row["value"]), interval(row), ranks(row)) for row in tables["systems"]]
            yield from format_table(STRENGTH_HEADER, strengths)
        return
    rows = [
        (
            row["name"],
            number(row["value"]),
            interval(row),
            number(row.get("median")),
            ranks(row),
            str(row["n"]),
            number(row["before"]["value"]),
        )
        for row in tables["systems"]
    ]
    yield from format_table(RATING_HEADER, rows)
    if tables["differences"]:
        yield ""
        rows = [
            (row["first"], row["second"], number(row["value"]), interval(row), p(row["p"]), p(row["adjusted_p"]))
            for row in tables["differences"]
        ]
        yield from format_table(DIFFERENCE_HEADER, rows)
        yield f"p: {tables['differences'][0]['test']}, adjusted by Holm’s method."


def _pair_row(row: Mapping[str, Any], *, is_share: bool) -> tuple[str, ...]:
    counts = (str(row.get(name, 0)) for name in ("wins", "ties", "losses"))
    show = share if is_share else number
    return (
        row["first"],
        row["second"],
        show(row["value"]),
        interval(row, is_share=is_share),
        *counts,
        p(row["p"]),
        p(row["adjusted_p"]),
        str(row["n"]),
    )


def _abx_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    above, below = row.get("listeners_first", 0), row.get("listeners_second", 0)
    return (
        row["first"],
        row["second"],
        share(row["value"]),
        interval(row, is_share=True),
        number(row.get("dprime")),
        f"{above} of {above + below}",
        p(row["p"]),
        p(row["adjusted_p"]),
        str(row["n"]),
    )


def number(value: float | None) -> str:
    """Format a rating, or a dash."""
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def share(value: float | None) -> str:
    """Format a share in per cent, or a dash."""
    return "–" if value is None else f"{100 * value:.1f} %"


def interval(row: Mapping[str, Any], *, is_share: bool = False) -> str:
    """Format the ends of an interval, or a dash."""
    show = share if is_share else number
    return "–" if row.get("low") is None else f"{show(row['low'])} … {show(row['high'])}"


def p(value: float | None) -> str:
    """Format a p value, or a dash."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def ranks(row: Mapping[str, Any]) -> str:
    """Format a range of ranks.

    >>> ranks({"ranks": (1, 3)}), ranks({"ranks": (2, 2)})
    ('1–3', '2')
    """
    best, worst = row["ranks"]
    return str(best) if best == worst else f"{best}–{worst}"


# --- correlation with people --------------------------------------------------------------------------------------


def group_correlations(result: PeopleCorrelations) -> list[tuple[PeopleCorrelation, dict[str, PeopleCorrelation]]]:
    """Return one entry for each metric and level: its first row, and its rows by coefficient."""
    groups: dict[tuple[str, str], dict[str, PeopleCorrelation]] = {}
    for row in result.rows:
        groups.setdefault((row.metric, row.level), {})[row.coefficient] = row
    return [(next(iter(rows.values())), rows) for rows in groups.values()]


def format_correlation(row: PeopleCorrelation) -> str:
    """Format a correlation with its interval.

    >>> format_correlation(PeopleCorrelation(
    ...     metric="wer", title="WER", higher_is_better=False, level="item", coefficient="pearson", n=9, value=-0.5))
    '−0.50'
    """
    if row.value is None:
        return "–"
    ends = f" ({row.low:.2f} … {row.high:.2f})" if row.low is not None and row.high is not None else ""
    return f"{row.value:.2f}{ends}".replace("-", "−")


def format_correlations(result: PeopleCorrelations) -> list[str]:
    """Format the correlations as a table."""
    rows = [
        (
            first.direction.mark(first.metric),
            first.level,
            str(first.n),
            *(format_correlation(rows[name]) for name in COEFFICIENTS),
        )
        for first, rows in group_correlations(result)
    ]
    return [*format_table(CORRELATION_HEADER, rows), *result.notes]
