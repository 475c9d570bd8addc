"""Retries, and aborting a run_all in which every request fails."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from auricle import AsyncModel, Audio, Generate, Generation, Sample, SampleError, Settings, Turn
from auricle.core.calls import CallRecording
from auricle.core.errors import AllRequestsFailed, AudioError, NotFinite, Rejected, Transient, Unreachable
from auricle.core.types import MAX_TEXT_LENGTH, Call, Output, Predict, Prediction, Record, Request
from auricle.engine.batching import RunStopped
from auricle.engine.inferencers import Respond
from auricle.engine.observer import Observer
from auricle.engine.retry import FAIL_FAST_AFTER, MAX_RETRY_AFTER, FailFast, RetryingSender
from auricle.engine.run_loop import RunLoop
from auricle.engine.slots import DirectSlot
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from tests.support.calls import make_recording

REQUEST = Generate(turns=(Turn("user", ("hello",)),))
QUICK = Settings(initial_backoff=0.0)


class Scripted(AsyncModel):
    """Raises the given errors one after the other, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return Generation(text="fine")


class Failing(AsyncModel):
    """Raises the error that a function returns for the number of the request."""

    def __init__(self, error_for: Callable[[int], Exception | None]) -> None:
        self.error_for = error_for
        self.calls = 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        if error := self.error_for(self.calls):
            raise error
        return Generation(text="fine")


class Dropping(AsyncModel):
    """Drops its first calls."""

    def __init__(self, drops: int) -> None:
        self.drops = drops
        self.calls = 0

    async def call(self, request: Call) -> CallRecording:
        self.calls += 1
        return make_recording(finish="dropped" if self.calls <= self.drops else "completed")


@pytest.mark.parametrize(
    ("retry_dropped", "finish", "earlier_drops"), [(0, "dropped", 0), (1, "dropped", 1), (2, "completed", 2)]
)
def test_dropped_calls_are_called_again_only_on_request(retry_dropped: int, finish: str, earlier_drops: int) -> None:
    model, settings = Dropping(2), Settings(initial_backoff=0.0, retry_dropped=retry_dropped)
    output, attempts = send(model, settings, Call(steps=()))
    assert isinstance(output, CallRecording)
    assert (output.finish, output.earlier_drops) == (finish, earlier_drops)
    assert attempts == model.calls == 1 + retry_dropped


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace sleeping by recording the delay."""
    recorded: list[float] = []

    async def sleep(seconds: float) -> None:
        recorded.append(seconds)

    monkeypatch.setattr("auricle.engine.retry.asyncio.sleep", sleep)
    return recorded


def send(model: AsyncModel, settings: Settings = QUICK, request: Request = REQUEST) -> tuple[Output, int]:
    """Send one request and return its output and the number of attempts."""

    async def main() -> tuple[Output, int]:
        sender = RetryingSender(DirectSlot(model, 1), settings)
        return await sender(request), sender.attempts

    return asyncio.run(main())


def run_all(path: Path, model: AsyncModel, size: int = 200) -> list[Record]:
    samples = [Sample(id=str(number), inputs={"question": str(number)}, target="") for number in range(size)]

    async def main() -> None:
        loop = RunLoop(Respond("{question}"), samples, directory, QUICK, Observer())
        await loop.run(model, asyncio.Event())

    with Run.open(path, RunSpec(identity={}, spec={})) as directory:
        asyncio.run(main())
    return list(Run.load(path).records())


# --- retries ---------------------------------------------------------------------


def test_transient_errors_are_retried_up_to_the_limit(delays: list[float]) -> None:
    model = Scripted(*[Transient("busy")] * 5)
    assert send(model) == (Generation(text="fine"), 6)
    with pytest.raises(Transient, match="busy"):
        send(Scripted(*[Transient("busy")] * 6))


@pytest.mark.parametrize("error", [Rejected("no"), AudioError("broken"), SampleError("odd")])
def test_permanent_errors_are_not_retried(delays: list[float], error: SampleError) -> None:
    model = Scripted(error)
    with pytest.raises(type(error)):
        send(model)
    assert (model.calls, delays) == (1, [])


def test_backoff_doubles(delays: list[float]) -> None:
    send(Scripted(*[Transient("busy")] * 5), Settings(initial_backoff=1.0))
    assert len(delays) == 5
    assert all(0.5 * 2**index <= delay <= 1.5 * 2**index for index, delay in enumerate(delays))


def test_retry_after_is_honoured(delays: list[float]) -> None:
    send(Scripted(Transient("busy", 7.0)))
    assert 7.0 <= delays[0] <= 7.0 * 1.2


def test_too_long_retry_after_fails_the_sample(delays: list[float]) -> None:
    model = Scripted(Transient("tomorrow", MAX_RETRY_AFTER + 1))
    with pytest.raises(Transient, match="tomorrow"):
        send(model)
    assert (model.calls, delays) == (1, [])


def test_output_of_the_wrong_type_fails_the_sample() -> None:
    class Predicts(AsyncModel):
        async def generate(self, request: Generate) -> Any:
            return Prediction(values={}, scale="logit")

    with pytest.raises(SampleError, match="returned Prediction instead of Generation"):
        send(Predicts())


# --- fail fast --------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        Rejected("HTTP 401 from host: wrong key"),
        Unreachable("no connection to host: refused"),
        SampleError("the model returned list"),
        ValueError("no weights"),
    ],
)
def test_run_aborts_when_the_first_requests_fail_with_the_same_error(tmp_path: Path, error: Exception) -> None:
    model = Failing(lambda _: error)
    with pytest.raises(AllRequestsFailed, match=f"{FAIL_FAST_AFTER} requests failed with the same error: {error}"):
        run_all(tmp_path, model)
    assert model.calls < 200


def test_messages_with_the_same_status_count_as_the_same_error(tmp_path: Path) -> None:
    model = Failing(lambda number: Rejected(f"HTTP 404 from host: no model {number}"))
    with pytest.raises(AllRequestsFailed):
        run_all(tmp_path, model)


def test_different_errors_do_not_abort_the_run(tmp_path: Path) -> None:
    model = Failing(lambda number: Rejected(f"HTTP {400 if number % 3 else 413} from host: no"))
    assert {record.error and record.error.kind for record in run_all(tmp_path, model)} == {"Rejected"}


def test_errors_of_a_model_that_differ_by_sample_do_not_abort_the_run(tmp_path: Path) -> None:
    records = run_all(tmp_path, Failing(lambda number: ValueError(f"sample {number}")), size=60)
    assert {record.error and record.error.kind for record in records} == {"ValueError"}


def test_one_success_prevents_the_abort(tmp_path: Path) -> None:
    model = Failing(lambda number: Rejected("HTTP 400 from host: no") if number != 15 else None)
    records = run_all(tmp_path, model)
    assert sum(record.error is None for record in records) == 1
    assert len(records) == 200


@pytest.mark.parametrize("error", [Transient("HTTP 429 from host: slow down"), AudioError("gone")])
def test_rate_limits_and_audio_errors_do_not_abort_the_run(tmp_path: Path, error: SampleError) -> None:
    records = run_all(tmp_path, Failing(lambda _: error), size=60)
    assert len(records) == 60


def test_nineteen_failures_do_not_abort_the_run() -> None:
    fail_fast = FailFast()
    for _ in range(FAIL_FAST_AFTER - 1):
        fail_fast.record_failure(Rejected("HTTP 400 from host: no"))
    with pytest.raises(AllRequestsFailed):
        fail_fast.record_failure(Rejected("HTTP 400 from host: no"))


def fail_repeatedly(messages: Iterable[str]) -> None:
    fail_fast = FailFast()
    for message in messages:
        fail_fast.record_failure(Unreachable(message))


def test_errors_of_a_server_with_the_same_first_eight_characters_count_as_the_same() -> None:
    fail_repeatedly(f"HTTP 50{number % 2} from host: no" for number in range(2 * FAIL_FAST_AFTER))
    with pytest.raises(AllRequestsFailed):
        fail_repeatedly(f"timeout {number}" for number in range(FAIL_FAST_AFTER))


def test_aborted_run_can_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(AllRequestsFailed):
        run_all(tmp_path, Failing(lambda _: Rejected("HTTP 401 from host: no")))
    records = run_all(tmp_path, Scripted())
    assert len(records) == 200
    assert all(record.error is None for record in records)


def test_the_limits_are_those_in_the_documentation() -> None:
    assert (FAIL_FAST_AFTER, MAX_RETRY_AFTER) == (20, 300.0)


# --- cache, slots and predictions ---------------------------------------------------


class MemoryCache:
    """A cache in memory that counts what is stored."""

    def __init__(self) -> None:
        self.outputs: dict[Request, Output] = {}
        self.puts = 0

    def get(self, request: Request) -> Output | None:
        return self.outputs.get(request)

    def put(self, request: Request, output: Output) -> None:
        self.outputs[request] = output
        self.puts += 1


class RecordingSlot:
    """Answers after some failures and records what happens."""

    def __init__(self, *results: Output | SampleError) -> None:
        self.results = list(results)
        self.events: list[str] = []

    async def send(self, request: Request) -> Output:
        self.events.append("send")
        result = self.results.pop(0)
        if isinstance(result, SampleError):
            raise result
        return result

    def release(self) -> None:
        self.events.append("release")

    def reacquire(self) -> None:
        self.events.append("reacquire")


def test_a_stored_answer_is_returned_without_a_request() -> None:
    cache = MemoryCache()
    settings = Settings(cache=cache, initial_backoff=0.0)
    slot = RecordingSlot(Generation(text="fine"))

    async def main() -> None:
        first, second = RetryingSender(slot, settings), RetryingSender(slot, settings)
        assert await first(REQUEST) == Generation(text="fine")
        assert (first.cache_hits, first.attempts) == (0, 1)
        assert cache.outputs == {REQUEST: Generation(text="fine")}
        assert await second(REQUEST) == Generation(text="fine")
        assert await second(REQUEST) == Generation(text="fine")
        assert (second.cache_hits, second.attempts) == (2, 1)

    asyncio.run(main())
    assert (slot.events, cache.puts) == (["send"], 1)


def test_audio_was_sent_if_one_of_the_requests_contained_it() -> None:
    heard = Generate(turns=(Turn("user", ("Listen.", Audio("a.wav"))),))

    async def send_both(requests: Sequence[Request], *, has_media: bool) -> bool | None:
        sender = RetryingSender(RecordingSlot(*[Generation(text="fine")] * 2), QUICK, has_media=has_media)
        assert sender.has_sent_audio is None
        for request in requests:
            await sender(request)
        return sender.has_sent_audio

    for requests, expected in (((heard, REQUEST), True), ((REQUEST, heard), True), ((REQUEST, REQUEST), False)):
        assert asyncio.run(send_both(requests, has_media=True)) is expected
    assert asyncio.run(send_both((REQUEST,), has_media=False)) is None


def test_a_failed_request_is_not_stored() -> None:
    cache = MemoryCache()
    slot = RecordingSlot(Rejected("no"))
    with pytest.raises(Rejected):
        asyncio.run(_send_through(slot, Settings(cache=cache)))
    assert cache.puts == 0


def test_calls_are_never_taken_from_the_cache() -> None:
    cache = MemoryCache()
    slot = RecordingSlot(make_recording(), make_recording(seconds=4.0))
    outputs = [asyncio.run(_send_through(slot, Settings(cache=cache), Call(steps=()))) for _ in range(2)]
    assert outputs == [make_recording(), make_recording(seconds=4.0)]
    assert cache.puts == 0


async def _send_through(slot: RecordingSlot, settings: Settings, request: Request = REQUEST) -> Output:
    return await RetryingSender(slot, settings)(request)


def test_the_slot_is_free_while_a_retry_waits(delays: list[float]) -> None:
    slot = RecordingSlot(Transient("busy"), Generation(text="fine"))
    asyncio.run(_send_through(slot, QUICK))
    assert slot.events == ["send", "release", "reacquire", "send"]


def test_without_retry_after_the_backoff_alone_counts(delays: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.engine.retry.random.uniform", lambda low, high: high)
    send(Scripted(Transient("busy"), Transient("busy", 0.5)), Settings(initial_backoff=0.1))
    assert delays == pytest.approx([0.1 * 1.5, 0.5 * 1.2])


def test_backoff_is_spread_at_random(delays: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.engine.retry.random.uniform", lambda low, high: low)
    send(Scripted(Transient("busy"), Transient("busy", 5.0)), Settings(initial_backoff=1.0))
    assert delays == pytest.approx([0.5, 5.0])


def test_the_longest_retry_after_is_honoured(delays: list[float]) -> None:
    send(Scripted(Transient("later", MAX_RETRY_AFTER)))
    assert delays[0] >= MAX_RETRY_AFTER


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_prediction_that_is_not_finite_fails_the_sample(value: float) -> None:
    slot = RecordingSlot(Prediction(values={"joy": 0.5, "anger": value}, scale="logit"))
    with pytest.raises(NotFinite, match=r"non-finite value .* for 'anger'"):
        asyncio.run(_send_through(slot, QUICK, Predict(inputs={})))


def test_a_finite_prediction_is_returned() -> None:
    prediction = Prediction(values={"joy": 0.5}, scale="logit")
    assert asyncio.run(_send_through(RecordingSlot(prediction), QUICK, Predict(inputs={}))) == prediction


# --- quotas -----------------------------------------------------------------------


def test_retry_after_of_hours_stops_the_run() -> None:
    fail_fast = FailFast()
    with pytest.raises(RunStopped):
        fail_fast.record_failure(Transient("HTTP 429 from host: quota used up.", 7200.0))
    assert fail_fast.stop.is_set()
    assert fail_fast.stop_reason == (
        "the quota of the server is used up (Retry-After: 7,200 s): HTTP 429 from host: quota used up"
    )


def refuse(fail_fast: FailFast, clock: list[float], times: int, wait: float = 10.0) -> None:
    for _ in range(times):
        fail_fast.record_failure(Transient("HTTP 429 from host: slow down", wait))
        clock[0] += wait


def test_twenty_refusals_in_a_row_over_five_minutes_stop_the_run() -> None:
    clock = [0.0]
    fail_fast = FailFast(clock=lambda: clock[0])
    refuse(fail_fast, clock, 30)
    assert not fail_fast.stop.is_set()
    with pytest.raises(RunStopped):
        refuse(fail_fast, clock, 1)
    assert "(31 times in a row): HTTP 429 from host: slow down" in fail_fast.stop_reason


def test_answer_in_between_ends_a_row_of_refusals() -> None:
    clock = [0.0]
    fail_fast = FailFast(clock=lambda: clock[0])
    for _ in range(10):
        refuse(fail_fast, clock, 25)
        fail_fast.record_success()
    assert fail_fast.stop_reason == ""


def test_the_twentieth_refusal_after_an_answer_stops_the_run() -> None:
    clock = [0.0]
    fail_fast = FailFast(clock=lambda: clock[0])
    refuse(fail_fast, clock, 1)
    fail_fast.record_success()
    refuse(fail_fast, clock, FAIL_FAST_AFTER - 1, wait=MAX_RETRY_AFTER)
    with pytest.raises(RunStopped):
        refuse(fail_fast, clock, 1, wait=MAX_RETRY_AFTER)
    assert "(20 times in a row)" in fail_fast.stop_reason


def test_few_refusals_do_not_stop_the_run_however_long_they_take() -> None:
    clock = [0.0]
    refuse(FailFast(clock=lambda: clock[0]), clock, FAIL_FAST_AFTER - 1, wait=MAX_RETRY_AFTER)


def test_refusals_without_a_stated_wait_are_counted_too() -> None:
    clock = [0.0]
    fail_fast = FailFast(clock=lambda: clock[0])
    refuse(fail_fast, clock, FAIL_FAST_AFTER, wait=0.0)
    clock[0] = MAX_RETRY_AFTER + 1
    with pytest.raises(RunStopped):
        refuse(fail_fast, clock, 1, wait=0.0)


def test_stopped_run_does_not_wait_for_retries() -> None:
    async def wait() -> None:
        fail_fast = FailFast()
        waiting = asyncio.create_task(fail_fast.sleep(3600.0))
        await asyncio.sleep(0)
        fail_fast.stop.set()
        with pytest.raises(RunStopped):
            await waiting

    asyncio.run(wait())


@pytest.mark.parametrize(("length", "fails"), [(MAX_TEXT_LENGTH, False), (MAX_TEXT_LENGTH + 1, True)])
def test_answer_of_more_than_a_million_characters_fails_its_sample(length: int, fails: bool) -> None:
    slot = RecordingSlot(Generation(text="x" * length))
    if fails:
        with pytest.raises(SampleError, match="returned 1,000,001 characters; an answer may have at most 1,000,000"):
            asyncio.run(_send_through(slot, QUICK))
    else:
        assert asyncio.run(_send_through(slot, QUICK)) == Generation(text="x" * length)
    assert slot.events == ["send"]
