"""Exceptions of two kinds, by who can act on them.

`SpecError`: the user must change something; exit code 2, one line, no traceback. `SampleError`: recorded with its
sample, and the run continues.
"""

from __future__ import annotations

import traceback
from contextlib import suppress
from enum import IntEnum
from itertools import islice
from pathlib import PurePath

MAX_MESSAGE_BYTES = 4096
"""Bytes of an error's message that are kept."""
MAX_PREFIX_BYTES = 512
"""Bytes of them for what is added about the error, such as its class and line."""
MAX_KIND_LENGTH, MAX_NOTES = 200, 20


class ExitStatus(IntEnum):
    """How a command ended, as its exit code."""

    OK = 0
    ERROR = 2
    """The command could not run as given: a wrong option, model, task or data file."""
    FAILURES = 3
    """The command finished, but some samples, metrics or checks failed."""
    GATE = 4
    """A candidate does not pass a gate: it is worse than its baseline, or a load test missed an SLO or is not valid."""
    UNDECIDED = 5
    """A gate has too few samples to decide."""
    INTERRUPTED = 130


class AuricleError(Exception):
    """Base class of all errors that Auricle raises deliberately."""


class SpecError(AuricleError):
    """The run cannot be executed as specified.

    Args:
        message: What is wrong and what to do.
        location: Path of keys to the offending value in a YAML file, if known.

    Examples:
        >>> raise SpecError("limit: 0 is too small; the least value is 1.", ("limit",))
        Traceback (most recent call last):
        auricle.core.errors.SpecError: limit: 0 is too small; the least value is 1.
    """

    def __init__(self, message: str = "", location: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.location = location


class LocatedError(SpecError):
    """A `SpecError` whose message begins with the file and line of its cause."""


class UnknownName(SpecError):
    """There is no task, model, metric or profile of that name."""


class Unsupported(SpecError):
    """The model lacks an ability that the task needs."""


class Unsuited(Unsupported):
    """A metric does not apply to this kind of output; other metrics of the task may."""


class MissingExtra(SpecError):
    """An optional package is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: pip install 'auricle[{extra}]'.")


class DataError(SpecError):
    """The data cannot be read, or contains nothing usable."""


class StorageError(SpecError):
    """A folder, a bucket or a server cannot be read or written as asked."""


class StorageUnavailable(StorageError):
    """A store does not answer, or reports a failure of its own; it may answer later."""


class ObjectChanged(AuricleError):
    """An object was replaced or deleted since it was read, so it was not replaced."""


class AllRequestsFailed(SpecError):
    """The first requests all failed with the same error."""


class NothingToJudge(SpecError):
    """A judge is given, but no metric uses one."""


class RunMismatch(SpecError):
    """The run directory contains a different run."""


class RunLocked(SpecError):
    """Another process is writing to the run directory."""


class RunDirectoryLost(SpecError):
    """The run directory was deleted, moved or replaced during the run."""


class SampleError(AuricleError):
    """One sample could not be answered or scored."""


class Transient(SampleError):
    """The request may succeed if it is sent again.

    Args:
        message: What happened.
        retry_after: Seconds to wait before the next attempt, if the server asks to wait; 0 if it does not say how long.

    Examples:
        >>> Transient("The server is busy.", retry_after=2.5).retry_after
        2.5
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(Transient):
    """No connection could be made, or the server never sent a byte."""


class Rejected(SampleError):
    """The server rejects the request; sending it again would not help."""


class AudioError(SampleError):
    """Audio that cannot be decoded or used."""


class TimedOut(SampleError):
    """A call of user code did not return in time."""


class Skipped(SampleError):
    """A rule of the model excludes this sample: it was not sent and does not count as wrong."""


class NotFinite(SampleError):
    """The model returned NaN or infinity instead of a number."""


class InvalidEvent(SampleError):
    """The session of a model yielded what is no event: a mistake in its code, not an outcome of the agent."""


class Unreadable(SampleError):
    """The output contains no answer that a metric can read."""


class AnswerRefused(Unreadable):
    """The output declines to answer, or states that there is no audio or that it cannot be heard."""


class Truncated(Unreadable):
    """The output was cut off before it gave an answer."""


class AnswerMismatch(Unreadable):
    """The output is of another kind than a metric needs, such as a text without times.

    A metric that cannot read any output for this reason does not apply to the model.
    """


def describe(error: BaseException) -> str:
    """Return an error's message; for errors of foreign code also the line that raised it, and its notes.

    Foreign code may raise anything: this never fails, and the text is short enough for a journal.
    """
    if issubclass(type(error), AuricleError):
        return safe_text(error, MAX_MESSAGE_BYTES)
    frames = traceback.extract_tb(BaseException.__dict__["__traceback__"].__get__(error))
    names_its_line = not frames or issubclass(type(error), SyntaxError)
    place = "" if names_its_line else f" ({PurePath(frames[-1].filename).name}:{frames[-1].lineno})"
    notes: list[str] = []
    with suppress(Exception):  # a class may make anything of `__notes__`
        notes += map(safe_text, islice(error.__notes__, MAX_NOTES))
    return shorten("; ".join([f"{safe_text(error) or 'no message'}{place}", *notes]))


def safe_text(value: object, size: int = MAX_MESSAGE_BYTES - MAX_PREFIX_BYTES) -> str:
    """Return a value as text, even if its `__str__` raises; its beginning and how long it is if it is long."""
    try:
        return shorten(str(value), size)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - it may raise anything
        return f"its message cannot be shown: __str__ raised {kind_of(error)}"


def is_plain(error: BaseException) -> bool:
    """Return whether an error can be asked for its class and its text, and the text is short enough to be kept."""
    try:
        text, kind = str(error), error.__class__
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - it may raise anything
        return False
    return type(kind) is type and kind is type(error) and type(text) is str and shorten(text) == text


def shorten(text: str, size: int = MAX_MESSAGE_BYTES) -> str:
    """Return a text of Python's own type that can be stored: its beginning and its length if it is too long.

    >>> shorten("a" * 10_000)[-30:]
    'aaaaaa… (10,000 characters)'
    """
    start = str.__getitem__(text, slice(size))
    encoded = start.encode("utf-8", "backslashreplace")
    if str.__len__(text) == len(start) and len(encoded) <= size:
        return encoded.decode()
    return f"{encoded[:size].decode(errors='ignore')}… ({str.__len__(text):,} characters)"


def kind_of(error: BaseException) -> str:
    """Return the name of an error's class, whatever its metaclass does."""
    name: str = type.__dict__["__name__"].__get__(type(error))
    return name[:MAX_KIND_LENGTH]
