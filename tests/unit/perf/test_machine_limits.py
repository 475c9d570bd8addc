"""What a sender can do here, and who is told when it is asked for more."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.cli.perf import run_perf
from auricle.perf import selftest as selftests
from auricle.perf.loads import parse_loads
from auricle.perf.machine_limits import MachineLimits, describe_machine, limits_path, load_limits, max_planned_rate
from auricle.testing.fake_server import Script


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def ceiling(**more: Any) -> Any:
    found = {"requests_s": 100.0, "events_s": 400.0, "idle_lag_p99_s": 0.001}
    return MachineLimits(**{**found, "machine": describe_machine(), "created": "today", **more})


def test_what_was_found_is_remembered() -> None:
    assert load_limits() is None
    ceiling().save()
    assert load_limits() == ceiling()


def test_what_was_found_on_another_machine_says_nothing_here() -> None:
    ceiling(machine="another").save()
    assert load_limits() is None


def test_what_cannot_be_read_is_not_known() -> None:
    ceiling().save()
    limits_path().write_text("{")
    assert load_limits() is None


@pytest.mark.parametrize(
    ("load", "rate"), [("poisson:7", 7), ("ramp:1-9,over=5", 9), ("steps:3x1,8x1", 8), ("closed:5", 0)]
)
def test_the_fastest_of_a_load_is_what_counts(load: str, rate: int) -> None:
    assert max_planned_rate(parse_loads(load)[0]) == rate


def test_more_than_half_of_it_is_told(measured: Any) -> None:
    ceiling(requests_s=100.0).save()
    modest, much = (measured(f"constant:{rate}", count=10).point["notes"] for rate in (40, 60))
    assert not any("selftest" in note for note in modest)
    assert any("60 requests a second" in note and "selftest" in note for note in much)


def test_events_of_streams_are_counted(measured: Any) -> None:
    ceiling(events_s=20.0).save()
    notes = measured("closed:2", Script(latency=0.02), count=10, stream=True).point["notes"]
    assert any("events of streams a second" in note for note in notes)


def test_the_ceiling_is_found_told_and_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quick: Any
) -> None:
    monkeypatch.setattr(selftests, "MIN_RATE", 5.0)
    monkeypatch.setattr(selftests, "MAX_RATE", 10.0)
    monkeypatch.setattr(selftests, "TRIAL_SECONDS", 0.3)
    monkeypatch.setattr(selftests.SelfTest, "_is_valid_at", lambda _self, rate, _stream: rate <= 7)
    assert run_perf("selftest", None, None, as_json=True, fresh=False) == 0
    printed = json.loads(capsys.readouterr().out)
    assert 5 <= printed["requests_s"] <= 7
    assert printed["events_s"] == printed["requests_s"] * selftests.WORDS_PER_ANSWER
    assert load_limits() == MachineLimits(**printed)


def test_a_trial_is_a_load_point_like_any_other(quick: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftests, "TRIAL_SECONDS", 0.5)
    with selftests.run_fake_server() as url:
        trial = selftests.SelfTest(tmp_path, url)
        assert isinstance(trial._is_valid_at(20, stream=True), bool)
    assert trial.idle_lags
    assert len((tmp_path / "1" / "requests.jsonl").read_bytes().splitlines()) == 10


def test_a_ceiling_is_told_in_words() -> None:
    told = "\n".join(selftests.describe_limits(ceiling(requests_s=None)))
    assert "no requests a second" in told
    assert "400 events a second" in told
