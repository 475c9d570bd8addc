"""The command `auricle perf`."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.slow

Command = Callable[..., Any]
MEASURED = (0, 3)
"""Exit codes of a measurement without failures; 3 if its points are not valid, because the machine is busy."""


@pytest.fixture
def perf(auricle: Command, questions: Callable[..., Path]) -> Command:
    """Run the command against a fake server."""
    data = questions(8)

    def call(*arguments: str, script: Script | None = None, url: str | None = None) -> Any:
        with FakeServer(script or Script(latency=0.02)) as server:
            model = ["-m", "openai", "-M", "model=fake", "-M", f"base_url={url or server.url}"]
            return auricle("perf", data, "--as", "qa", *model, *arguments)

    return call


def test_measurement_is_printed_and_written(perf: Command, tmp_path: Path) -> None:
    done = perf("--load", "closed:2", "--count", "12", "-o", "run")
    assert done.returncode in MEASURED, done.stderr
    assert "closed:2" in done.stdout
    assert "report.html" in done.stdout
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"perf.json", "summary.json", "summary.md", "summary.csv", "report.html"} <= names
    with (tmp_path / "run" / "summary.csv").open() as rows:
        (row,) = csv.DictReader(rows)
    assert (row["load"], row["ok"]) == ("closed:2", "12")


def test_json_is_the_only_output(perf: Command) -> None:
    document = json.loads(perf("--load", "closed:1", "--count", "3", "--json", "--label", "mine").stdout)
    assert document["model"] == "mine"
    assert document["points"][0]["counts"]["all"]["ok"] == 3


def test_each_measurement_gets_a_default_folder(perf: Command, tmp_path: Path) -> None:
    for _ in range(2):
        assert perf("--load", "closed:1", "--count", "2").returncode in MEASURED
    first, second = sorted((tmp_path / "runs").iterdir())
    assert second.name == f"{first.name}-2"


def test_a_measurement_in_which_nothing_was_answered_does_not_block_the_next(perf: Command, tmp_path: Path) -> None:
    arguments = ("--load", "closed:1", "--count", "2", "-o", "run")
    assert perf(*arguments, script=Script(faults={"400": 1.0})).returncode == 2
    done = perf(*arguments)
    assert done.returncode in MEASURED, done.stderr
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} >= {"run", "run.1"}
    assert perf(*arguments).returncode == 2


def test_load_point_is_an_ordinary_run(perf: Command, auricle: Command) -> None:
    perf("--load", "closed:2", "--count", "8", "-o", "run")
    shown = auricle("show", "run/00-closed-2")
    assert shown.returncode == 0, shown.stderr
    assert "exact_match" in shown.stdout
    scored = auricle("score", "run/00-closed-2")
    assert scored.returncode == 0, scored.stderr


def test_failures_give_exit_code_3(perf: Command) -> None:
    done = perf("--load", "closed:2", "--count", "20", script=Script(faults={"500": 0.4}, seed=5))
    assert done.returncode == 3, done.stderr
    assert "HTTP 500" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--load", "closed:2"), "--duration"),
        (("--load", "closd:2", "--count", "3"), "closed"),
        (("--load", "closed:2", "--count", "3", "--senders", "many"), "--senders"),
        (("--load", "search:rate", "--count", "3"), "--slo"),
        (("--load", "closed:2", "--count", "3", "--slo", "p95(tftf_s)<1"), "ttft_s"),
    ],
)
def test_invalid_option_is_explained_in_one_line(
    perf: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = perf(*arguments, "-o", "run")
    assert done.returncode == 2
    *usage, explanation = done.stderr.strip().splitlines()
    assert message in explanation
    assert not usage or usage[0].startswith("Usage: ")
    assert not (tmp_path / "run").exists()


def test_unreachable_server_is_one_line(perf: Command) -> None:
    done = perf("--load", "closed:2", "--count", "3", url="http://127.0.0.1:9/v1")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "127.0.0.1:9" in done.stderr


def test_rejected_key_is_one_line(perf: Command) -> None:
    done = perf("--load", "closed:2", "--count", "3", script=Script(key="other"))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "HTTP 401" in done.stderr


def test_folder_is_used_again_only_with_fresh(perf: Command, tmp_path: Path) -> None:
    arguments = ("--load", "closed:1", "--count", "2", "-o", "run")
    assert perf(*arguments).returncode in MEASURED
    second = perf(*arguments)
    assert second.returncode == 2
    assert "--fresh" in second.stderr
    assert perf(*arguments, "--fresh").returncode in MEASURED
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("run")]) == 2


def test_a_key_is_not_written(perf: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-hidden-thing"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    done = perf("--load", "closed:1", "--count", "2", "-o", "run", script=Script(key=secret))
    assert done.returncode in MEASURED, done.stderr
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes()


def test_measurement_is_recomputed_without_a_server(perf: Command, auricle: Command, tmp_path: Path) -> None:
    perf("--load", "closed:2", "--count", "6", "-o", "run")
    done = auricle("perf", "run", "--slo", "p50(latency_s)<9", "--window", "all")
    assert done.returncode in MEASURED, done.stderr
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["points"][0]["slo"]["met"] is True


def test_repeats_are_summarised(perf: Command, tmp_path: Path) -> None:
    done = perf("--load", "closed:1", "--load", "closed:2", "--count", "6", "--repeat", "2", "-o", "run")
    assert "closed:2, 2 repeats, mean ± sd: Throughput of requests" in done.stdout
    document = json.loads((tmp_path / "run" / "summary.json").read_bytes())
    assert [point["load"] for point in document["points"]] == ["closed:1", "closed:2"] * 2
    first = document["spreads"][0]
    rates = [point["run"]["req_s"]["value"] for point in document["points"][::2]]
    assert first["numbers"]["req_s"]["values"] == rates
    assert first["numbers"]["req_s"]["mean"] == pytest.approx(sum(rates) / 2)


def test_gate_gives_exit_code_4(perf: Command, auricle: Command) -> None:
    done = perf("--load", "closed:2", "--count", "6", "--slo", "p50(latency_s)<0.001", "--gate", "-o", "run")
    assert done.returncode == 4, done.stderr
    assert "Gate: closed:2: p50(latency_s)<0.001 was not met." in done.stderr
    for passing in (("perf", "run", "--slo", "p50(latency_s)<9", "--gate"), ("compare", "run", "run", "--gate")):
        gated = auricle(*passing)
        reasons = gated.stderr.splitlines()
        assert gated.returncode == (4 if reasons else 0), gated.stderr
        assert all("closed:2 is not valid" in reason for reason in reasons)  # on a busy machine


def test_latencies_that_were_not_tested_leave_a_gate_undecided(perf: Command, auricle: Command) -> None:
    assert perf("--load", "closed:2", "--count", "6", "-o", "run").returncode == 0
    for options, code in (((), 5), (("--allow-undecided",), 0)):
        gated = auricle("gate", "run", "run", *options)
        assert "latencies were not tested: 6 requests; 20 are needed (A)." in gated.stderr
        assert gated.returncode == (4 if "is not valid" in gated.stderr else code)  # on a busy machine


def test_synthetic_requests_need_no_task(auricle: Command) -> None:
    with FakeServer(Script(latency=0.02)) as server:
        model = ["-m", "openai", "-M", "model=fake", "-M", f"base_url={server.url}"]
        data = ["--data", "synthetic:in=20..30,out=5,prefix=8x2"]
        document = json.loads(auricle("perf", *data, *model, "--load", "burst:12", "--json").stdout)
    (point,) = document["points"]
    assert document["task"] == "synthetic"
    assert (point["counts"]["all"]["ok"], point["repeats"]["distinct"]) == (12, 12)


def test_a_folder_without_a_measurement_is_named(auricle: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("runs/typo", "empty"):
        done = auricle("perf", folder)
        assert (done.returncode, f"no measurement in {folder}." in done.stderr) == (2, True)
    assert "No model given" in auricle("perf", "speech.jsonl").stderr


def test_either_a_task_or_data_is_required(perf: Command, auricle: Command) -> None:
    assert "Set either TASK or --data" in perf("--data", "synthetic:in=5").stderr
    assert "Set either TASK or --data" in auricle("perf", "-m", "echo").stderr
