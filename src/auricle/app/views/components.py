"""Small things every view is built from. Whatever comes from a run is escaped on its way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from auricle.app.theme import current_palette
from auricle.report.html_format import Scale
from auricle.report.markup import Child, Markup, join_markup, tag

STYLE = """
.au { --ink: {ink}; --quiet: {quiet}; --rule: {rule}; --accent: {accent}; --other: {other};
  --faint: {faint}; color: var(--ink); font-variant-numeric: tabular-nums; }
.au p { margin: 0 0 0.35rem; max-width: 75ch; }
.au .quiet, .au th { color: var(--quiet); }
.au small { font-size: 0.86em; }
.au .wide { overflow-x: auto; }
.au table { border-collapse: collapse; font-size: 0.93rem; margin: 0 0 0.5rem; }
.au th { font-weight: 500; text-align: left; white-space: nowrap; font-size: 0.86rem; }
.au td, .au th { padding: 0.28rem 0.8rem 0.28rem 0; border: 0;
  border-bottom: 1px solid var(--rule); vertical-align: baseline; }
.au tbody th { color: var(--ink); font-size: inherit; white-space: normal; }
.au tbody th { max-width: 22rem; min-width: 7.5rem; overflow-wrap: anywhere; }
.au tbody th .stack { min-width: 10.5rem; }
.au .number { text-align: right; white-space: nowrap; }
.au .stack { display: block; line-height: 1.3; }
.au .stack .mark { height: 0.7rem; }
.au .means { white-space: normal; text-align: left; min-width: 18rem; color: var(--quiet);
  font-size: 0.82rem; }
.au .bars { display: grid; grid-template-columns: max-content 6rem max-content; gap: 0 0.7rem;
  align-items: center; }
.au .bars i { height: 0.45rem; background: var(--accent); opacity: 0.55; display: block;
  min-width: 1px; }
.au .bars .due { font-weight: 600; }
.au .mark { position: relative; display: inline-block; width: 7rem; height: 0.9rem; }
.au .mark i { position: absolute; top: 0.4rem; height: 0.1rem; background: var(--rule); left: 0;
  right: 0; }
.au .mark b { position: absolute; top: 0.2rem; height: 0.5rem; background: var(--accent);
  opacity: 0.35; min-width: 2px; }
.au .mark u { position: absolute; top: 0; height: 0.9rem; width: 2px; background: var(--accent); }
.au .mark s { position: absolute; top: 0; height: 0.9rem; width: 1px; background: var(--quiet); }
.au dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 0.9rem; margin: 0; }
.au dt { color: var(--quiet); font-size: 0.86rem; }
.au dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.au del { color: var(--other); text-decoration-thickness: 1.5px; }
.au ins { color: var(--accent); text-underline-offset: 0.2em; }
.au ul.chips { display: flex; flex-wrap: wrap; gap: 0.25rem 0.4rem; padding: 0; margin: 0.3rem 0;
  list-style: none; }
.au .chips li { background: var(--faint); border-radius: 3px; padding: 0.05rem 0.45rem; margin: 0;
  font-size: 0.82rem; overflow-wrap: anywhere; }
.au .chips span { color: var(--quiet); }
.au .right::before { content: "✓ "; color: var(--accent); }
.au .wrong::before { content: "✗ "; color: var(--other); }
.au code { overflow-wrap: anywhere; font-size: 0.82rem; background: none; color: var(--quiet);
  padding: 0; }
"""


def apply_styles() -> None:
    """The style of these pieces, in the colours of the visitor's mode."""
    colours = current_palette()
    told = STYLE
    for name in ("ink", "quiet", "rule", "accent", "other", "faint"):
        told = told.replace(f"{{{name}}}", getattr(colours, name))
    st.html(f"<style>{told}</style>")


def draw_markup(*children: Child) -> None:
    """Put markup on the page; whatever is not markup is escaped."""
    st.html(tag("div", *children, class_="au"))


def draw_notes(*texts: str) -> None:
    """Quiet sentences, to the letter."""
    if texts:
        draw_markup([tag("p", text, class_="quiet") for text in texts])


def build_table(
    headers: Sequence[str], rows: Iterable[Sequence[Child]], text_columns: int = 1, trailing_text_columns: int = 0
) -> Markup:
    """A small table; all but the first `words` and the last `tail` columns hold numbers."""
    kinds = [
        "number" if text_columns <= at < len(headers) - trailing_text_columns else None for at in range(len(headers))
    ]
    heads = [tag("th", title, scope="col", class_=kind) for title, kind in zip(headers, kinds, strict=True)]
    lines = [tag("tr", _build_cells(row, kinds)) for row in rows]
    made = tag("table", tag("thead", tag("tr", heads)), tag("tbody", lines))
    return tag("div", made, class_="wide")


def _build_cells(row: Sequence[Child], cell_classes: Sequence[str | None]) -> list[Markup]:
    first, *rest = row
    return [
        tag("th", first, scope="row"),
        *(tag("td", each, class_=kind) for each, kind in zip(rest, cell_classes[1:], strict=True)),
    ]


def build_interval_bar(
    scale: Scale, low: float | None, value: float | None, high: float | None, reference: float | None = None
) -> Markup:
    """The interval as a bar, the value as a tick, and a thin line to compare with."""
    drawn: list[Markup] = [tag("i")]
    if reference is not None:
        drawn.append(tag("s", style=f"left:{scale.position(reference)}"))
    if low is not None and high is not None:
        place, width = scale.position(low), scale.width(low, high)
        drawn.append(tag("b", style=f"left:{place};width:{width}"))
    if value is not None:
        drawn.append(tag("u", style=f"left:{scale.position(value)}"))
    return tag("span", drawn, class_="mark", aria_hidden="true")


def stack_lines(*lines: Child) -> Markup:
    """Lines close below each other."""
    return join_markup(*(tag("span", line, class_="stack") for line in lines if line))


def build_definition_list(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Terms and what they stand for."""
    return tag("dl", [join_markup(tag("dt", term), tag("dd", text)) for term, text in pairs])
