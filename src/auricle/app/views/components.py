"""HTML building blocks of the views; text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from auricle.app.theme import current_palette
from auricle.report.html_format import Scale
from auricle.report.markup import Child, Markup, join_markup, tag

STYLE = """
.au { --text: {text}; --muted: {muted}; --border: {border}; --accent: {accent}; --contrast: {contrast};
  --surface: {surface}; color: var(--text); font-variant-numeric: tabular-nums; }
.au p { margin: 0 0 0.35rem; max-width: 75ch; }
.au .muted, .au th { color: var(--muted); }
.au small { font-size: 0.86em; }
.au .wide { overflow-x: auto; }
.au table { border-collapse: collapse; font-size: 0.93rem; margin: 0 0 0.5rem; }
.au th { font-weight: 500; text-align: left; white-space: nowrap; font-size: 0.86rem; }
.au td, .au th { padding: 0.28rem 0.8rem 0.28rem 0; border: 0;
  border-bottom: 1px solid var(--border); vertical-align: baseline; }
.au tbody th { color: var(--text); font-size: inherit; white-space: normal; }
.au tbody th { max-width: 22rem; min-width: 7.5rem; overflow-wrap: anywhere; }
.au tbody th .stack { min-width: 10.5rem; }
.au .number { text-align: right; white-space: nowrap; }
.au .stack { display: block; line-height: 1.3; }
.au .stack .mark { height: 0.7rem; }
.au .definition { white-space: normal; text-align: left; min-width: 18rem; color: var(--muted);
  font-size: 0.82rem; }
.au .bars { display: grid; grid-template-columns: max-content 6rem max-content; gap: 0 0.7rem;
  align-items: center; }
.au .bars i { height: 0.45rem; background: var(--accent); opacity: 0.55; display: block;
  min-width: 1px; }
.au .bars .expected { font-weight: 600; }
.au .mark { position: relative; display: inline-block; width: 7rem; height: 0.9rem; }
.au .mark i { position: absolute; top: 0.4rem; height: 0.1rem; background: var(--border); left: 0;
  right: 0; }
.au .mark b { position: absolute; top: 0.2rem; height: 0.5rem; background: var(--accent);
  opacity: 0.35; min-width: 2px; }
.au .mark u { position: absolute; top: 0; height: 0.9rem; width: 2px; background: var(--accent); }
.au .mark s { position: absolute; top: 0; height: 0.9rem; width: 1px; background: var(--muted); }
.au dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 0.9rem; margin: 0; }
.au dt { color: var(--muted); font-size: 0.86rem; }
.au dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.au del { color: var(--contrast); text-decoration-thickness: 1.5px; }
.au ins { color: var(--accent); text-underline-offset: 0.2em; }
.au ul.chips { display: flex; flex-wrap: wrap; gap: 0.25rem 0.4rem; padding: 0; margin: 0.3rem 0;
  list-style: none; }
.au .chips li { background: var(--surface); border-radius: 3px; padding: 0.05rem 0.45rem; margin: 0;
  font-size: 0.82rem; overflow-wrap: anywhere; }
.au .chips span { color: var(--muted); }
.au .correct::before { content: "✓ "; color: var(--accent); }
.au .incorrect::before { content: "✗ "; color: var(--contrast); }
.au code { overflow-wrap: anywhere; font-size: 0.82rem; background: none; color: var(--muted);
  padding: 0; }
"""


def apply_styles() -> None:
    """Add the style sheet of these components, in the colours of the current theme."""
    palette = current_palette()
    style = STYLE
    for name in ("text", "muted", "border", "accent", "contrast", "surface"):
        style = style.replace(f"{{{name}}}", getattr(palette, name))
    st.html(f"<style>{style}</style>")


def draw_markup(*children: Child) -> None:
    """Draw markup; plain strings are escaped."""
    st.html(tag("div", *children, class_="au"))


def draw_notes(*texts: str) -> None:
    """Draw each text as a muted paragraph, escaped."""
    if texts:
        draw_markup([tag("p", text, class_="muted") for text in texts])


def build_table(
    headers: Sequence[str], rows: Iterable[Sequence[Child]], text_columns: int = 1, trailing_text_columns: int = 0
) -> Markup:
    """Build a table; all but the first `text_columns` and the last `trailing_text_columns` contain numbers."""
    classes = [
        "number" if text_columns <= index < len(headers) - trailing_text_columns else None
        for index in range(len(headers))
    ]
    header_cells = [tag("th", title, scope="col", class_=name) for title, name in zip(headers, classes, strict=True)]
    lines = [tag("tr", _build_cells(row, classes)) for row in rows]
    table = tag("table", tag("thead", tag("tr", header_cells)), tag("tbody", lines))
    return tag("div", table, class_="wide")


def _build_cells(row: Sequence[Child], cell_classes: Sequence[str | None]) -> list[Markup]:
    first, *rest = row
    return [
        tag("th", first, scope="row"),
        *(tag("td", content, class_=name) for content, name in zip(rest, cell_classes[1:], strict=True)),
    ]


def build_interval_bar(
    scale: Scale, low: float | None, value: float | None, high: float | None, reference: float | None = None
) -> Markup:
    """Build a bar for the interval, a tick for the value and a thin line at the reference."""
    marks: list[Markup] = [tag("i")]
    if reference is not None:
        marks.append(tag("s", style=f"left:{scale.position(reference)}"))
    if low is not None and high is not None:
        marks.append(tag("b", style=f"left:{scale.position(low)};width:{scale.width(low, high)}"))
    if value is not None:
        marks.append(tag("u", style=f"left:{scale.position(value)}"))
    return tag("span", marks, class_="mark", aria_hidden="true")


def stack_lines(*lines: Child) -> Markup:
    """Place lines closely below each other."""
    return join_markup(*(tag("span", line, class_="stack") for line in lines if line))


def build_definition_list(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Build a definition list from pairs of term and text."""
    return tag("dl", [join_markup(tag("dt", term), tag("dd", text)) for term, text in pairs])
