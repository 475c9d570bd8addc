"""The HTML page of a comparison, in one self-contained file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from auricle.report import sample_cards
from auricle.report.compare import Comparison
from auricle.report.compare.confusion_html import render_confusion_changes
from auricle.report.compare.flips import Flip, build_views, read_records
from auricle.report.compare.text import (
    change_heading,
    describe_row,
    format_difference,
    format_difference_interval,
    format_p_value,
    format_pair_count,
    is_significant,
    typeset,
)
from auricle.report.html_format import (
    MISSING,
    Scale,
    direction_arrow,
    draw_axis_ends,
    draw_interval_mark,
    format_count,
    metric_title,
    typeset_number,
)
from auricle.report.html_tables import cell, render_table, row_header, shorten_name
from auricle.report.html_tables import header_cell as head_cell
from auricle.report.markup import Markup, join_markup, tag
from auricle.report.plots import load_stylesheet
from auricle.report.run_html import CONTENT_SECURITY_POLICY, load_asset
from auricle.report.sample_view import MAX_SAMPLES, SampleView

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
.row-summary { max-width: 68ch; margin-top: 0.3rem; }
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
    "The detectable difference is the smallest true difference that a test at the 5 % level finds with 80 % power: "
    "(1.96 + 0.84) × the standard error."
)

Document = Mapping[str, Any]
ChangedSamples = Sequence[tuple[SampleView, SampleView, str]]
Section = tuple[str, str, Sequence[Markup | None]]


def render_comparison(document: Document, changed_samples: ChangedSamples) -> str:
    """Render the page."""
    sections = [each for each in _sections(document, changed_samples) if each[2]]
    body = tag(
        "body",
        tag("a", "Skip to the results", href="#main", class_="skip"),
        _header(document, sections),
        tag("main", [tag("section", tag("h2", name), *made, id=anchor) for anchor, name, made in sections], id="main"),
        _footer(document),
        tag("script", load_asset("page.js")),
    )
    page = join_markup(Markup("<!doctype html>\n"), tag("html", _head(document), body, lang="en"))
    return page.encode("utf-8", "replace").decode() + "\n"


def _head(document: Document) -> Markup:
    names = (document[side]["model"]["name"] for side in "ba")
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=CONTENT_SECURITY_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", " against ".join(names)),
        tag("style", load_asset("page.css"), load_stylesheet(), STYLE),
    )


def _header(document: Document, sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, _ in sections]
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


def _overall_rows(document: Document) -> list[Mapping[str, Any]]:
    return [row for row in document["rows"] if not row["field"]]


def _headline(document: Document) -> Markup:
    """Render the difference in the first metric in large type."""
    rows = _overall_rows(document)
    if not rows and document["shifts"]:
        rows = [{**document["shifts"][0], "metric": document["shifts"][0]["dimension"], "unit": ""}]
    if not rows:
        return tag("p", tag("strong", "No number", class_="figure"), class_="first")
    first = rows[0]
    better = direction_arrow(first, with_words=True) if "higher_is_better" in first else ""
    difference = typeset(format_difference(first["difference"], first["unit"]))
    return tag(
        "p",
        tag("span", tag("b", metric_title(first["metric"])), " B − A ", better),
        tag("strong", difference, class_="figure"),
        tag(
            "span",
            f"95 % interval {format_difference_interval(first)}, p {_format_p_equation(first['p'])}",
            class_="interval",
        ),
        class_="first",
    )


def _format_p_equation(p: float | None) -> str:
    text = format_p_value(p)
    return text if text.startswith("<") else f"= {text}"


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
        "dl", [tag("div", tag("dt", name), tag("dd", format_count(value))) for name, value in facts], class_="facts"
    )


def _sections(document: Document, changed_samples: ChangedSamples) -> list[Section]:
    return [
        ("metrics", "Metrics", _metrics_section(document)),
        ("breakdowns", "Breakdown", _breakdown_section(document)),
        ("matrix", "Confusions", render_confusion_changes(document["matrix"]) if document["matrix"] else []),
        ("shifts", "Mean shifts", _shift_section(document["shifts"])),
        ("samples", "Samples that changed", _changed_samples_section(document, changed_samples)),
        ("refused", "Not compared", _refusals_section(document["refused"])),
    ]


# --- metrics ----------------------------------------------------------------------------------


def _metrics_section(document: Document) -> list[Markup | None]:
    rows = _overall_rows(document)
    if not rows:
        return []
    words = [tag("p", typeset(describe_row(row)), class_="row-summary") for row in rows]
    return [_differences_table("Every metric over all pairs", rows), *words]


def _breakdown_section(document: Document) -> list[Markup | None]:
    rows = [row for row in document["rows"] if row["field"]]
    return [_differences_table(f"By {rows[0]['field']}", rows)] if rows else []


def _differences_table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Render rows with interval marks, on one scale around zero per unit."""
    alike = [row for row in rows if row["unit"] == rows[0]["unit"]]
    scale = Scale.fit([row[end] for row in alike for end in ("low", "high", "difference")], include_zero=True)
    grouped = bool(rows[0]["field"])
    head = [
        *([head_cell(shorten_name(rows[0]["field"]), css_class="of")] if grouped else []),
        head_cell("Metric", css_class=""),
        *(head_cell(name) for name in ("A", "B", "B − A", "95 % interval")),
        head_cell(draw_axis_ends(rows[0]["unit"], scale), css_class="drawn"),
        *(head_cell(name) for name in ("p", "Adjusted p", "Pairs", "Better", "Worse")),
    ]
    made = (_difference_row(row, scale if row in alike else None, grouped) for row in rows)
    return render_table(caption, head, made, "metrics")


def _difference_row(row: Mapping[str, Any], scale: Scale | None, grouped: bool) -> Markup:
    unit = row["unit"]
    difference = typeset(format_difference(row["difference"], unit))
    name = join_markup(tag("bdi", metric_title(row["metric"])), " ", direction_arrow(row))
    drawn = {**row, "value": row["difference"], "failed": 0}
    return tag(
        "tr",
        row_header(shorten_name(row["group"] or "(empty)")) if grouped else None,
        cell(name, css_class="kept") if grouped else row_header(name),
        cell(typeset_number(row["value_a"], unit)),
        cell(typeset_number(row["value_b"], unit)),
        cell(tag("strong", difference) if is_significant(row) else difference),
        cell(format_difference_interval(row), css_class="number quiet"),
        cell(draw_interval_mark(drawn, scale, 0.0) if scale else None, css_class="drawn"),
        cell(format_p_value(row["p"])),
        cell(format_p_value(row["adjusted"])),
        cell(format_count(row["n"])),
        cell(format_count(row["better"])),
        cell(format_count(row["worse"])),
    )


# --- dimensions ------------------------------------------------------------------------------


def _shift_section(shifts: Sequence[Mapping[str, Any]]) -> list[Markup | None]:
    """Render one table per dimension, all on one scale, in the units of the models."""
    if not shifts:
        return []
    scale = Scale.fit([each[end] for each in shifts for end in ("low", "high")], include_zero=True)
    made: list[Markup | None] = [
        tag(
            "p",
            "Mean of each dimension by true label, in the units of the models. Nothing is rescaled, "
            "so shifts are meaningful only if both models use the same scale. d is Cohen’s d: the shift divided by "
            "the standard deviation pooled over both runs.",
            class_="quiet",
        )
    ]
    for name, some in groupby(shifts, key=lambda each: str(each["dimension"])):
        head = [
            head_cell(shorten_name(name), css_class="of"),
            *map(head_cell, ("A", "B", "B − A", "95 % interval")),
            head_cell(draw_axis_ends("", scale), css_class="drawn"),
            *map(head_cell, ("p", "Adjusted p", "d", "Pairs")),
        ]
        made.append(tag("div", render_table(name, head, [_shift_row(e, scale) for e in some]), class_="field"))
    return made


def _shift_row(shift: Mapping[str, Any], scale: Scale) -> Markup:
    drawn = {**shift, "value": shift["difference"], "failed": 0, "worst": None, "best": None}
    d = shift["cohens_d"]
    return tag(
        "tr",
        row_header(shorten_name(shift["label"] or "all")),
        cell(typeset_number(shift["value_a"], "")),
        cell(typeset_number(shift["value_b"], "")),
        cell(typeset(format_difference(shift["difference"], ""))),
        cell(format_difference_interval(shift), css_class="number quiet"),
        cell(draw_interval_mark(drawn, scale, 0.0), css_class="drawn"),
        cell(format_p_value(shift["p"])),
        cell(format_p_value(shift["adjusted"])),
        cell(MISSING if d is None else typeset(f"{d:+.2f}")),
        cell(format_count(shift["n"])),
    )


# --- samples, and what is missing ------------------------------------------------------------


def _changed_samples_section(document: Document, changed_samples: ChangedSamples) -> list[Markup | None]:
    rows = _overall_rows(document)
    if not changed_samples or not rows:
        return []
    first = rows[0]
    counts = (f"{change_heading(first, became)}: {format_count(first[became])}." for became in ("worse", "better"))
    intro = f"{' '.join(counts)} {len(changed_samples)} are shown."
    return [sample_cards.render_changed_samples(changed_samples, intro, document["a"]["task"].get("language") or "")]


def _refusals_section(refused: Mapping[str, str]) -> list[Markup | None]:
    if not refused:
        return []
    head = [head_cell("What", css_class=""), head_cell("Why", css_class="examples")]
    rows = (
        tag("tr", row_header(shorten_name(name)), cell(tag("span", why, dir="auto"), css_class="examples"))
        for name, why in refused.items()
    )
    return [render_table("What cannot be compared", head, rows, "failures")]


def _footer(document: Document) -> Markup:
    methods: dict[str, list[str]] = {}
    for row in _overall_rows(document):
        methods.setdefault(row["method"], []).append(metric_title(row["metric"]))
    descriptions = [f"{', '.join(names)}: {_describe_method(name)}." for name, names in methods.items()]
    signatures = dict.fromkeys(row["signature"] for row in _overall_rows(document))
    return tag(
        "footer",
        tag("h2", "Method"),
        tag("p", f"A is the baseline. {format_pair_count(document)}."),
        tag("p", " ".join(["Intervals are 95 % confidence intervals.", *descriptions])),
        tag("p", DETECTABLE),
        tag("h3", "Signatures") if signatures else None,
        tag("ul", [tag("li", tag("code", each)) for each in signatures], class_="signatures"),
        id="method",
    )


def _describe_method(name: str) -> str:
    kind, _, rounds = name.partition(":")
    drawn = f", {int(rounds):,} draws" if rounds.isdigit() else ""
    return METHODS.get(kind, kind) + drawn


# --- the samples of a comparison ------------------------------------------------------------------


def render_page(comparison: Comparison) -> str:
    """Render a self-contained page with the samples that changed most in the first metric."""
    first = next(iter(comparison.flips), "")
    return render_comparison(comparison.document(), _changed_samples(comparison, first) if first else [])


def _changed_samples(comparison: Comparison, metric: str) -> list[tuple[SampleView, SampleView, str]]:
    """Pair the answers of each sample; the audio is taken from the run that scored worse."""
    chosen = comparison.flips[metric][:MAX_SAMPLES]
    shown_a = _views_by_id(comparison, metric, chosen, "a")
    shown_b = _views_by_id(comparison, metric, chosen, "b")
    return [
        (shown_a[each.id], shown_b[each.id], each.became)
        for each in chosen
        if each.id in shown_a and each.id in shown_b
    ]


def _views_by_id(comparison: Comparison, metric: str, flips: tuple[Flip, ...], side_name: str) -> dict[str, SampleView]:
    side = comparison.a if side_name == "a" else comparison.b
    stats = {each.id: getattr(each, f"stat_{side_name}") for each in flips}
    made: dict[str, SampleView] = {}
    for became in ("worse", "better"):
        ids = [each.id for each in flips if each.became == became]
        heard = (became == "worse") == (side_name == "b")
        some = build_views(read_records(side, ids), comparison.metrics[metric], stats, audio=heard)
        made.update({each.id: each for each in some})
    return made
