"""A comparison as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auricle.report.terminal import format_table, to_one_line
from auricle.report.text_format import format_number

HEADER = ("metric", "group", "A", "B", "B − A", "95 % interval", "p", "adjusted p", "n",
          "better", "worse")  # fmt: skip
SIGNIFICANCE_LEVEL = 0.05
MAX_ANSWER_LENGTH = 300

Document = Mapping[str, Any]
Row = Mapping[str, Any]


def format_comparison(document: Document) -> Iterator[str]:
    """Format everything but the samples."""
    for name in "ab":
        side = document[name]
        yield f"{name.upper()}  {side['run']}  {side['task']['name']} × {side['model']['name']}"
    yield format_pair_count(document)
    yield ""
    if document["rows"]:
        yield from format_rows(document["rows"])
        yield ""
    yield from (describe_row(row) for row in document["rows"] if not row["field"])
    yield from (f"{name}: not compared: {why}" for name, why in document["refused"].items())
    yield from _matrix_lines(document["matrix"])
    yield from _shift_lines(document["shifts"])
    yield from (f"Note: {to_one_line(each, 600)}" for each in document["notes"])


def format_pair_count(document: Document) -> str:
    """Describe the number of pairs and their share of all samples."""
    pairs = document["pairs"]
    covered = pairs["coverage"]
    share = "" if covered in (None, 1.0) else f", {min(100 * covered, 99.9):.1f} % of all samples"
    return f"{pairs['count']} pair{'s' * (pairs['count'] != 1)} answered in both{share}"


def format_rows(rows: Sequence[Row]) -> list[str]:
    several = len(rows) > 1
    return format_table(HEADER, [_row_cells(row, several) for row in rows])


def _row_cells(row: Row, show_adjusted: bool) -> tuple[str, ...]:
    unit = row["unit"]
    span = (
        "–" if row["low"] is None else f"{format_difference(row['low'], unit)} … {format_difference(row['high'], unit)}"
    )
    return (
        f"{row['metric']} {'↑' if row['higher_is_better'] else '↓'}",
        f"{row['field']}={row['group']}" if row["field"] else "all",
        format_number(row["value_a"], unit),
        format_number(row["value_b"], unit),
        format_difference(row["difference"], unit),
        span,
        format_p_value(row["p"]),
        format_p_value(row["adjusted"]) if show_adjusted else "",
        str(row["n"]),
        str(row["better"]),
        str(row["worse"]),
    )


def format_difference(value: float | None, unit: str, *, signed: bool = True) -> str:
    """Format a difference with its sign; differences of shares in percentage points."""
    if value is None:
        return "–"
    size = 100 * value if unit == "share" else value
    digits = f"{size:+.2f}" if unit == "share" else f"{size:+.4g}" if unit else f"{size:+.4f}"
    if not signed:
        digits = digits.lstrip("+-")
    return f"{digits} pp" if unit == "share" else digits


def typeset(text: str) -> str:
    """Replace hyphens and spaces by typographic ones."""
    return text.replace("-", "−").replace(" pp", "\u202fpp")


def format_difference_interval(row: Row) -> str:
    """Format the ends of an interval for the page."""
    if row["low"] is None:
        return "–"
    low, high = (format_difference(row[end], row.get("unit", "")) for end in ("low", "high"))
    return typeset(f"{low.removesuffix(' pp')} … {high}")


def format_p_value(p: float | None) -> str:
    """Format a p-value in the usual way."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def is_significant(row: Row) -> bool:
    """Return whether the difference is significant at the 5 % level."""
    return row["adjusted"] is not None and row["adjusted"] < SIGNIFICANCE_LEVEL and bool(row["difference"])


def describe_row(row: Row) -> str:
    """Describe a row in one sentence."""
    return f"{row['metric']}: {_describe_difference(row)}{_describe_bounds(row)}"


def _describe_difference(row: Row) -> str:
    unit = row["unit"]
    if row["p"] is None:
        few = row["n"] < 2
        return "too few pairs for a test." if few else "undefined for these pairs."
    if is_significant(row):
        better = (row["difference"] > 0) == row["higher_is_better"]
        sizes = sorted(abs(row[end]) for end in ("low", "high"))
        across = row["low"] * row["high"] < 0  # the test is exact, the interval is not
        size = format_difference(row["difference"], unit, signed=False)
        interval = "" if across else f" ({' … '.join(strip_sign_and_unit(format_difference(e, unit)) for e in sizes)})"
        return f"B is {'better' if better else 'worse'} by {size}{interval}."
    if not row["better"] and not row["worse"]:
        seen = "" if row["detectable"] is None else _describe_detectable(row)
        return f"all pairs score the same{seen}."
    return f"no significant difference{_describe_detectable(row)}."


def strip_sign_and_unit(text: str) -> str:
    return text.lstrip("+-").removesuffix(" pp")


def _describe_detectable(row: Row) -> str:
    """Describe the difference that this many pairs would detect with 80 % power."""
    if row["detectable"] is None:
        return ""
    size = format_difference(row["detectable"], row["unit"], signed=False)
    return f"; one of {size} or more would have been detected"


def _describe_bounds(row: Row) -> str:
    if row["worst"] is None or row["worst"] == row["best"]:
        return ""
    cases = (format_difference(row[end], row["unit"]) for end in ("worst", "best"))
    return " With failed samples: from {} to {}.".format(*cases)


def _matrix_lines(matrix: Mapping[str, Any] | None) -> Iterator[str]:
    if matrix is None:
        return
    mean = matrix["mean_absolute_diagonal"]
    if mean is not None:
        size = format_difference(mean, "share", signed=False)
        yield f"Confusions: the recall of a class changed by {size} on average."
    for rise in matrix["rises"][:3]:
        size = format_difference(rise["difference"], "share")
        yield f"  {rise['true']} predicted as {rise['predicted']}: {size}"


def _shift_lines(shifts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not shifts:
        return
    header = ("dimension", "label", "A", "B", "B − A", "95 % interval", "p", "adjusted p",
              "Cohen's d", "n")  # fmt: skip
    yield ""
    yield from format_table(header, [_shift_cells(each) for each in shifts])


def _shift_cells(shift: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = (format_difference(shift[end], "") for end in ("low", "high"))
    d = shift["cohens_d"]
    return (
        shift["dimension"],
        shift["label"] or "all",
        format_number(shift["value_a"], ""),
        format_number(shift["value_b"], ""),
        format_difference(shift["difference"], ""),
        "–" if shift["low"] is None else f"{low} … {high}",
        format_p_value(shift["p"]),
        format_p_value(shift["adjusted"]),
        "–" if d is None else f"{d:+.2f}",
        str(shift["n"]),
    )


def format_samples(document: Document) -> Iterator[str]:
    """Format the samples that changed in the first metric."""
    first = next((row for row in document["rows"] if not row["field"]), None)
    flips = document["flips"].get(first["metric"], []) if first else []
    if not first or not flips:
        return
    for became in ("worse", "better"):
        some = [each for each in flips if each["became"] == became]
        if some:
            yield ""
            yield f"{change_heading(first, became)}: {first[became]}, shown {len(some)}"
        for each in some:
            yield from _format_sample(each)


def change_heading(row: Row, became: str) -> str:
    """Describe how these samples changed."""
    if row["right_or_wrong"]:
        return "Right in A, wrong in B" if became == "worse" else "Wrong in A, right in B"
    return f"{became.capitalize()} in B by {row['metric']}"


def _format_sample(sample: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {sample['id']}  {sample['origin']}".rstrip()
    if sample["target"] is not None:
        yield f"    target  {to_one_line(sample['target'], MAX_ANSWER_LENGTH)}"
    for side in "ab":
        score = f"{sample[f'score_{side}']}  " if sample[f"score_{side}"] else ""
        yield f"    {side.upper()}       {score}{to_one_line(sample[f'answer_{side}'], MAX_ANSWER_LENGTH)}"
