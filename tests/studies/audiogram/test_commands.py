"""`auricle audiogram`: an estimate, the standard conditions, and one table for all models."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.runs.metrics import ModelFacts, Throughput
from auricle.studies.audiogram.commands import find_speed, format_time
from tests.support.condition_suites import write_task


@pytest.fixture
def audiogram(auricle: Any, tmp_path: Path) -> Any:
    write_task(tmp_path, samples=3)
    return lambda *words: auricle("audiogram", "tones.jsonl", "--as", "asr", *words)


def test_quick_audiogram_estimates_runs_and_shows_one_table_for_all_models(audiogram: Any, tmp_path: Path) -> None:
    models = ("-m", "listener.py:Listener", "-m", "echo", "--label", "tones", "--label", "names")
    result = audiogram(*models, "--quick")
    assert result.returncode == 0, result.stderr
    assert "Estimate for tones under 10 conditions: 30 requests, about 0.0017 h of audio, the time is" in result.stderr
    assert "Estimate: 27 further samples, about 1 min at the speed of the clean part." in result.stderr
    lines = result.stdout.splitlines()
    header = lines.index("WER ↓")
    table = "\n".join(lines[header : header + 12])
    for family in ("noise", "reverb", "codec:opus"):
        assert f"\n{family}" in table
    assert table.count("tones  ") == table.count("names  ") == 3
    folders = ("asr-tones-conditions-tones", "asr-tones-conditions-names")
    assert all((tmp_path / "runs" / folder / "report.html").exists() for folder in folders)
    again = audiogram(*models, "--quick")
    assert again.stderr.count("all samples are answered already") == 2


def test_estimate_uses_the_speed_and_the_price_of_an_earlier_run(audiogram: Any, auricle: Any, tmp_path: Path) -> None:
    auricle("run", "tones.jsonl", "--as", "asr", "-m", "echo")
    (tmp_path / "prices.yaml").write_text("echo: {request: 0.5, currency: EUR}\n")
    result = audiogram("-m", "echo", "--quick", "--prices", "prices.yaml", "--max-cost", "0.6")
    assert "30 requests, about 0.0017 h of audio, about 15.00 EUR, about 1 min at the speed of" in result.stderr
    assert "runs/asr-tones-echo." in result.stderr


def test_standard_set_is_checked_without_running_it(audiogram: Any, tmp_path: Path) -> None:
    result = audiogram("-m", "echo", "--dry-run")
    assert result.returncode == 0, result.stdout + result.stderr
    assert not (tmp_path / "runs").exists()


def test_options_are_those_of_run(auricle: Any) -> None:
    result = auricle("audiogram", "--help")
    for option in ("--quick", "--limit", "-M", "-T", "--prices", "--seed", "-o, --out"):
        assert option in result.stdout
    assert "--perturb " not in result.stdout.replace("whose --perturb runs", "")


def test_speed_of_the_newest_run_of_the_model_is_used(tmp_path: Path) -> None:
    for name, model, created, rate in (("a", "m", "2026-01-01", 1.0), ("b", "m", "2026-01-02", 2.0),
                                        ("c", "other", "2026-01-03", 9.0)):  # fmt: skip
        (tmp_path / name).mkdir()
        document = {
            "task": {"name": "t"},
            "model": {"name": model},
            "created": created,
            "speed": {"wall_seconds": 1.0, "samples": 1, "samples_per_second": rate},
        }
        (tmp_path / name / "metrics.json").write_text(json.dumps(document))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "metrics.json").write_text("{")
    run, speed = find_speed(tmp_path, ModelFacts("m"))
    assert (run.name, speed.samples_per_second if speed else None) == ("b", 2.0)
    assert find_speed(tmp_path, ModelFacts("unknown"))[1] is None


def test_time_is_in_minutes_or_hours() -> None:
    speed = Throughput(1.0, 1, samples_per_second=1.0)
    assert [format_time(count, speed) for count in (10, 600, 36_000)] == ["about 1 min", "about 10 min", "about 10.0 h"]
