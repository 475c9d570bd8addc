"""What is read from the server while a load point runs."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from auricle.core.errors import SpecError
from auricle.perf.report.chart_data import build_point_charts
from auricle.perf.report.tables import format_server
from auricle.perf.request_records import RequestColumns
from auricle.perf.server_metrics import (
    SERVER_MEASURES,
    GpuSensor,
    ServerSamples,
    ServerWatch,
    compute_server_measures,
    open_sensors,
    parse_metrics,
)
from auricle.perf.summary import summarise
from auricle.perf.windows import Window
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.metrics_page import ServedTokens, render_metrics
from tests.perf.conftest import RunMeasurement
from tests.support.simulated_servers import even_streams

WINDOW = Window("all", 0.0, 10.0)


def test_metrics_of_vllm_are_read() -> None:
    tokens = ServedTokens(prompt=40, cached=20, generated=16)
    sample = parse_metrics(render_metrics(tokens, in_flight=6, slots=4))
    assert (sample["running"], sample["queued"], sample["kv_use"]) == (4, 2, 1)
    assert sample["hit_part"] / sample["hit_whole"] == 0.5


@pytest.mark.parametrize(
    ("page", "sample"),
    [
        ("sglang:num_running_reqs 3\nsglang:num_queue_reqs 2\nsglang:token_usage 0.25", (3, 2, 0.25)),
        ("tgi_batch_current_size 3\ntgi_queue_size 2", (3, 2, None)),
        ('vllm:num_requests_running{engine="0"} 1\nvllm:num_requests_running{engine="1"} 2', (3, None, None)),
        ('vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.4', (None, None, 0.3)),
        ("# HELP x y\nvllm:num_requests_running NaN\nbroken line here\n", (None, None, None)),
    ],
)
def test_names_of_other_servers_and_several_engines(page: str, sample: tuple[float | None, ...]) -> None:
    read = parse_metrics(page)
    assert tuple(read.get(name) for name in ("running", "queued", "kv_use")) == pytest.approx(sample)


def test_any_metric_can_be_read_by_a_pattern() -> None:
    page = 'http_requests_total{path="/a"} 3 1700000000\nhttp_requests_total{path="/b"} 4\nother 1'
    assert parse_metrics(page, re.compile("^http_")) == {"http_requests_total": 7}


def test_measures_are_those_of_the_window() -> None:
    rows = [
        {"t": -1.0, "queued": 99.0, "power_w": 900.0},
        {
            "t": 1.0,
            "queued": 2.0,
            "running": 4.0,
            "kv_use": 0.5,
            "hit_part": 10.0,
            "hit_whole": 100.0,
            "power_w": 300.0,
        },
        {
            "t": 9.0,
            "queued": 6.0,
            "running": 4.0,
            "kv_use": 0.7,
            "hit_part": 40.0,
            "hit_whole": 200.0,
            "power_w": 500.0,
        },
    ]
    measures = compute_server_measures(ServerSamples.from_lines(rows), WINDOW, {"audio_in_x": 50.0, "tok_out_s": 100.0})
    assert set(measures) == set(SERVER_MEASURES)
    assert (measures["server_queue_mean"], measures["server_queue_max"]) == (4, 6)
    assert measures["server_kv_share"] == pytest.approx(0.6)
    assert measures["server_hit_share"] == pytest.approx(0.3)
    assert measures["server_accept_share"] is None
    assert measures["gpu_power_w"] == 400
    assert measures["energy_audio_hour_wh"] == pytest.approx(8.0)  # 50 hours of audio per hour at 400 W
    assert measures["energy_1k_tokens_wh"] == pytest.approx(400 / 360)  # 360,000 tokens per hour


def test_nothing_is_known_of_a_server_that_was_not_watched() -> None:
    assert set(compute_server_measures(None, WINDOW, {}).values()) == {None}


def test_readings_are_stored_with_the_time_since_the_start(tmp_path: Path) -> None:
    def fail() -> dict[str, float]:
        raise OSError("no route")

    watch = ServerWatch([lambda: {"queued": 3.0}, fail], interval=0.01)
    with watch:
        pass
    watch.start_time -= 5.0
    watch.write(tmp_path)
    samples = ServerSamples.read(tmp_path)
    assert samples
    assert samples.columns["queued"].tolist() == [3.0] * len(samples.times)
    assert ServerSamples.read(tmp_path / "elsewhere") is None
    count = len(samples.times)
    assert watch.list_notes() == [
        f"{count} of {2 * count} readings of the server failed, the last with: OSError: no route"
    ]


def test_nothing_is_noted_if_every_reading_succeeds() -> None:
    with ServerWatch([lambda: {"queued": 3.0}], interval=0.01) as watch:
        pass
    assert watch.list_notes() == []


def test_server_is_drawn_and_described() -> None:
    samples = ServerSamples.from_lines({"t": float(t), "queued": 1.0, "running": 2.0, "kv_use": 0.5} for t in range(15))
    requests = even_streams(150)
    point = summarise(requests, "constant:10", server=samples)
    assert format_server(point) == ["Server: 2 requests running, 1 waiting, 50 % of the KV cache in use."]
    charts = build_point_charts(RequestColumns.from_records(requests), samples).charts
    titles = [chart.title for chart in charts]
    assert "Requests in the server over time" in titles
    assert "KV cache over time" in titles
    assert "GPU power over time" not in titles


def test_page_without_known_metrics_is_refused() -> None:
    with FakeServer() as server:
        url = server.url.removesuffix("/v1")
        assert len(open_sensors(f"{url}/metrics", "", gpu=False)) == 1
        with pytest.raises(SpecError, match="has no metric of vLLM, SGLang or TGI"):
            open_sensors(f"{url}/stats", "", gpu=False)
        with pytest.raises(SpecError, match="not a regular expression"):
            open_sensors(f"{url}/metrics", "(", gpu=False)
    with pytest.raises(SpecError, match="--metrics-url cannot be read"):
        open_sensors("http://127.0.0.1:9/metrics", "", gpu=False)
    with pytest.raises(SpecError, match="must have the form http"):
        open_sensors("file:///etc/passwd", "", gpu=False)


def test_missing_package_of_nvml_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(SpecError, match="pip install nvidia-ml-py"):
        open_sensors("", "", gpu=True)


def test_power_and_memory_are_added_over_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 2,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetPowerUsage=lambda device: 100_000 * (device + 1),
        nvmlDeviceGetMemoryInfo=lambda _: SimpleNamespace(used=5e9),
    )
    monkeypatch.setitem(sys.modules, "pynvml", library)
    assert GpuSensor()() == {"power_w": 300.0, "memory_gb": 10.0}


@pytest.mark.slow
def test_load_point_has_the_numbers_of_its_server(run_measurement: RunMeasurement) -> None:
    with FakeServer() as other:
        url = f"{other.url.removesuffix('/v1')}/metrics"
        result = run_measurement("closed:2", Script(latency=0.15), count=20, metrics_url=url, window="all")
    assert next(result.folder.glob("*/server.jsonl")).exists()
    assert result.point.run["server_running_mean"].value == 0
