"""What a run's broken files do to a page: a message in their place, and the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from auricle.app.theme import plain
from auricle.core.errors import AuricleError

BROKEN = (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, OSError)
"""What reading a file raises that is not as this package writes it."""


@contextmanager
def guarded() -> Iterator[None]:
    """Tell what cannot be read instead of ending the page with a traceback."""
    try:
        yield
    except AuricleError as error:
        st.error(plain(error), icon=":material/broken_image:")
    except BROKEN as error:
        st.error(
            plain(
                f"This run's files are not as auricle writes them ({type(error).__name__}); "
                "`auricle score RUN` makes its numbers again."
            ),
            icon=":material/broken_image:",
        )
