"""Classes written for AISBench in load tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.engine.spec import Spec
from auricle.perf.measurement import PerfConfig, measure
from auricle.testing.fake_server import FakeServer, Script
from tests.support import load_tests

INFERENCERS = Path(__file__).with_name("aisbench_classes.py")
MODELS = Path(__file__).with_name("aisbench_model_classes.py")
WORDS = "one two three four five"

pytestmark = [pytest.mark.slow]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Script(pace=400.0)) as fake_server:
        yield fake_server


Measure = Callable[..., tuple[Any, list[dict[str, Any]], list[str]]]


@pytest.fixture
def run_load(manifest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Measure six requests of two users; return the load point, its requests and its answers."""
    load_tests.shorten(monkeypatch)

    def run(model: str, model_args: Any = None, stream: bool | None = None, **task_args: Any) -> Any:
        path = manifest([{"id": str(index), "question": f"{WORDS} {index}", "answer": "x"} for index in range(6)])
        spec = Spec(task="qa", task_args={"data": str(path), **task_args}, model=model, model_args=model_args or {})
        config = PerfConfig(loads=("closed:2",), count=6, stream=stream, senders=1)
        summary = measure(spec, tmp_path / "perf", config, lambda _: None)

        def read(name: str) -> list[dict[str, Any]]:
            (file,) = (tmp_path / "perf").glob(f"*/{name}")
            return [json.loads(line) for line in file.read_bytes().splitlines()]

        texts = [record["outputs"][0]["text"] for record in read("outputs.jsonl") if record["outputs"]]
        return summary.points[0], read("requests.jsonl"), texts

    return run


def port_of(server: FakeServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


def assert_streamed(requests: list[dict[str, Any]]) -> None:
    for request in requests:
        assert request["status"] == "ok"
        assert request["streamed"]
        assert request["sent"] < request["first_token"] < request["last_content"] <= request["done"]
        assert request["gaps"]


def test_a_streaming_model_class_is_measured_event_by_event(run_load: Measure, server: FakeServer) -> None:
    point, requests, texts = run_load(f"aisbench:{MODELS}:Marked", {"host_port": port_of(server), "stream": True})
    assert sorted(text.replace("[True]", "") for text in texts) == [f"{WORDS} {index}" for index in range(6)]
    assert all(text.count("[True]") > 1 for text in texts)
    assert_streamed(requests)
    assert {request["output_tokens"] for request in requests} == {6}
    assert point.measures["ttft_s"].p50 > 0


def test_the_option_stream_applies_to_a_model_class(run_load: Measure, server: FakeServer) -> None:
    _, requests, _ = run_load(f"aisbench:{MODELS}:MyCustomAPI", {"host_port": port_of(server)}, stream=True)
    assert_streamed(requests)


def test_a_model_class_that_sends_requests_itself_is_measured(run_load: Measure, server: FakeServer) -> None:
    _, requests, _ = run_load(f"aisbench:{MODELS}:OwnLoop", {"host_port": port_of(server)})
    assert_streamed(requests)


def test_an_inferencer_that_sends_requests_itself_is_measured(run_load: Measure, server: FakeServer) -> None:
    use = {"use": f"aisbench:{INFERENCERS}:Measured", "url": f"{server.url}/chat/completions"}
    point, requests, texts = run_load("fake-api", inferencer=use)
    assert len(requests) == 6
    assert_streamed(requests)
    assert {text.rstrip(".") for text in texts} == {"perf True"}
    assert server.stats()["requests"] == {"/v1/chat/completions": 7}  # one of them before the measurement
    assert (point.counts.all.ok, point.counts.all.failed) == (6, 0)


def test_requests_that_fail_are_recorded_with_their_reason(run_load: Measure) -> None:
    with FakeServer(Script(faults={"500": 0.4}, seed=1)) as server:
        use = {"use": f"aisbench:{INFERENCERS}:Measured", "url": f"{server.url}/chat/completions"}
        point, requests, _ = run_load("fake-api", inferencer=use)
    failed = [request for request in requests if request["status"] == "failed"]
    assert 0 < len(failed) < len(requests)
    assert all("HTTP 500" in request["error"] for request in failed)
    assert point.counts.all.failed == len(failed)


def test_a_server_that_does_not_work_is_noticed_before_the_load_starts(run_load: Measure, server: FakeServer) -> None:
    use = {"use": f"aisbench:{INFERENCERS}:Measured", "url": f"{server.url}/nowhere"}
    with pytest.raises(SpecError, match=r"The first request failed.*HTTP 404"):
        run_load("fake-api", inferencer=use)


def test_outputs_have_the_time_points_of_the_model(run_load: Measure, server: FakeServer) -> None:
    model_args = {"base_url": server.url, "model": "m", "stream": True}
    _, _, texts = run_load("openai", model_args, inferencer={"use": f"aisbench:{INFERENCERS}:Points"})
    assert set(texts) == {"True 4 True True"}


def test_a_preview_sends_nothing(auricle: Any, manifest: Any) -> None:
    with FakeServer() as server:
        use = f"aisbench:{INFERENCERS}:Itself"
        path = manifest([{"id": "1", "question": server.url.removesuffix("/v1"), "answer": "x"}])
        result = auricle("preview", path, "--as", "qa", "-T", f"inferencer={use}")
        assert server.stats()["requests"] == {}
    assert "The inferencer sends its requests itself." in result.stdout
