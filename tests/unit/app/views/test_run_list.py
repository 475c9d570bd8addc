"""Tests of the list of runs."""

from pathlib import Path

import pytest

from auricle.app.views.run_list import default_baseline_index, describe_run
from auricle.app.workspace import RunEntry
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import draw_view, page_text

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


# --- the select box ------------------------------------------------------------


def test_link_overrides_the_previous_choice(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small")
    assert app.selectbox[0].value == "asr-small"
    app.selectbox[0].set_value("asr-large").run()
    assert app.selectbox[0].value == "asr-large"
    assert app.query_params["run"] in ("asr-large", ["asr-large"])
    app.query_params["run"] = "quiz-good"
    app.run()
    assert app.selectbox[0].value == "quiz-good"


def test_empty_workspace_is_reported(draw: DrawRun, tmp_path: Path) -> None:
    assert "No runs yet: the runs folder is empty." in page_text(draw("samples", tmp_path))


def test_broken_run_is_reported(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("samples", hostile_runs, run="no-spec")
    assert "Cannot be read: Not a run directory: no-spec (it has no spec.json)." in app.error[0].value.replace("\\", "")


@pytest.mark.parametrize(("name", "index"), [("b", 2), ("c", 1), ("a", 1), ("unknown", 1)])
def test_default_baseline_is_the_newest_other_run_of_the_task(name: str, index: int) -> None:
    tasks = {"a": "quiz", "b": "asr", "c": "asr"}
    entries = [RunEntry(key, Path(key), "run", task=task) for key, task in tasks.items()]
    assert default_baseline_index(entries, name) == index
