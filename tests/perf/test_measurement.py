"""A measurement runs its load points, scores their answers and writes no secret."""

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.engine.spec import Spec
from auricle.perf.measurement import PerfConfig, measure, recompute_summary
from auricle.perf.request_records import RequestColumns
from auricle.perf.serving_cost import Pricing
from auricle.perf.summary import summarise
from auricle.runs.perf_files import read_perf_summary
from auricle.runs.usage import Price
from auricle.testing.fake_server import FakeServer, Script
from tests.perf.conftest import RunMeasurement

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine


def test_several_loads_are_several_points(run_measurement: RunMeasurement) -> None:
    result = run_measurement(("closed:1,2", "constant:40"), Script(latency=0.02), count=8)
    assert [point.load for point in result.summary.points] == ["closed:1", "closed:2", "constant:40"]
    assert all(len(result.requests(index)) == 8 for index in range(3))
    names = sorted(path.name for path in result.folder.iterdir() if path.is_dir())
    assert names == ["00-closed-1", "01-closed-2", "02-constant-40"]


def test_search_finds_the_capacity_of_a_server(
    run_measurement: RunMeasurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auricle.perf.summary.find_invalid_reasons", lambda *_: [])  # however busy this machine is
    script = Script(latency=0.1, slots=2)
    slo = "p75(latency_s)<0.15"  # half of the requests of three users wait; a few late ones of two users do not matter
    result = run_measurement("search:closed,low=1,high=8", script, count=16, slo=slo)
    (search,) = result.summary.searches
    assert (search.best, search.beyond) == (2, 3)


def test_accuracy_under_load_is_that_of_an_ordinary_run(
    run_measurement: RunMeasurement, manifest: Callable[..., Path], tmp_path: Path
) -> None:
    from auricle import api

    data = manifest(
        {"id": f"s{index}", "question": f"w {index}", "answer": f"w {index if index % 3 else -1}"}
        for index in range(12)
    )
    result = run_measurement("closed:4", data=data, count=12)
    with FakeServer() as server:
        spec = Spec(
            task="qa",
            task_args={"data": str(data)},
            model="openai",
            model_args={"base_url": server.url, "model": "fake"},
        )
        numbers = api.evaluate(spec, tmp_path / "plain")
    accuracy = {number.metric: number.value for number in result.point.accuracy}
    assert accuracy == {number.metric: number.value for number in numbers}
    assert 0 < (next(iter(accuracy.values())) or 0) < 1


def test_folder_holds_one_measurement(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    result = run_measurement("closed:1", count=2)
    spec = Spec(
        task="qa",
        task_args={"data": str(questions())},
        model="openai",
        model_args={"base_url": "http://127.0.0.1:1/v1", "model": "fake"},
    )
    with pytest.raises(SpecError, match=r"already contains a different measurement \(model_args was .*--fresh"):
        measure(spec, result.folder, PerfConfig(loads=("closed:1",), count=2), lambda _: None)


@pytest.mark.parametrize(
    ("load", "options", "message"),
    [("closed:2", {}, "--duration"), ("search:rate", {"count": 3}, "A search needs an SLO")],
)
def test_incomplete_options_are_rejected(
    run_measurement: RunMeasurement, load: str, options: dict[str, int], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        run_measurement(load, **options)


def test_neither_audio_nor_secrets_are_written(
    run_measurement: RunMeasurement, manifest: Callable[..., Path], tone: Callable[..., Path]
) -> None:
    recording = tone("hello.wav", seconds=0.5)
    data = manifest([{"id": "a", "audio": str(recording), "text": "hello"}])
    secret = "sk-very-secret-indeed"
    script = Script(key=secret, faults={"500": 0.3})
    result = run_measurement("closed:2", script, data=data, task="asr", count=6, model_args={"api_key": secret})
    encoded = base64.b64encode(recording.read_bytes())[200:260]
    for path in result.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert secret.encode() not in content, path
            assert encoded not in content, path


def test_options_are_written_with_their_prices() -> None:
    config = PerfConfig(loads=("closed:1",), pricing=Pricing(Price("x", request=0.5), 2.0))
    document = config.to_dict()
    assert document["bill"]["hour"] == 2.0
    assert document["bill"]["price"]["request"] == 0.5
    assert "pricing" not in document
    assert replace(config, pricing=None).to_dict()["bill"] is None


def test_measures_follow_from_the_recorded_requests(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50", Script(latency=0.02), count=30)
    columns = RequestColumns.read(result.folder / result.point.folder / "requests.jsonl")
    assert summarise(columns, "constant:50").measures == result.point.measures


def test_summary_is_recomputed_with_another_slo_and_window(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:2", count=6)
    summary = recompute_summary(result.folder, slo="p50(latency_s)<9", window="all")
    assert summary == read_perf_summary(result.folder)
    (point,) = summary.points
    assert point.slo
    assert point.slo.met is True
    assert point.window.kind == "all"
    assert point.counts.all == result.point.counts.all
    assert point.accuracy == result.point.accuracy


def test_prices_are_kept_or_replaced(run_measurement: RunMeasurement) -> None:
    pricing = Pricing(Price("fake", currency="EUR"), 2.0)
    folder = run_measurement("closed:2", count=4, pricing=pricing).folder
    (point,) = recompute_summary(folder).points
    assert (point.run["cost_hour"].value, point.currency) == (2.0, "EUR")
    (point,) = recompute_summary(folder, find_pricing=lambda *_: Pricing(Price("fake"), 5.0)).points
    assert (point.run["cost_hour"].value, point.currency) == (5.0, "USD")


def test_measurement_is_priced_afterwards_by_the_command(
    run_measurement: RunMeasurement, auricle: Callable[..., Any], tmp_path: Path
) -> None:
    folder = run_measurement("closed:2", count=4).folder
    (tmp_path / "prices.yaml").write_text("fake: {request: 0.5}\n")
    priced = auricle("perf", folder, "--prices", "prices.yaml")
    assert "closed:2: " in priced.stdout
    assert "500 USD per thousand requests." in priced.stdout
    assert "500 USD per thousand requests." in auricle("perf", folder).stdout


def test_model_without_a_price_is_an_error(
    run_measurement: RunMeasurement, auricle: Callable[..., Any], tmp_path: Path
) -> None:
    folder = run_measurement("closed:1", count=2).folder
    (tmp_path / "prices.yaml").write_text("other: {request: 0.5}\n")
    done = auricle("perf", folder, "--prices", "prices.yaml")
    assert done.returncode == 2
    assert "fake" in done.stderr


def test_folder_without_a_summary_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No summary\.json in .*: no load point was completed"):
        recompute_summary(tmp_path)


def test_high_rate_is_sent_by_a_process_of_its_own(run_measurement: RunMeasurement) -> None:
    result = run_measurement(["constant:120", "constant:40"], count=6)
    assert [point.counts.all.ok for point in result.summary.points] == [6, 6]
    assert [path.parent.name for path in result.folder.glob("*/sender.0.log")] == ["00-constant-120"]
