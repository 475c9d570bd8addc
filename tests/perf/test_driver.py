"""Models on this machine are served in batches; API models are sent prepared bodies."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation, Turn
from auricle.engine.spec import Spec
from auricle.models import BatchModel
from auricle.models.http.base import JSON
from auricle.models.http.timing import PreparedRequest as EncodedRequest
from auricle.models.http.timing import RequestTimer
from auricle.models.openai import OpenAI
from auricle.perf.driver import BodyStore, Driver, PreparedRequest, digest_body, force_output_length
from auricle.perf.measurement import PerfConfig, measure
from auricle.runs.perf_files import LoadPointSummary
from auricle.testing.fake_server.script import compute_digest
from auricle.testing.models import FakeApi
from tests.perf.conftest import RunMeasurement

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine


MODELS = '''
import time
from auricle import BatchModel, Generation

class Slow(BatchModel):
    """Answers each request with the size of its batch."""
    batch_size = 4
    def generate(self, requests):
        time.sleep(0.05)
        return [Generation(text=str(len(requests))) for _ in requests]

class Short(Slow):
    """Returns one output too few."""
    def generate(self, requests):
        return super().generate(requests)[1:] if len(requests) > 1 else super().generate(requests)
'''

LocalResult = tuple[LoadPointSummary, list[dict[str, Any]], list[dict[str, Any]]]
RunLocal = Callable[..., LocalResult]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def run_local(quick: None, tmp_path: Path, questions: Callable[..., Path]) -> RunLocal:
    """Measure a model on this machine; return the point, its requests and its answers."""
    (tmp_path / "slow.py").write_text(MODELS)

    def run(load: str, name: str = "Slow", **options: Any) -> LocalResult:
        spec = Spec(task="qa", task_args={"data": str(questions())}, model=f"{tmp_path}/slow.py:{name}")
        folder = tmp_path / f"perf{len(list(tmp_path.glob('perf*')))}"
        summary = measure(spec, folder, PerfConfig(loads=(load,), **options), lambda _: None)
        (point,) = summary.points
        point_folder = folder / point.folder
        return point, read_lines(point_folder / "requests.jsonl"), read_lines(point_folder / "outputs.jsonl")

    return run


def batch_sizes(answers: list[dict[str, Any]]) -> list[int]:
    return [int(answer["outputs"][0]["text"]) for answer in answers]


def test_batches_are_full_when_enough_users_wait(run_local: RunLocal) -> None:
    _, _, answers = run_local("closed:4", count=20)
    assert Counter(batch_sizes(answers)) == {4: 20}


def test_excess_requests_wait_for_the_next_batch(run_local: RunLocal) -> None:
    point, requests, answers = run_local("closed:8", count=32)
    assert Counter(batch_sizes(answers)) == {4: 32}
    latencies = sorted(request["done"] - request["sent"] for request in requests)
    assert latencies[0] < latencies[-1]
    assert point.counts.all.ok == 32


def test_batch_size_can_be_reduced(run_local: RunLocal) -> None:
    _, _, answers = run_local("closed:4", count=8, batch_size=2)
    assert Counter(batch_sizes(answers)) == {2: 8}


def test_single_user_does_not_wait_for_a_full_batch(run_local: RunLocal) -> None:
    _, _, answers = run_local("closed:1", count=4)
    assert batch_sizes(answers) == [1, 1, 1, 1]


def test_local_model_has_no_time_to_first_token(run_local: RunLocal) -> None:
    point, _, _ = run_local("closed:2", count=4)
    assert point.measures["ttft_s"]["n"] == 0
    assert point.measures["latency_s"]["n"] == 4


def test_wrong_number_of_outputs_fails_the_batch_only(run_local: RunLocal) -> None:
    point, requests, answers = run_local("closed:3", name="Short", count=9)
    failed = [request for request in requests if request["status"] == "failed"]
    assert failed
    assert all("outputs for" in request["error"] for request in failed)
    assert point.counts.all.failed == len(failed)
    answered = [answer for answer in answers if answer["outputs"]]  # alone in a batch, whose size is right
    assert batch_sizes(answered) == [1] * (9 - len(failed))


def test_local_model_has_one_sender(run_local: RunLocal) -> None:
    with pytest.raises(SpecError, match="--senders is for API models only"):
        run_local("closed:2", count=4, senders=2)


def test_cancelled_requests_are_not_batched() -> None:
    class Blocked(BatchModel):
        batch_size = 2

        def __init__(self) -> None:
            self.batch_sizes: list[int] = []
            self.release = threading.Event()

        def generate(self, batch: Sequence[Generate]) -> list[Generation]:
            self.release.wait(5)
            self.batch_sizes.append(len(batch))
            return [Generation(text="answer") for _ in batch]

    async def send_and_cancel() -> tuple[list[int], list[Any]]:
        model = Blocked()
        driver = Driver(model, 2)
        request = PreparedRequest(Generate(turns=(Turn("user", ("hi",)),)), "")
        tasks = [asyncio.create_task(driver.send(request, RequestTimer())) for _ in range(4)]
        await asyncio.sleep(0.05)
        tasks[2].cancel()
        model.release.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        await driver.close()
        return model.batch_sizes, cast("list[Any]", results)

    sizes, results = asyncio.run(send_and_cancel())
    assert sizes == [2, 1]
    assert isinstance(results[2], asyncio.CancelledError)


def test_async_model_is_called_directly() -> None:
    async def send() -> tuple[str, RequestTimer]:
        driver = Driver(FakeApi(delay=0))
        timer = RequestTimer()
        output = await driver.send(driver.prepare(Generate(turns=(Turn("user", ("hi",)),))), timer)
        await driver.close()
        assert isinstance(output, Generation)
        return output.text, timer

    text, timer = asyncio.run(send())
    assert text == "hi"
    assert timer.sent is not None
    assert timer.done is not None


def test_transcription_models_are_measured(
    run_measurement: RunMeasurement, manifest: Callable[..., Path], tone: Callable[..., Path]
) -> None:
    data = manifest([{"id": "a", "audio": str(tone("a.wav")), "text": "good morning"}])
    result = run_measurement("closed:2", data=data, task="asr", count=6, model="transcription")
    assert result.point.counts.all.ok == 6
    assert set(result.stats["requests"]) == {"/v1/audio/transcriptions"}


def test_store_returns_the_bodies_it_was_given() -> None:
    store = BodyStore()
    requests = [EncodedRequest("/a", b"first", "application/json"), EncodedRequest("/b", b"second body", "text/plain")]
    stored = [store.put(request) for request in requests]
    assert [store.get(body) for body in reversed(stored)] == requests[::-1]
    assert store.size == len(b"first") + len(b"second body")
    store.close()


def test_no_further_requests_are_prepared_when_their_bodies_fill_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    async def prepare() -> list[bool]:
        driver = Driver(OpenAI(base_url="http://127.0.0.1:1/v1", model="fake"))
        is_full = []
        for text in ("first", "second"):
            driver.prepare(Generate(turns=(Turn("user", (text,)),)))
            is_full.append(driver.is_full)
        await driver.close()
        return is_full

    monkeypatch.setattr("auricle.perf.driver.MAX_STORED_BYTES", 100)
    assert asyncio.run(prepare()) == [False, True]


def test_digest_is_that_of_the_fake_server() -> None:
    assert digest_body(b"body") == compute_digest(b"body")


def test_length_of_answers_is_forced_in_json_bodies_only() -> None:
    forced = force_output_length(EncodedRequest("/chat", b'{"max_tokens": 7, "min_tokens": 2}', JSON), 7)
    assert json.loads(forced.body) == {"ignore_eos": True, "min_tokens": 2, "max_tokens": 7}  # the user's own field
    form = EncodedRequest("/audio", b"--form", "multipart/form-data")
    assert force_output_length(form, 7) is form
