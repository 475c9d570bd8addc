"""Tests of the select box for a run."""

from pathlib import Path
from typing import Any

import pytest

from auricle.app.views.run_list import default_baseline_index, default_candidate_index
from auricle.runs.run_summary import RunSummary
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text
from tests.support.app_runs import make_number


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
    entries = [RunSummary(name=key, path=Path(key), task=task) for key, task in tasks.items()]
    assert default_baseline_index(entries, name) == index


def summaries(**fields: dict[str, Any]) -> list[RunSummary]:
    defaults: dict[str, Any] = {"task": "asr"}
    return [RunSummary(name=name, path=Path(name), **{**defaults, **values}) for name, values in fields.items()]


SCORED = {"numbers": (make_number("wer"),)}


def test_default_baseline_has_numbers_if_any_run_has() -> None:
    assert default_baseline_index(summaries(a={}, b={}, c=SCORED), "a") == 2
    assert default_baseline_index(summaries(a={}, b={}, c={**SCORED, "task": "quiz"}), "a") == 2
    assert default_baseline_index(summaries(a={}, b={**SCORED, "task": "quiz"}, c=SCORED), "a") == 2


def test_a_run_is_not_compared_with_a_load_test_by_default() -> None:
    assert default_baseline_index(summaries(a=SCORED, b={"kind": "perf", "status": "done"}, c={}), "a") == 2


def test_default_candidate_is_the_newest_run_with_numbers() -> None:
    running = {**SCORED, "status": "running"}
    assert default_candidate_index(summaries(a=running, b={}, c={**SCORED, "error": "broken"}, d=SCORED, e=SCORED)) == 3
    assert default_candidate_index(summaries(a=running, b={"kind": "perf", "status": "done"}, c=SCORED)) == 1
    assert default_candidate_index(summaries(a={})) == 0


def test_the_default_pair_of_a_comparison_has_the_same_data() -> None:
    entries = summaries(a={**SCORED, "revision": "x"}, b={**SCORED, "revision": "y"}, c={**SCORED, "revision": "y"})
    candidate = default_candidate_index(entries)
    assert (candidate, default_baseline_index(entries, entries[candidate].name)) == (1, 2)
