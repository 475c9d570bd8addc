"""Building blocks of the views: HTML, in which text is escaped, and messages for errors."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from markupsafe import Markup

from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError
from auricle.report.html_format import Scale
from auricle.report.templating import render

T = TypeVar("T")
MALFORMED_FILE_ERRORS = (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, OSError)
"""Exceptions that files with an unexpected structure cause."""


@contextmanager
def error_boundary() -> Iterator[None]:
    """Show errors of a run's files as a message, so that the rest of the page is still drawn."""
    message = ""
    try:
        yield
    except AuricleError as error:
        message = str(error)
    except MALFORMED_FILE_ERRORS as error:
        kind = type(error).__name__
        message = f"This run's files are malformed ({kind}). Run `auricle score RUN` to regenerate the metrics."
    if message:
        st.error(escape_markdown(message), icon=":material/broken_image:")


def draw_markup(*pieces: str | None) -> None:
    """Draw pieces of markup; plain strings are escaped."""
    st.html(Markup('<div class="au">{}</div>').format(join_markup(*pieces)))


def join_markup(*pieces: str | None) -> Markup:
    """Concatenate pieces of markup; plain strings are escaped."""
    return Markup("").join(piece for piece in pieces if piece)


def draw_notes(*texts: str) -> None:
    """Draw each text as a muted paragraph, escaped."""
    if texts:
        draw_markup(*(Markup('<p class="muted">{}</p>').format(text) for text in texts))


def draw_list(texts: Iterable[str]) -> None:
    """Draw each text as an item of a list, escaped."""
    items = join_markup(*(Markup("<li>{}</li>").format(text) for text in texts))
    draw_markup(Markup('<ul class="sentences">{}</ul>').format(items))


def draw_table(
    headers: Sequence[str], rows: Iterable[Sequence[str | None]], text_columns: int = 1, trailing_text_columns: int = 0
) -> None:
    """Draw a table; all but the first `text_columns` and the last `trailing_text_columns` contain numbers."""
    numbers = range(text_columns, len(headers) - trailing_text_columns)
    draw_markup(render("app/templates/table.html", headers=headers, rows=rows, numbers=numbers))


def iter_in_columns(items: Sequence[T], count: int = 2) -> Iterator[T]:
    """Yield each item while the next of `count` columns is open, to draw it there."""
    for start in range(0, len(items), count):
        for column, item in zip(st.columns(count, gap="large"), items[start : start + count], strict=False):
            with column:
                yield item


def draw_headline(cells: Iterable[tuple[str, str, str]]) -> None:
    """Draw titles, values and intervals side by side in large type."""
    cells = list(cells)
    for column, (title, value, interval) in zip(st.columns(len(cells)), cells, strict=True):
        delta: Any = {"delta": f"95 % interval {interval}", "delta_color": "off", "delta_arrow": "off"}
        column.metric(escape_markdown(title), value, **delta, border=True)


def draw_downloads(key: str, files: Iterable[tuple[str, str, Any]]) -> None:
    """Draw a button for each file, from its label, its name and its content or a function that returns it."""
    with st.container(horizontal=True):
        for label, name, content in files:
            options: Any = {"icon": ":material/download:", "on_click": "ignore", "key": f"{key}-{name}"}
            st.download_button(label, content, name, mimetypes.guess_type(name)[0], **options)


def build_interval_bar(
    scale: Scale, low: float | None, value: float | None, high: float | None, reference: float | None = None
) -> Markup:
    """Build a bar for the interval, a tick for the value and a thin line at the reference."""
    ends = {"low": low, "value": value, "high": high, "reference": reference}
    known = {name: None if end is None or end != end else end for name, end in ends.items()}  # NaN is missing, too
    return render("app/templates/interval.html", scale=scale, **known)


def stack_lines(*lines: str) -> Markup:
    """Place lines closely below each other."""
    return join_markup(*(Markup('<span class="stack">{}</span>').format(line) for line in lines if line))


def build_interval_cell(interval: str, method: str) -> Markup:
    """Place an interval above the method that computed it."""
    return stack_lines(interval, Markup('<small class="muted">{}</small>').format(method))


def build_definition_list(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Build a definition list from pairs of term and text."""
    return render("app/templates/definitions.html", pairs=pairs)
