import json
from pathlib import Path

import pytest

from auricle.cli.perf import run_perf
from auricle.perf import selftest
from auricle.perf.machine_limits import MachineLimits, load_limits

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
    assert run_perf("selftest", None, None, as_json=True, fresh=False) == 0
    printed = json.loads(capsys.readouterr().out)
    assert 5 <= printed["requests_s"] <= 7
    assert printed["events_s"] == printed["requests_s"] * selftest.WORDS_PER_ANSWER
    assert load_limits() == MachineLimits(**printed)


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
