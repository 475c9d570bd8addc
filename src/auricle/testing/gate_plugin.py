"""A plugin of pytest: evaluate models in tests, and fail if they became worse.

Tests with the marker `auricle` run only with `pytest --auricle`, because evaluating a model takes long. This module is
imported whenever pytest starts, so it imports nothing of Auricle before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from auricle.runs.result import RunResult
    from auricle.scoring.gate import Gate

BASELINE_INI = "auricle_baseline"
RUNS_OPTION = "--auricle-runs"
MARKER = "auricle: evaluates a model; runs only with --auricle"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("auricle", "evaluate speech and audio models")
    group.addoption("--auricle", action="store_true", help="Run tests that are marked with `auricle`.")
    group.addoption(
        RUNS_OPTION,
        metavar="DIR",
        help="Folder of the runs, which are resumed if they exist. [default: a temporary folder]",
    )
    parser.addini(BASELINE_INI, "Folder of baseline runs, which have the names of the runs to compare.", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--auricle"):
        return
    skip = pytest.mark.skip(reason="evaluates a model: run with --auricle")
    for item in items:
        if item.get_closest_marker("auricle"):
            item.add_marker(skip)


@contextmanager
def _fail_without_traceback() -> Iterator[None]:
    """Fail a test with the message of an error that Auricle reports, which names what to do."""
    from auricle.core.errors import AuricleError

    try:
        yield
    except AuricleError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture
def auricle_run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., RunResult]:
    """Return a function that evaluates a model: `auricle_run("digits", task="digits.yaml", model="moonshine")`."""
    chosen = request.config.getoption(RUNS_OPTION)
    folder = Path(chosen) if chosen else tmp_path

    def run(name: str, **spec: Any) -> RunResult:
        """Evaluate a model, or resume an earlier run of this name.

        Args:
            name: Name of the run; its baseline has the same name.
            **spec: Fields of `auricle.Spec`: `task`, `model`, `task_args`, `model_args` and others.
        """
        from auricle import Spec, evaluate

        if name != Path(name).name:
            pytest.fail(f"A run is a folder in {folder}, so its name cannot be {name!r}.", pytrace=False)
        with _fail_without_traceback():
            return evaluate(Spec(**spec), folder / name)

    return run


@pytest.fixture
def assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Return a function that fails the test unless a run is shown not to be worse than its baseline."""
    folder = str(request.config.getini(BASELINE_INI))
    root = request.config.rootpath

    def check(
        candidate: RunResult | str | Path,
        baseline: str | Path = "",
        *,
        allow_undecided: bool = False,
        **margins: float | str,
    ) -> Gate:
        """Fail if the candidate is worse, if there are too few samples to decide, or if its coverage is too low.

        Args:
            candidate: The run, or its directory.
            baseline: Directory of the baseline run. Default: the run of the same name in the folder that the setting
                `auricle_baseline` names.
            allow_undecided: Whether the test passes if there are too few samples to decide.
            **margins: Tolerated loss by metric, such as `wer=0.5` (percentage points) or `accuracy="2%"`. These metrics
                are decided on; without any, the first metric is.
        """
        from auricle import gate
        from auricle.report.gate_formats import format_gate

        path = Path(candidate) if isinstance(candidate, str | Path) else candidate.path
        if not baseline and not folder:
            pytest.fail(f"No baseline: pass one, or set {BASELINE_INI} in the settings of pytest.", pytrace=False)
        reference = Path(baseline) if baseline else root / folder / path.name
        if not reference.is_dir():
            pytest.fail(f"There is no baseline run {reference}. Copy a run of {path.name} there.", pytrace=False)
        with _fail_without_traceback():
            result = gate(reference, path, [*margins], [f"{metric}={margin}" for metric, margin in margins.items()])
        if result.exit_status(allow_undecided=allow_undecided):
            pytest.fail("\n".join(format_gate(result)), pytrace=False)
        return result

    return check
