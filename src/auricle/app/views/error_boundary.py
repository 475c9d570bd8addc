"""Show errors of a run's files as a message on the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError

MALFORMED_FILE_ERRORS = (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, OSError)
"""Exceptions that files with an unexpected structure cause."""


@contextmanager
def error_boundary() -> Iterator[None]:
    """Show errors as a message, so that the rest of the page is still drawn."""
    try:
        yield
    except AuricleError as error:
        st.error(escape_markdown(error), icon=":material/broken_image:")
    except MALFORMED_FILE_ERRORS as error:
        st.error(
            escape_markdown(
                f"This run's files are malformed ({type(error).__name__}). Run `auricle score RUN` to regenerate the "
                "metrics."
            ),
            icon=":material/broken_image:",
        )
