"""Fixtures for the tests of the app: workspaces, runs of every kind, and drawn pages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from auricle.app import jobs
from auricle.app.jobs import PROGRESS_OPTION
from auricle.app.workspace import Workspace, workspace_environment
from tests.support import app_runs
from tests.support.app_pages import draw_page

DrawRun = Callable[..., AppTest]
UNUSED_PROCESS_ID = 2**22 + 1


@pytest.fixture(scope="session", autouse=True)
def _skip_component_scan() -> Iterator[None]:
    """Skip Streamlit's scan of all installed packages, which it repeats for every app."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs of each kind, 16 samples each."""
    return app_runs.make_runs_of_every_kind(tmp_path_factory.mktemp("kinds") / "runs", 16)


@pytest.fixture(scope="session")
def hostile_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of runs with markup in every text, paths to other folders, and damaged files."""
    return app_runs.make_hostile_runs(tmp_path_factory.mktemp("hostile") / "runs")


@pytest.fixture(scope="session")
def load_test(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a load test as `auricle perf` writes it."""
    return app_runs.make_load_test(tmp_path_factory.mktemp("load") / "runs" / "load")


@pytest.fixture(scope="session")
def page_cache() -> dict[tuple[object, ...], AppTest]:
    """Return pages that were drawn before, because drawing takes long."""
    return {}


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch, page_cache: dict[tuple[object, ...], AppTest]) -> DrawRun:
    """Return a function that draws a page over a folder of runs; `fresh` pages are not shared between tests."""

    def draw_over(page: str, runs: Path, *, fresh: bool = False, **query: str) -> AppTest:
        for name, value in workspace_environment(Workspace(runs)).items():
            monkeypatch.setenv(name, value)
        key = (page, runs, *query.items())
        if fresh:
            return draw_page(page, None, **query)
        if key not in page_cache:
            page_cache[key] = draw_page(page, None, **query)
        return page_cache[key]

    return draw_over


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Return an empty workspace with one allowed folder, which the app uses."""
    workspace = Workspace(tmp_path / "runs", (tmp_path / "allowed",))
    for folder in (workspace.root, *workspace.allowed_folders):
        folder.mkdir()
    for name, value in workspace_environment(workspace).items():
        monkeypatch.setenv(name, value)
    return workspace


@pytest.fixture
def started_commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the arguments for `auricle` of the jobs that were started; no process is created, and checks pass."""
    commands: list[list[str]] = []

    def record_command(command: list[str], log_path: Path) -> int:
        commands.append(command[3 : -len(PROGRESS_OPTION)])
        return UNUSED_PROCESS_ID

    monkeypatch.setattr(jobs, "_spawn_process", record_command)
    monkeypatch.setattr(jobs, "_run_dry_run", lambda _arguments: (0, '{"checks": []}', ""))
    return commands
