"""What a run's broken files do to a page: a message in their place, and the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError

MALFORMED_FILE_ERRORS = (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, OSError)
"""What reading a file raises that is not as this package writes it."""


@contextmanager
def error_boundary() -> Iterator[None]:
    """Tell what cannot be read instead of ending the page with a traceback."""
    try:
        yield
    except AuricleError as error:
        st.error(escape_markdown(error), icon=":material/broken_image:")
    except MALFORMED_FILE_ERRORS as error:
        st.error(
            escape_markdown(
                f"This run's files are not as auricle writes them ({type(error).__name__}); "
                "`auricle score RUN` makes its numbers again."
            ),
            icon=":material/broken_image:",
        )
