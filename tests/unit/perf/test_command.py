"""`auricle perf` as a user has it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle.testing.fake_server import FakeServer, Script


@pytest.fixture
def perf(auricle: Any, questions: Any) -> Any:
    """The command against a server that behaves as told."""
    data = questions(8)

    def call(*words: Any, script: Any = None, url: Any = None, **options: Any) -> Any:
        with FakeServer(script or Script(latency=0.02)) as server:
            asked = ["perf", data, "--as", "qa", "-m", "openai", "-M", "model=fake"]
            return auricle(*asked, "-M", f"base_url={url or server.url}", *words, **options)

    return call


def test_a_measurement_is_told_and_written_down(perf: Any, tmp_path: Path) -> None:
    told = perf("--load", "closed:2", "--count", "12", "-o", "run")
    assert told.returncode == 0, told.stderr
    assert "closed:2" in told.stdout
    assert "report.html" in told.stdout
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"perf.json", "summary.json", "summary.md", "summary.csv", "report.html"} <= names
    with (tmp_path / "run" / "summary.csv").open() as rows:
        (row,) = csv.DictReader(rows)
    assert (row["load"], row["ok"]) == ("closed:2", "12")


def test_machines_are_told_in_json_alone(perf: Any) -> None:
    told = perf("--load", "closed:1", "--count", "3", "--json")
    document = json.loads(told.stdout)
    assert document["points"][0]["counts"]["all"]["ok"] == 3


def test_a_point_is_an_ordinary_run(perf: Any, auricle: Any) -> None:
    perf("--load", "closed:2", "--count", "8", "-o", "run")
    shown = auricle("show", "run/00-closed-2")
    assert shown.returncode == 0, shown.stderr
    assert "exact_match" in shown.stdout
    again = auricle("score", "run/00-closed-2")
    assert again.returncode == 0, again.stderr


def test_failures_are_an_exit_code(perf: Any) -> None:
    told = perf("--load", "closed:2", "--count", "20", script=Script(faults={"500": 0.4}, seed=5))
    assert told.returncode == 3, told.stderr
    assert "HTTP 500" in told.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--load", "closed:2"), "--duration"),
        (("--load", "closd:2", "--count", "3"), "closed"),
        (("--load", "closed:2", "--count", "3", "--senders", "many"), "--senders"),
        (("--load", "search:rate", "--count", "3"), "--slo"),
        (("--load", "closed:2", "--count", "3", "--slo", "p95(tftf_s)<1"), "ttft_s"),
    ],
)
def test_what_cannot_be_is_one_line(perf: Any, tmp_path: Path, words: Any, said: str) -> None:
    told = perf(*words, "-o", "run")
    assert told.returncode == 2
    assert said in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_dead_server_is_one_line(perf: Any) -> None:
    told = perf("--load", "closed:2", "--count", "3", url="http://127.0.0.1:9/v1")
    assert told.returncode == 2
    assert len(told.stderr.strip().splitlines()) == 1
    assert "no connection to 127.0.0.1:9" in told.stderr


def test_a_refused_key_is_one_line(perf: Any) -> None:
    told = perf("--load", "closed:2", "--count", "3", script=Script(key="other"))
    assert told.returncode == 2
    assert len(told.stderr.strip().splitlines()) == 1
    assert "HTTP 401" in told.stderr


def test_a_folder_is_not_used_twice_unless_set_aside(perf: Any, tmp_path: Path) -> None:
    words = ("--load", "closed:1", "--count", "2", "-o", "run")
    assert perf(*words).returncode == 0
    second = perf(*words)
    assert second.returncode == 2
    assert "--fresh" in second.stderr
    assert perf(*words, "--fresh").returncode == 0
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("run")]) == 2


def test_secrets_of_the_command_are_not_written_down(perf: Any, tmp_path: Path) -> None:
    told = perf(
        *("--load", "closed:1", "--count", "2", "-o", "run", "-M", "api_key=sk-hidden-thing"),
        script=Script(key="sk-hidden-thing"),
    )
    assert told.returncode == 0, told.stderr
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or b"sk-hidden-thing" not in path.read_bytes()


def test_a_measurement_is_summed_up_again_without_a_server(perf: Any, auricle: Any, tmp_path: Path) -> None:
    perf("--load", "closed:2", "--count", "6", "-o", "run")
    before = json.loads((tmp_path / "run" / "summary.json").read_text())
    again = auricle("perf", "run", "--slo", "p50(latency_s)<9", "--window", "all")
    assert again.returncode == 0, again.stderr
    after = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert after["points"][0]["slo"]["met"] is True
    assert after["points"][0]["window"]["kind"] == "all"
    assert after["points"][0]["counts"]["all"] == before["points"][0]["counts"]["all"]
    assert after["points"][0]["accuracy"] == before["points"][0]["accuracy"]


def test_repeats_tell_how_far_they_lie_apart(perf: Any, tmp_path: Path) -> None:
    words = ("--load", "closed:1", "--load", "closed:2", "--count", "6", "--repeat", "2")
    told = perf(*words, "-o", "run")
    assert "closed:2, 2 times, mean ± sd: req_s" in told.stdout
    document = json.loads((tmp_path / "run" / "summary.json").read_bytes())
    assert [each["load"] for each in document["points"]] == ["closed:1", "closed:2"] * 2
    first = document["spreads"][0]
    rates = [each["run"]["req_s"]["value"] for each in document["points"][::2]]
    assert first["numbers"]["req_s"]["values"] == rates
    assert first["numbers"]["req_s"]["mean"] == pytest.approx(sum(rates) / 2)
