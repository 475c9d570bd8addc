"""Whose code raised: a failure of a borrowed class names the class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from auricle.core.errors import AuricleError, SampleError


@contextmanager
def annotate_errors(name: str) -> Iterator[None]:
    """What is raised within stays what it is, and says who raised it."""
    try:
        yield
    except AuricleError:
        raise
    except SystemExit as error:  # a class that gives up must not take the run with it
        raise SampleError(f"{name} raised SystemExit {error}".rstrip()) from error
    except Exception as error:
        note = f"raised by {name}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        raise
