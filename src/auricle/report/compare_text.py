"""Two runs beside each other, in words and as lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auricle.report.number_format import written
from auricle.report.terminal import aligned, one_line

HEADER = ("metric", "group", "A", "B", "B − A", "95 % interval", "p", "adjusted p", "n",
          "better", "worse")  # fmt: skip
ALPHA = 0.05
MOST_ANSWER = 300

Document = Mapping[str, Any]
Row = Mapping[str, Any]


def lines(document: Document) -> Iterator[str]:
    """Everything a terminal is told but the samples."""
    for name in "ab":
        side = document[name]
        yield f"{name.upper()}  {side['run']}  {side['task']['name']} × {side['model']['name']}"
    yield counts(document)
    yield ""
    if document["rows"]:
        yield from table(document["rows"])
        yield ""
    yield from (sentence(row) for row in document["rows"] if not row["field"])
    yield from (f"{name}: not compared: {why}" for name, why in document["refused"].items())
    yield from _matrix(document["matrix"])
    yield from _shifts(document["shifts"])
    yield from (f"Note: {one_line(each, 600)}" for each in document["notes"])


def counts(document: Document) -> str:
    """How many pairs, among how many samples."""
    pairs = document["pairs"]
    covered = pairs["coverage"]
    share = "" if covered in (None, 1.0) else f", {min(100 * covered, 99.9):.1f} % of all samples"
    return f"{pairs['count']} pair{'s' * (pairs['count'] != 1)} answered in both{share}"


def table(rows: Sequence[Row]) -> list[str]:
    several = len(rows) > 1
    return aligned(HEADER, [_cells(row, several) for row in rows])


def _cells(row: Row, several: bool) -> tuple[str, ...]:
    unit = row["unit"]
    span = "–" if row["low"] is None else f"{moved(row['low'], unit)} … {moved(row['high'], unit)}"
    return (
        f"{row['metric']} {'↑' if row['higher_is_better'] else '↓'}",
        f"{row['field']}={row['group']}" if row["field"] else "all",
        written(row["value_a"], unit),
        written(row["value_b"], unit),
        moved(row["difference"], unit),
        span,
        chance(row["p"]),
        chance(row["adjusted"]) if several else "",
        str(row["n"]),
        str(row["better"]),
        str(row["worse"]),
    )


def moved(value: float | None, unit: str, *, signed: bool = True) -> str:
    """A difference with its sign; of shares, in percentage points."""
    if value is None:
        return "–"
    size = 100 * value if unit == "share" else value
    digits = f"{size:+.2f}" if unit == "share" else f"{size:+.4g}" if unit else f"{size:+.4f}"
    if not signed:
        digits = digits.lstrip("+-")
    return f"{digits} pp" if unit == "share" else digits


def printed(text: str) -> str:
    """Digits as a printer would set them."""
    return text.replace("-", "−").replace(" pp", "\u202fpp")


def ends(row: Row) -> str:
    """The interval's two ends, for the page."""
    if row["low"] is None:
        return "–"
    low, high = (moved(row[end], row.get("unit", "")) for end in ("low", "high"))
    return printed(f"{low.removesuffix(' pp')} … {high}")


def chance(p: float | None) -> str:
    """A p value as it is usually told."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def decided(row: Row) -> bool:
    """Is there a difference, as far as one can tell?"""
    return row["adjusted"] is not None and row["adjusted"] < ALPHA and bool(row["difference"])


def sentence(row: Row) -> str:
    """What a row says, in words."""
    return f"{row['metric']}: {_verdict(row)}{_bounds(row)}"


def _verdict(row: Row) -> str:
    unit = row["unit"]
    if row["p"] is None:
        few = row["n"] < 2
        return "too few pairs to tell a difference." if few else "undefined for these pairs."
    if decided(row):
        better = (row["difference"] > 0) == row["higher_is_better"]
        sizes = sorted(abs(row[end]) for end in ("low", "high"))
        across = row["low"] * row["high"] < 0  # the test is exact, the interval is not
        size = moved(row["difference"], unit, signed=False)
        interval = "" if across else f" ({' … '.join(bare(moved(e, unit)) for e in sizes)})"
        return f"B is {'better' if better else 'worse'} by {size}{interval}."
    if not row["better"] and not row["worse"]:
        seen = "" if row["detectable"] is None else _seen(row)
        return f"all pairs score the same{seen}."
    return f"no difference can be told{_seen(row)}."


def bare(told: str) -> str:
    return told.lstrip("+-").removesuffix(" pp")


def _seen(row: Row) -> str:
    """What would have been found: with this many pairs, four times out of five."""
    if row["detectable"] is None:
        return ""
    size = moved(row["detectable"], row["unit"], signed=False)
    return f"; one of {size} or more would have been seen"


def _bounds(row: Row) -> str:
    if row["worst"] is None or row["worst"] == row["best"]:
        return ""
    cases = (moved(row[end], row["unit"]) for end in ("worst", "best"))
    return " With those that failed, from {} to {}.".format(*cases)


def _matrix(matrix: Mapping[str, Any] | None) -> Iterator[str]:
    if matrix is None:
        return
    mean = matrix["mean_absolute_diagonal"]
    if mean is not None:
        size = moved(mean, "share", signed=False)
        yield f"Confusions: recall of a class moved by {size} on average."
    for rise in matrix["rises"][:3]:
        size = moved(rise["difference"], "share")
        yield f"  {rise['true']} taken for {rise['said']}: {size}"


def _shifts(shifts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not shifts:
        return
    header = ("dimension", "label", "A", "B", "B − A", "95 % interval", "p", "adjusted p",
              "Cohen's d", "n")  # fmt: skip
    yield ""
    yield from aligned(header, [_shift(each) for each in shifts])


def _shift(each: Mapping[str, Any]) -> tuple[str, ...]:
    low, high = (moved(each[end], "") for end in ("low", "high"))
    d = each["cohens_d"]
    return (
        each["dimension"],
        each["label"] or "all",
        written(each["value_a"], ""),
        written(each["value_b"], ""),
        moved(each["difference"], ""),
        "–" if each["low"] is None else f"{low} … {high}",
        chance(each["p"]),
        chance(each["adjusted"]),
        "–" if d is None else f"{d:+.2f}",
        str(each["n"]),
    )


def sample_lines(document: Document) -> Iterator[str]:
    """The samples that make the difference in the first metric."""
    first = next((row for row in document["rows"] if not row["field"]), None)
    held = document["flips"].get(first["metric"], []) if first else []
    if not first or not held:
        return
    for became in ("worse", "better"):
        some = [each for each in held if each["became"] == became]
        if some:
            yield ""
            yield f"{heading(first, became)}: {first[became]}, shown {len(some)}"
        for each in some:
            yield from _sample(each)


def heading(row: Row, became: str) -> str:
    """What happened to these samples, in words."""
    if row["right_or_wrong"]:
        return "Right in A, wrong in B" if became == "worse" else "Wrong in A, right in B"
    return f"{became.capitalize()} in B by {row['metric']}"


def _sample(each: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {each['id']}  {each['origin']}".rstrip()
    if each["target"] is not None:
        yield f"    target  {one_line(each['target'], MOST_ANSWER)}"
    for side in "ab":
        score = f"{each[f'score_{side}']}  " if each[f"score_{side}"] else ""
        yield f"    {side.upper()}       {score}{one_line(each[f'answer_{side}'], MOST_ANSWER)}"
