from pathlib import Path
from typing import Any

import pytest

from auricle.perf.machine_limits import MachineLimits, describe_machine, limits_path, load_limits
from auricle.testing.fake_server import Script
from tests.unit.perf.conftest import RunMeasurement


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def build_limits(**fields: Any) -> MachineLimits:
    defaults = {"requests_s": 100.0, "events_s": 400.0, "idle_lag_p99_s": 0.001}
    return MachineLimits(**{**defaults, "machine": describe_machine(), "created": "today", **fields})


def test_saved_limits_are_loaded() -> None:
    assert load_limits() is None
    build_limits().save()
    assert load_limits() == build_limits()


def test_limits_of_another_machine_are_ignored() -> None:
    build_limits(machine="another").save()
    assert load_limits() is None


def test_unreadable_limits_are_ignored() -> None:
    build_limits().save()
    limits_path().write_text("{")
    assert load_limits() is None


@pytest.mark.slow
def test_more_than_half_of_the_request_limit_is_noted(run_measurement: RunMeasurement) -> None:
    build_limits(requests_s=100.0).save()
    below, above = (run_measurement(f"constant:{rate}", count=10).point.notes for rate in (40, 60))
    assert not any("selftest" in note for note in below)
    assert any("60 requests per second" in note and "selftest" in note for note in above)


@pytest.mark.slow
def test_more_than_half_of_the_event_limit_is_noted(run_measurement: RunMeasurement) -> None:
    build_limits(events_s=20.0).save()
    notes = run_measurement("closed:2", Script(latency=0.02), count=10, stream=True).point.notes
    assert any("stream events per second" in note for note in notes)
