import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from auricle.perf import selftest
from auricle.perf.commands import run_perf
from auricle.perf.machine_load import MachineLoad
from auricle.perf.selftest import MachineLimits, describe_machine, limits_path, load_limits
from auricle.testing.fake_server import Script
from tests.perf.conftest import RunMeasurement

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_selftest_prints_and_saves_the_limits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quick: None
) -> None:
    monkeypatch.setattr(selftest, "MIN_RATE", 5.0)
    monkeypatch.setattr(selftest, "MAX_RATE", 10.0)
    monkeypatch.setattr(selftest, "TRIAL_SECONDS", 0.3)
    monkeypatch.setattr(selftest.SelfTest, "_is_valid_at", lambda _self, rate, _stream: rate <= 7)
    monkeypatch.setattr(selftest, "measure_machine_load", lambda: MachineLoad(0.1, 2))
    assert run_perf("selftest", None, None, as_json=True, fresh=False) == 0
    printed = json.loads(capsys.readouterr().out)
    assert 5 <= printed["requests_s"] <= 7
    assert printed["events_s"] == printed["requests_s"] * selftest.WORDS_PER_ANSWER
    assert (printed.pop("busy_cores"), printed.pop("saved")) == (0.1, str(limits_path()))
    assert load_limits() == MachineLimits(**printed)


def test_limits_of_a_busy_machine_are_not_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selftest.SelfTest, "_is_valid_at", lambda _self, rate, _stream: rate <= 7)
    monkeypatch.setattr(selftest, "run_fake_server", lambda: nullcontext("http://127.0.0.1:1/v1"))
    loads = iter([MachineLoad(0.1, 2), MachineLoad(1.2, 2), MachineLoad(0.2, 2)])
    monkeypatch.setattr(selftest, "measure_machine_load", lambda: next(loads))
    assert run_perf("selftest", None, None, as_json=False, fresh=False) == 0
    assert "This machine is busy: other processes use 1.2 of 2 cores" in capsys.readouterr().out
    assert load_limits() is None


def test_trial_is_an_ordinary_load_point(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "TRIAL_SECONDS", 0.5)
    with selftest.run_fake_server() as url:
        trial = selftest.SelfTest(tmp_path, url)
        assert isinstance(trial._is_valid_at(20, stream=True), bool)
    assert trial.idle_lags
    assert len((tmp_path / "1" / "requests.jsonl").read_bytes().splitlines()) == 10


def test_limits_are_described() -> None:
    limits = MachineLimits(requests_s=None, events_s=400.0, idle_lag_p99_s=0.001, machine="here", created="today")
    text = "\n".join(selftest.describe_limits(limits))
    assert "no requests per second" in text
    assert "400 events per second" in text
    assert "lags by 1 ms" in text


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


def test_more_than_half_of_the_request_limit_is_noted(run_measurement: RunMeasurement) -> None:
    build_limits(requests_s=100.0).save()
    below, above = (run_measurement(f"constant:{rate}", count=10).point.notes for rate in (40, 60))
    assert not any("selftest" in note for note in below)
    assert any("60 requests per second" in note and "selftest" in note for note in above)


def test_more_than_half_of_the_event_limit_is_noted(run_measurement: RunMeasurement) -> None:
    build_limits(events_s=20.0).save()
    notes = run_measurement("closed:2", Script(latency=0.02), count=10, stream=True).point.notes
    assert any("stream events per second" in note for note in notes)
