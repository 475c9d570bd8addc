"""The plugin of pytest, in a pytest of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from auricle import Spec, evaluate

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

TESTS = """
import pytest

@pytest.mark.auricle
def test_recogniser(auricle_run, assert_not_worse):
    task_args = {{"data": {data!r}, "metrics": "wer"}}
    result = auricle_run("numbers", task="qa", task_args=task_args, model="echo", model_args={{"wrong": {wrong}}})
    assert result.complete
    gate = assert_not_worse(result, wer=20)
    assert gate.pairs == 40
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a project with data, a baseline and settings."""
    rows = [f'{{"id": "s{at}", "question": "which number is {at}", "answer": "number {at}"}}' for at in range(40)]
    data = pytester.path / "numbers.jsonl"
    data.write_text("\n".join(rows))
    pytester.makeini("[pytest]\nauricle_baseline = baselines\n")
    spec = Spec(task="qa", task_args={"data": str(data), "metrics": "wer"}, model="echo", model_args={"wrong": 0.1})
    evaluate(spec, pytester.path / "baselines" / "numbers")
    return pytester


PLUGINS = ("-p", "no:auricle", "-p", "auricle.testing.gate_plugin")
"""Whether the installed package already has the entry point depends on when it was installed."""


def run_tests(project: pytest.Pytester, wrong: float, *options: str) -> pytest.RunResult:
    project.makepyfile(TESTS.format(data=str(project.path / "numbers.jsonl"), wrong=wrong))
    return project.runpytest_inprocess(*PLUGINS, *options)


def test_marked_tests_run_only_on_request(project: pytest.Pytester) -> None:
    run_tests(project, 0.1).assert_outcomes(skipped=1)


def test_an_equal_run_passes_and_a_worse_one_fails_with_the_table(project: pytest.Pytester) -> None:
    run_tests(project, 0.1, "--auricle").assert_outcomes(passed=1)
    result = run_tests(project, 0.9, "--auricle")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*The candidate is worse than the baseline: wer.*"])


def test_an_undecided_run_fails_unless_that_is_allowed(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_open(assert_not_worse):
            assert_not_worse("baselines/numbers")

        def test_allowed(assert_not_worse):
            assert_not_worse("baselines/numbers", allow_undecided=True)
        """
    )
    result = project.runpytest_inprocess(*PLUGINS)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*The samples do not decide*"])


def test_an_error_of_the_evaluation_is_one_line_without_a_traceback(pytester: pytest.Pytester) -> None:
    call = 'auricle_run("numbers", task="qa", task_args={"data": "numbers.jsonl"}, model="no-such-model")'
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.auricle\ndef test_model(auricle_run):\n    {call}\n")
    result = pytester.runpytest_inprocess(*PLUGINS, "--auricle")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Unknown model 'no-such-model'.*"])
    result.stdout.no_fnmatch_line("*registry.py*")
    result.stdout.no_fnmatch_line("During handling of*")


def test_a_missing_baseline_is_named(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\n")
    result = run_tests(project, 0.1, "--auricle")
    result.stdout.fnmatch_lines(["*No baseline: pass one, or set auricle_baseline in the settings of pytest.*"])


def test_what_cannot_be_decided_or_stored_fails_with_the_reason_alone(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_metric(assert_not_worse):
            assert_not_worse("baselines/numbers", speed=5)

        def test_name(auricle_run):
            auricle_run("../numbers", task="qa", model="echo")
        """
    )
    result = project.runpytest_inprocess(*PLUGINS, "--auricle")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["Neither run has the metric 'speed'. Available: wer.", "*its name cannot be '../numbers'."]
    )
    result.stdout.no_fnmatch_line("*Error*")


def test_runs_are_kept_in_the_chosen_folder(project: pytest.Pytester) -> None:
    run_tests(project, 0.1, "--auricle", "--auricle-runs", "kept").assert_outcomes(passed=1)
    assert Path(project.path, "kept", "numbers", "outputs.jsonl").is_file()


def test_importing_the_plugin_imports_nothing_else_of_auricle(pytester: pytest.Pytester) -> None:
    code = "import sys, auricle.testing.gate_plugin; print(sorted(n for n in sys.modules if n.startswith('auricle')))"
    done = pytester.run(sys.executable, "-c", code)
    packages = "'auricle', 'auricle.core', 'auricle.core.features', 'auricle.testing', 'auricle.testing.gate_plugin'"
    assert done.outlines == [f"[{packages}]"]
