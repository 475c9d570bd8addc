"""Badges of results: a picture, and the JSON of a shields.io endpoint."""

from __future__ import annotations

import json

from markupsafe import escape

from auricle.report.text_format import truncate
from auricle.studies.leaderboards.table import Cell, Column

MAX_LABEL_LENGTH = 40
CHARACTER_WIDTH = 6.6
"""Average width of a character at 11 px, in pixels; the text is fitted to it."""
PADDING = 6.0
COLOR = "1a5a88"
UNRANKED_COLOR = "67635b"


def badge_texts(column: Column, cell: Cell) -> tuple[str, str]:
    """Return both sides of a badge: what was measured, and the value with its interval and the range of its rank."""
    label = truncate(column.title, MAX_LABEL_LENGTH)
    interval = "" if cell.interval == "–" else f" ({cell.interval.removesuffix(' %')})"
    rank = cell.rank.summary if cell.rank else "not ranked"
    return label, f"{cell.text}{interval}, {rank}"


def render_badge_json(column: Column, cell: Cell) -> str:
    """Return the JSON that `https://img.shields.io/endpoint?url=…` draws."""
    label, message = badge_texts(column, cell)
    color = COLOR if cell.rank else UNRANKED_COLOR
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": color}, ensure_ascii=False)


def render_badge_svg(column: Column, cell: Cell) -> str:
    """Return a picture of the badge, which needs no other server."""
    label, message = badge_texts(column, cell)
    left, right = (round(CHARACTER_WIDTH * len(text) + 2 * PADDING) for text in (label, message))
    color = COLOR if cell.rank else UNRANKED_COLOR
    title = escape(f"{label}: {message}")
    texts = "".join(
        f'<text x="{x:g}" y="14" text-anchor="middle" textLength="{width - 2 * PADDING:g}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for x, width, text in ((left / 2, left, label), (left + right / 2, right, message))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#3a3a3a"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#{color}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
