"""`auricle estimate`."""

import json
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.jsonl"
    rows = ({"id": f"{row:04}", "question": "How many?", "answer": "1"} for row in range(3_000))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_size_of_the_data_is_estimated_without_a_model(auricle: RunAuricle, data: str) -> None:
    lines = auricle("estimate", data, "--as", "qa").stdout.splitlines()
    assert lines[0] == "about 3,000 samples, 3,000 requests, 4 shards"
    assert lines[1] == "Add --probe N, --rtfx X or --latency SECONDS to estimate the time."


def test_time_follows_from_the_latency_for_several_numbers_of_workers(auricle: RunAuricle, data: str) -> None:
    done = auricle("estimate", data, "--as", "qa", "-m", "echo", "--latency", "2", "-j", "4", "--json")
    document = json.loads(done.stdout)
    assert document["speed"]["samples_per_second"] == 2.0
    assert [row["workers"] for row in document["estimates"]] == [1, 4, 16, 64, 256]
    assert 1_500 < document["estimates"][0]["seconds"] < 1_510


def test_speed_is_measured_and_costs_are_added_up(auricle: RunAuricle, data: str, tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("echo: {request: 0.01}\n")
    words = ("--probe", "5", "--workers", "2", "--bucket", "--prices", str(tmp_path / "prices.yaml"))
    done = auricle("estimate", data, "--as", "qa", "-m", "echo", *words)
    assert "$30.00" in done.stdout or "30.00 USD" in done.stdout
    assert "(measured with 5 samples)" in done.stdout
    assert "writes to the bucket" in done.stdout


def test_two_speeds_and_unknown_durations_are_refused(auricle: RunAuricle, data: str) -> None:
    done = auricle("estimate", data, "--as", "qa", "-m", "echo", "--latency", "2", "--rtfx", "9")
    assert (done.returncode, "--rtfx and --latency both state how fast" in done.stderr) == (2, True)
    assert "needs the duration of the audio" in auricle("estimate", data, "--as", "qa", "--rtfx", "9").stderr
