"""Tests of the list of runs."""

from pathlib import Path

import pytest

from auricle.app.views.run_list import describe_run
from auricle.app.workspace import RunEntry
from tests.support.app_pages import draw_view

ENTRY = RunEntry("a", Path("a"), "run", "echo", "demo", True, "2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (ENTRY, "demo × echo · 2026-01-02 03:04"),
        (RunEntry("a", Path("a"), "perf", "echo", "demo"), "Load test: demo × echo · unfinished"),
        (RunEntry("a", Path("a"), "run", error="Cannot be read: x."), "Cannot be read: x."),
    ],
)
def test_run_is_described_on_one_line(entry: RunEntry, text: str) -> None:
    assert describe_run(entry) == text


def test_older_runs_are_counted() -> None:
    app = draw_view(
        "auricle.app.views.run_list:from pathlib import Path\n"
        "draw_run_list([RunEntry(str(n), Path('a'), 'run') for n in range(5)], 3)"
    )
    assert app.caption[0].value.startswith("2 older runs are available")
