"""Runs of every kind, made once for all tests of the app's views."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("streamlit", reason="streamlit is not installed")

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from auricle.app.workspace import Workspace, workspace_environment
from auricle.metrics import statistics
from tests.support import app_runs as ui_runs


@pytest.fixture(scope="session", autouse=True)
def _no_components() -> Iterator[Any]:
    """Streamlit looks through all installed packages, each time an app is drawn; none has any."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with two runs of each kind."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statistics, "BOOTSTRAP_ROUNDS", 20)
        return ui_runs.every_kind(tmp_path_factory.mktemp("kinds") / "runs", 16)


@pytest.fixture(scope="session")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder of runs with markup in every text, paths that lead out, and files in pieces."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statistics, "BOOTSTRAP_ROUNDS", 20)
        return ui_runs.hostile(tmp_path_factory.mktemp("untrusted") / "runs")


@pytest.fixture(scope="session")
def seen() -> Any:
    """Pages that were drawn before: drawing one takes longer than looking at it."""
    return {}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, seen: Any) -> Any:
    """Draw a page or a run's results over a folder of runs, without a browser."""
    monkeypatch.setattr(statistics, "BOOTSTRAP_ROUNDS", 20)

    def draw(page: Any, runs: Any, *, fresh: bool = False, **query: Any) -> Any:
        for name, value in workspace_environment(Workspace(runs)).items():
            monkeypatch.setenv(name, value)
        known = (page, runs, *query.items())
        if fresh or known not in seen:
            app = AppTest.from_function(_drawing, kwargs={"page": page, "query": query})
            app.default_timeout = 60
            for name, value in query.items():
                app.query_params[name] = value
            seen[known] = app.run()
            if fresh:
                return seen.pop(known)
        return seen[known]

    return draw


def _drawing(page: Any, query: Any) -> None:
    from importlib import import_module

    from auricle.app import workspace

    if page == "results":
        from auricle.app.views.results import draw_results

        draw_results(workspace.current_workspace().root / query["run"])
    else:
        import_module(f"auricle.app.pages.{page}").page()


MARKED = ("markdown", "error", "info", "warning", "success", "subheader", "caption")


@pytest.fixture
def words() -> Any:
    """All that stands on a page as text or markup; of Markdown alone, if asked."""

    def told(app: Any, markdown: bool = False) -> Any:
        said = [] if markdown else [element.proto.body for element in app.get("html")]
        for kind in MARKED:
            said += [str(element.value) for element in getattr(app, kind)]
        return "\n".join(said)

    return told
