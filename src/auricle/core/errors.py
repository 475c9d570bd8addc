"""Everything that can go wrong, and whose move it is.

AuricleError
├── SpecError        the user's move: exit code 2, one line, no traceback
│   ├── UnknownName      no such task, model, metric or profile
│   ├── Unsupported      the model cannot do what the task needs
│   │   └── Unsuited         a metric is for other models than this
│   ├── MissingExtra     an optional package is not installed
│   ├── DataError        the data cannot be read as a whole
│   ├── Hopeless         every request so far failed alike; more would only cost
│   ├── RunMismatch      the run directory belongs to another spec
│   └── RunLocked        another process is writing to the run directory
└── SampleError      nobody's move: recorded with its sample, the run goes on
    ├── Transient        worth another attempt (timeouts, 429, 5xx)
    │   └── Unreachable      nobody answers at that address
    ├── Refused          a server's final no: a wrong key, a wrong name, a request it cannot take
    ├── AudioError       a sound that cannot be used: missing, broken, empty
    ├── Skipped          left out by a rule that the model states, such as how long a sound may be
    ├── NotFinite        a model's number that is none: NaN, or infinite
    └── Unreadable       an output no metric can read; never a guess
"""

from __future__ import annotations

import traceback
from pathlib import PurePath


class AuricleError(Exception):
    """Base of every error raised on purpose."""


class SpecError(AuricleError):
    """What was asked for cannot be run as it stands; `where` in a file that is, if known."""

    def __init__(self, message: str = "", location: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.location = location


class UnknownName(SpecError):
    """No task, model, metric or profile of that name."""


class Unsupported(SpecError):
    """The model lacks the ability the task needs."""


class Unsuited(Unsupported):
    """A metric is made for another kind of output; others of the task may suit."""


class MissingExtra(SpecError):
    """An optional package is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package: pip install 'auricle[{extra}]'.")


class DataError(SpecError):
    """The data cannot be read at all, or holds nothing usable."""


class AllRequestsFailed(SpecError):
    """The first requests all failed alike, so the rest would, too."""


class RunMismatch(SpecError):
    """The run directory was made by a different spec."""


class RunLocked(SpecError):
    """Another process holds the run directory."""


class SampleError(AuricleError):
    """One sample could not be answered or scored."""


class Transient(SampleError):
    """The same request may succeed if sent again; `retry_after` is how long to wait, if told."""

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(Transient):
    """No connection could be made, or nothing ever came over it."""


class Refused(SampleError):
    """A server will not answer this request, however often it is sent."""


class AudioError(SampleError):
    """A sound that cannot be decoded or must not be used."""


class Skipped(SampleError):
    """A model's own rule leaves this sample out: it was not asked, and is not wrong."""


class NotFinite(SampleError):
    """A model told NaN or infinity where a number was due."""


class Unreadable(SampleError):
    """The output could not be read as an answer."""


def describe(error: BaseException) -> str:
    """An error's words; where somebody else's code raised it, also the line that did, and notes."""
    if isinstance(error, AuricleError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    known = not frames or isinstance(error, SyntaxError)  # which names the line itself
    place = "" if known else f" ({PurePath(frames[-1].filename).name}:{frames[-1].lineno})"
    return "; ".join([f"{str(error) or 'no message'}{place}", *getattr(error, "__notes__", ())])
