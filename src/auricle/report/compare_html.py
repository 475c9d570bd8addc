"""The page of a comparison: two runs beside each other, in one file that fetches nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from auricle.report import sample_cards
from auricle.report.compare_text import (
    chance,
    counts,
    decided,
    ends,
    heading,
    moved,
    printed,
    sentence,
)
from auricle.report.confusion_html import confusions
from auricle.report.formatting import NONE, Scale, arrow, axis, count, mark, title, written
from auricle.report.html import POLICY, asset
from auricle.report.html_tables import cell, name_cell, named, table
from auricle.report.html_tables import heading as head_cell
from auricle.report.markup import Markup, tag, together
from auricle.report.plots import style
from auricle.report.worst_samples import Shown

STYLE = Markup(
    """
.sides { display: grid; grid-template-columns: auto 1fr; gap: 0.1rem 0.75rem; }
.sides dt { color: var(--quiet); }
.field + .field { margin-top: 1.5rem; }
.fields > .field + .field { margin-top: 0; }
section > .quiet { margin-block: 0.6rem; }
@media (min-width: 60rem) {
  .fields.uneven { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); }
}
.kept { white-space: nowrap; }
.said-of { max-width: 68ch; margin-top: 0.3rem; }
"""
)
METHODS = {
    "mcnemar-exact": "McNemar’s exact test of the pairs that changed; interval of Bonett and Price",
    "paired-bootstrap": "percentile bootstrap over pairs, the same draw for both runs",
    "paired-cluster-bootstrap": "percentile bootstrap over whole clusters of pairs, the same draw "
                                "for both runs",
    "none": "too few pairs",
}  # fmt: skip
DETECTABLE = (
    "What would have been seen is the smallest true difference that a test at 5 % finds four times "
    "out of five: (1.96 + 0.84) × the standard error."
)

Document = Mapping[str, Any]
Changed = Sequence[tuple[Shown, Shown, str]]
Section = tuple[str, str, Sequence[Markup | None]]


def render(document: Document, changed: Changed) -> str:
    """The whole page."""
    found = [each for each in _sections(document, changed) if each[2]]
    body = tag(
        "body",
        tag("a", "Skip to the numbers", href="#main", class_="skip"),
        _header(document, found),
        tag(
            "main",
            [tag("section", tag("h2", name), *made, id=anchor) for anchor, name, made in found],
            id="main",
        ),
        _footer(document),
        tag("script", asset("page.js")),
    )
    page = together(Markup("<!doctype html>\n"), tag("html", _head(document), body, lang="en"))
    return page.encode("utf-8", "replace").decode() + "\n"


def _head(document: Document) -> Markup:
    names = (document[side]["model"]["name"] for side in "ba")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", " against ".join(names)),
        tag("style", asset("page.css"), style(), STYLE),
    )


def _header(document: Document, found: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, _ in found]
    links.append(tag("li", tag("a", "Method", href="#method")))
    a, b = document["a"], document["b"]
    sides = [
        (tag("dt", name), tag("dd", tag("bdi", f"{each['task']['name']}, {each['run']}")))
        for name, each in (("A", a), ("B", b))
    ]
    return tag(
        "header",
        tag("dl", *(piece for side in sides for piece in side), class_="sides"),
        tag("h1", tag("bdi", b["model"]["name"]), " against ", tag("bdi", a["model"]["name"])),
        tag("div", _headline(document), _facts(document), class_="headline"),
        [tag("p", sentence, class_="notice") for sentence in document["notes"]],
        tag("nav", tag("ul", links), aria_label="Sections"),
        class_="top",
    )


def _overall(document: Document) -> list[Mapping[str, Any]]:
    return [row for row in document["rows"] if not row["field"]]


def _headline(document: Document) -> Markup:
    """The first metric's difference, large."""
    rows = _overall(document)
    if not rows and document["shifts"]:
        rows = [{**document["shifts"][0], "metric": document["shifts"][0]["dimension"], "unit": ""}]
    if not rows:
        return tag("p", tag("strong", "No number", class_="figure"), class_="first")
    first = rows[0]
    better = arrow(first, spelled=True) if "higher_is_better" in first else ""
    told = printed(moved(first["difference"], first["unit"]))
    return tag(
        "p",
        tag("span", tag("b", title(first["metric"])), " B − A ", better),
        tag("strong", told, class_="figure"),
        tag("span", f"95 % interval {ends(first)}, p {_p(first['p'])}", class_="interval"),
        class_="first",
    )


def _p(p: float | None) -> str:
    told = chance(p)
    return told if told.startswith("<") else f"= {told}"


def _facts(document: Document) -> Markup:
    pairs = document["pairs"]
    facts = (
        ("Pairs", pairs["count"]),
        ("Only in A", pairs["only_a"]),
        ("Only in B", pairs["only_b"]),
        ("Failed in A", pairs["failed_a"]),
        ("Failed in B", pairs["failed_b"]),
        ("Not the same", pairs["changed"] + pairs["corrected"]),
    )
    return tag(
        "dl",
        [tag("div", tag("dt", name), tag("dd", count(value))) for name, value in facts],
        class_="facts",
    )


def _sections(document: Document, changed: Changed) -> list[Section]:
    return [
        ("metrics", "Metrics", _metrics(document)),
        ("breakdowns", "Breakdown", _breakdown(document)),
        ("matrix", "Confusions", confusions(document["matrix"]) if document["matrix"] else []),
        ("shifts", "Shifts of the means", _shifts(document["shifts"])),
        ("samples", "Samples that changed", _samples(document, changed)),
        ("refused", "Not compared", _refused(document["refused"])),
    ]


# --- metrics ----------------------------------------------------------------------------------


def _metrics(document: Document) -> list[Markup | None]:
    rows = _overall(document)
    if not rows:
        return []
    words = [tag("p", printed(sentence(row)), class_="said-of") for row in rows]
    return [_table("Every metric over all pairs", rows), *words]


def _breakdown(document: Document) -> list[Markup | None]:
    rows = [row for row in document["rows"] if row["field"]]
    return [_table(f"By {rows[0]['field']}", rows)] if rows else []


def _table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Rows on one scale around zero for each unit; a line marks no difference."""
    alike = [row for row in rows if row["unit"] == rows[0]["unit"]]
    scale = Scale.over(
        [row[end] for row in alike for end in ("low", "high", "difference")], zero=True
    )
    grouped = bool(rows[0]["field"])
    head = [
        *([head_cell(named(rows[0]["field"]), kind="of")] if grouped else []),
        head_cell("Metric", kind=""),
        *(head_cell(name) for name in ("A", "B", "B − A", "95 % interval")),
        head_cell(axis(rows[0]["unit"], scale), kind="drawn"),
        *(head_cell(name) for name in ("p", "Adjusted p", "Pairs", "Better", "Worse")),
    ]
    made = (_line(row, scale if row in alike else None, grouped) for row in rows)
    return table(caption, head, made, "metrics")


def _line(row: Mapping[str, Any], scale: Scale | None, grouped: bool) -> Markup:
    unit = row["unit"]
    told = printed(moved(row["difference"], unit))
    name = together(tag("bdi", title(row["metric"])), " ", arrow(row))
    drawn = {**row, "value": row["difference"], "failed": 0}
    return tag(
        "tr",
        name_cell(named(row["group"] or "(empty)")) if grouped else None,
        cell(name, kind="kept") if grouped else name_cell(name),
        cell(written(row["value_a"], unit)),
        cell(written(row["value_b"], unit)),
        cell(tag("strong", told) if decided(row) else told),
        cell(ends(row), kind="number quiet"),
        cell(mark(drawn, scale, 0.0) if scale else None, kind="drawn"),
        cell(chance(row["p"])),
        cell(chance(row["adjusted"])),
        cell(count(row["n"])),
        cell(count(row["better"])),
        cell(count(row["worse"])),
    )


# --- dimensions ------------------------------------------------------------------------------


def _shifts(shifts: Sequence[Mapping[str, Any]]) -> list[Markup | None]:
    """A table a dimension, all on one scale, in the models' own units."""
    if not shifts:
        return []
    scale = Scale.over([each[end] for each in shifts for end in ("low", "high")], zero=True)
    made: list[Markup | None] = [
        tag(
            "p",
            "Mean of each dimension by true label, in the models’ own units; nothing is rescaled, "
            "so a shift means something only if both use one scale. d is Cohen’s: the shift over "
            "the standard deviation pooled over both runs.",
            class_="quiet",
        )
    ]
    for name, some in groupby(shifts, key=lambda each: str(each["dimension"])):
        head = [
            head_cell(named(name), kind="of"),
            *map(head_cell, ("A", "B", "B − A", "95 % interval")),
            head_cell(axis("", scale), kind="drawn"),
            *map(head_cell, ("p", "Adjusted p", "d", "Pairs")),
        ]
        made.append(tag("div", table(name, head, [_shift(e, scale) for e in some]), class_="field"))
    return made


def _shift(each: Mapping[str, Any], scale: Scale) -> Markup:
    drawn = {**each, "value": each["difference"], "failed": 0, "worst": None, "best": None}
    d = each["cohens_d"]
    return tag(
        "tr",
        name_cell(named(each["label"] or "all")),
        cell(written(each["value_a"], "")),
        cell(written(each["value_b"], "")),
        cell(printed(moved(each["difference"], ""))),
        cell(ends(each), kind="number quiet"),
        cell(mark(drawn, scale, 0.0), kind="drawn"),
        cell(chance(each["p"])),
        cell(chance(each["adjusted"])),
        cell(NONE if d is None else printed(f"{d:+.2f}")),
        cell(count(each["n"])),
    )


# --- samples, and what is missing ------------------------------------------------------------


def _samples(document: Document, changed: Changed) -> list[Markup | None]:
    rows = _overall(document)
    if not changed or not rows:
        return []
    first = rows[0]
    told = (f"{heading(first, became)}: {count(first[became])}." for became in ("worse", "better"))
    intro = f"{' '.join(told)} {len(changed)} are shown."
    return [
        sample_cards.changed_samples(changed, intro, document["a"]["task"].get("language") or "")
    ]


def _refused(refused: Mapping[str, str]) -> list[Markup | None]:
    if not refused:
        return []
    head = [head_cell("What", kind=""), head_cell("Why", kind="examples")]
    rows = (
        tag("tr", name_cell(named(name)), cell(tag("span", why, dir="auto"), kind="examples"))
        for name, why in refused.items()
    )
    return [table("What cannot be compared", head, rows, "failures")]


def _footer(document: Document) -> Markup:
    methods: dict[str, list[str]] = {}
    for row in _overall(document):
        methods.setdefault(row["method"], []).append(title(row["metric"]))
    told = [f"{', '.join(names)}: {_method(name)}." for name, names in methods.items()]
    signatures = dict.fromkeys(row["signature"] for row in _overall(document))
    return tag(
        "footer",
        tag("h2", "Method"),
        tag("p", f"A is the baseline. {counts(document)}."),
        tag("p", " ".join(["Intervals hold 95 % of what repetitions would give.", *told])),
        tag("p", DETECTABLE),
        tag("h3", "Signatures") if signatures else None,
        tag("ul", [tag("li", tag("code", each)) for each in signatures], class_="signatures"),
        id="method",
    )


def _method(name: str) -> str:
    kind, _, rounds = name.partition(":")
    drawn = f", {int(rounds):,} draws" if rounds.isdigit() else ""
    return METHODS.get(kind, kind) + drawn
