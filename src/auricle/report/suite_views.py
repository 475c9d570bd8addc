"""What the terminal shows of suites of a certain purpose, such as a table of controls, beside their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from auricle.core.registry import Registry
from auricle.runs.metrics import Metrics


class SuiteView(ABC):
    """Shows the suites of a feature, in place of their numbers by part."""

    @abstractmethod
    def matches(self, metrics: Metrics) -> bool:
        """Return whether the numbers are those of a suite of the feature."""

    def format_together(self, suites: Sequence[Metrics], *, show_all: bool) -> Sequence[str]:
        """Format what is shown of all suites of the feature together, below the numbers of all runs.

        Args:
            suites: Those among the runs; there may be none.
            show_all: Whether to show every metric instead of the headline metrics.
        """
        return ()

    def format_one(self, metrics: Metrics) -> Sequence[str]:
        """Format what is shown of each suite, above its notes."""
        return ()


SUITE_VIEWS: Registry[type[SuiteView]] = Registry(
    "suite view", {}, expects=(type, "a subclass of auricle.report.suite_views.SuiteView")
)


def load_suite_views() -> list[SuiteView]:
    """Return the views of all features, by name."""
    return [SUITE_VIEWS.get(name)() for name in SUITE_VIEWS]
