"""Results of τ-voice as runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.core.errors import DataError
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.runs.metrics import Number
from auricle.runs.run_directory import Run
from tests.frameworks.tau_voice.simulations import make_simulation

INFO = {
    "agent_info": {"llm": "openai:voice-1"},
    "environment_info": {"domain_name": "retail"},
    "audio_native_config": {"model": "voice-1", "tick_duration_seconds": 0.2},
}
FIRST = make_simulation(caller="xx........xx......", agent="....xxxxxxxx...xxx", task_id="20")
SECOND = make_simulation(caller="xxxx......b.......", agent=".....xxxxxxxxxxxx.", task_id="31", trial=1)


def write(path: Path, values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, indent=2))
    return path


def import_path(path: Path, out: Path, **options: Any) -> dict[str, Number]:
    [(folder, _)] = import_results(path, "tau-voice", out, ImportOptions(**options))
    return {number.metric: number for number in api.load_metrics(folder).numbers if not number.field}


def test_calls_are_scored_with_the_metrics_of_tau_voice(tmp_path: Path) -> None:
    file = write(tmp_path / "results.json", {"info": INFO, "simulations": [FIRST, SECOND]})
    results = import_path(file, tmp_path / "run")
    # Turns end in ticks 2, 12 and 4; the agent begins in ticks 4, 15 and 5.
    assert results["tau_response_latency_mean"].value == pytest.approx((2 + 3 + 1) * 0.2 / 3)
    assert results["tau_response_rate"].details == {"responses": 3, "turns": 3}
    assert results["tau_yield_latency_mean"].value == pytest.approx(0.4)
    assert results["tau_selectivity_backchannel"].details == {"correct": 1, "events": 1}
    assert results["response_rate"].details == {"answered": 3, "turns": 3, "call_dropped": 0}


def test_simulations_in_a_folder_beside_the_results_are_the_same_run(tmp_path: Path) -> None:
    inside = write(tmp_path / "a" / "results.json", {"info": INFO, "simulations": [FIRST, SECOND]})
    beside = write(tmp_path / "b" / "results.json", {"info": INFO, "simulations": []})
    write(beside.parent / "simulations" / "1.json", FIRST)
    write(beside.parent / "simulations" / "2.json", SECOND)
    first, second = import_path(inside, tmp_path / "run-a"), import_path(beside.parent, tmp_path / "run-b")
    assert {name: result.value for name, result in first.items()} == {
        name: result.value for name, result in second.items()
    }
    assert len(json.loads((tmp_path / "run-b" / "spec.json").read_bytes())["imported"]["files"]) == 3


def test_the_model_of_a_single_simulation_is_in_the_folder_above(tmp_path: Path) -> None:
    write(tmp_path / "results.json", {"info": INFO})
    file = write(tmp_path / "simulations" / "1.json", FIRST)
    [(_, summary)] = import_results(file, "tau-voice", tmp_path / "run", ImportOptions())
    assert summary.startswith("1 sample of tau-voice-retail by voice-1:")


def test_a_simulation_without_ticks_is_a_failed_call(tmp_path: Path) -> None:
    failed = make_simulation(caller="", agent="", task_id="40", termination_reason="infrastructure_error")
    file = write(tmp_path / "results.json", {"info": INFO, "simulations": [FIRST, failed]})
    import_path(file, tmp_path / "run")
    [record] = [record for record in Run.load(tmp_path / "run").records() if record.error]
    assert record.error is not None
    assert record.error.message == "no ticks (infrastructure_error)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not valid JSON"),
        ("[]", "is list, expected a JSON object"),
        ('{"info": {}, "simulations": [{"messages": []}]}', "Expected the columns ticks"),
        ('{"info": {}}', "has no simulations"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(content)
    with pytest.raises(DataError, match=message):
        import_path(file, tmp_path / "run", model="voice-1")
    assert not (tmp_path / "run").exists()


def test_a_folder_without_results_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Expected results\.json"):
        import_path(tmp_path, tmp_path / "run")
    with pytest.raises(DataError, match="no file or folder"):
        import_path(tmp_path / "missing", tmp_path / "run")
