"""What every tracker does: create or continue a run, log its progress, and store its final numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import ClassVar, Literal, TypeAlias

from auricle.core.errors import AuricleError, MissingExtra, describe
from auricle.core.redaction import redact_text
from auricle.core.registry import Registry

DEFAULT_PROJECT = "auricle"
Parameter: TypeAlias = str | int | float | bool
RunStatus = Literal["finished", "stopped", "failed"]
"""Whether all samples were processed, the run can be resumed, or it ended with an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedRun:
    """A run as a tracker shows it."""

    key: str
    """Identifies the run: a run directory keeps its key when it is resumed, scored again or moved."""
    name: str
    project: str
    """Project or experiment; empty for the one that the variables of the tracker name, or else `auricle`."""
    group: str = ""
    """Folder of the suite that the run is a part of."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What was evaluated, as the run states it; this never changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalState:
    """How a run ended, and its numbers."""

    status: RunStatus = "finished"
    numbers: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the numbers mean, such as their signatures; scoring a run again can change it."""
    step: int = 0
    """Number of samples."""


class Tracker(ABC):
    """One run in a tracker. The methods are called in the order start, log, …, finish, from one thread.

    Subclass it to add a tracker, and register the class as an entry point of the group `auricle.trackers`.

    Examples:
        >>> class Printer(Tracker):
        ...     def start(self, run):
        ...         print(run.name)
        ...     def log(self, values, step):
        ...         print(step, dict(values))
        ...     def finish(self, final):
        ...         print(final.status, dict(final.numbers))
        >>> printer = Printer()
        >>> printer.start(TrackedRun(key="1f", name="demo-echo", project=""))
        demo-echo
        >>> printer.finish(FinalState(numbers={"wer": 0.25}))
        finished {'wer': 0.25}
    """

    module: ClassVar[str] = ""
    """Module that the tracker needs, and the extra that installs it."""
    extra: ClassVar[str] = ""
    location: str = ""
    """Where the run can be seen, for people; known once the tracker has started."""

    @classmethod
    def check_installed(cls, name: str) -> None:
        """Raise `MissingExtra` if the package of the tracker is not installed."""
        if cls.module and find_spec(cls.module) is None:
            raise MissingExtra(f"The tracker {name!r}", cls.extra)

    @abstractmethod
    def start(self, run: TrackedRun) -> None:
        """Create a run in the tracker, or continue the one with the same key."""

    @abstractmethod
    def log(self, values: Mapping[str, float], step: int) -> None:
        """Log values that change while the run goes on.

        Args:
            values: Values by name, such as `inference/rate`.
            step: Number of samples or verdicts that are done.
        """

    @abstractmethod
    def finish(self, final: FinalState) -> None:
        """Store the final numbers, in place of earlier ones where the tracker permits, and end the run."""


TRACKERS: Registry[type[Tracker]] = Registry(
    "tracker", {}, expects=(type, "a subclass of auricle.engine.trackers.base.Tracker")
)
"""The trackers of `auricle run --log` and `auricle log`."""


def explain(error: BaseException) -> str:
    """Return the message of an error of a tracker as a sentence, without secrets."""
    name = "" if isinstance(error, AuricleError) else f"{type(error).__name__}: "
    return redact_text(f"{name}{describe(error).strip().rstrip('.')}.")


def find_trackers(names: Sequence[str]) -> dict[str, type[Tracker]]:
    """Return the classes of trackers by name.

    Raises:
        UnknownName: if there is no tracker of a name.
        MissingExtra: if the package of a tracker is not installed.
    """
    classes = {name: TRACKERS.get(name) for name in names}
    for name, tracker_class in classes.items():
        tracker_class.check_installed(name)
    return classes
