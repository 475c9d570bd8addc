"""Answers, failures, retries, resuming and stopping."""

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import orjson
import pytest

from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Sample, SampleError, Settings, Transient
from auricle.core.calls import CallRecording, attach_recording
from auricle.core.errors import DataError, Skipped, SpecError
from auricle.core.types import Ability, Ask, Call, Failure, Likelihood, Outcome, Output, Part, Prediction, RejectedRow
from auricle.engine.inferencers import Compare, Converse, Measure, Respond
from auricle.engine.observer import Observer
from auricle.engine.retry import FailFast
from auricle.engine.run_loop import RunLoop
from auricle.media.perturbations.catalogue import parse_chain
from auricle.runs.progress import PassTiming, Progress
from auricle.runs.run_directory import Run
from auricle.runs.sound_measures import SIGNALS_FILE, read_signals
from auricle.tasks.questions.inferencers import Choose
from auricle.testing.models import Echo, FakeApi, FakeReward
from tests.support.calls import make_recording
from tests.support.clocks import FakeClock
from tests.support.run_passes import QUICK, SPEC, Rejecting, error_of, evaluate, journal_lines, run_pass, text_of, texts


@pytest.mark.parametrize("model", [Echo, FakeApi])
def test_batch_and_async_models_give_the_same_answers(tmp_path: Path, model: Any) -> None:
    records = evaluate(tmp_path, texts(300), model())
    assert [text_of(record.outputs[0]) for record in records] == [f"sentence number {number}" for number in range(300)]


def test_transient_errors_are_retried(tmp_path: Path) -> None:
    records = evaluate(tmp_path, texts(20), FakeApi(fail_every=3))
    assert all(record.error is None for record in records)
    assert max(record.attempts for record in records) > 1


class FailsOnce(BatchModel):
    """Fails every request the first time."""

    def __init__(self) -> None:
        self.seen: set[tuple[Part, ...]] = set()

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        new = {request.turns[0].parts for request in batch} - self.seen
        self.seen |= new
        if new:
            raise Transient("warming up")
        return [Generation(text="ok") for _ in batch]


def test_transient_errors_of_a_batch_model_are_retried(tmp_path: Path) -> None:
    records = evaluate(tmp_path, texts(100), FailsOnce())
    assert [record.error for record in records] == [None] * 100


def test_permanent_error_is_not_retried(tmp_path: Path) -> None:
    model = Rejecting()
    (record,) = evaluate(tmp_path, texts(1), model)
    assert (model.calls, record.error) == (1, Failure("SampleError", "400 bad request"))
    assert record.outputs == ()


class ReturnsNone(BatchModel):
    def generate(self, batch: Sequence[Generate]) -> Any:
        return [None for _ in batch]


def test_model_that_returns_none_fails_its_samples(tmp_path: Path) -> None:
    (record,) = evaluate(tmp_path, texts(1), ReturnsNone())
    assert "returned NoneType instead of Generation" in error_of(record).message


def test_rejected_rows_and_duplicates_are_recorded_with_their_location(tmp_path: Path) -> None:
    again = replace(texts(1)[0], target="known")
    rows: list[Sample | RejectedRow] = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON"), again]
    records = evaluate(tmp_path, rows, Echo())
    assert [record.sample.target for record in records if record.error] == [None, "known"]  # bounds need it
    failed = {record.sample.id: record.error.message for record in records if record.error}
    assert failed == {"rejected m.jsonl:3": "not valid JSON", "rejected row 4": "duplicate id '0', first used in row 1"}


def test_missing_audio_fails_only_its_sample(tmp_path: Path, tone: Any) -> None:
    good = Sample(id="good", inputs={"audio": Audio(str(tone("good.wav")))})
    bad = Sample(id="bad", inputs={"audio": Audio(str(tmp_path / "gone.wav"))})
    records = evaluate(tmp_path / "run", [bad, good], Echo(), Respond("{audio}"))
    assert [record.error and record.error.kind for record in records] == ["AudioError", None]


def test_stopped_run_keeps_its_answers_and_can_be_resumed(tmp_path: Path) -> None:
    class StopsTheRun(FakeApi):
        stop: asyncio.Event

        async def generate(self, request: Generate) -> Generation:
            if self.calls == 20:
                self.stop.set()
            return await super().generate(request)

    def create_stop(model: StopsTheRun) -> asyncio.Event:
        model.stop = asyncio.Event()
        return model.stop

    first = evaluate(tmp_path, texts(500), StopsTheRun(), settings=Settings(concurrency=4), stop=create_stop)
    assert 20 <= len(first) < 40
    assert Run.load(tmp_path).read_progress().complete is False
    model = FakeApi()
    assert len(evaluate(tmp_path, texts(500), model)) == 500
    assert model.calls == 500 - len(first)
    assert Run.load(tmp_path).read_progress().complete is True


def test_only_samples_in_flight_are_in_memory(tmp_path: Path) -> None:
    admitted = answered = peak = 0

    class CountsAnswers(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            nonlocal answered
            output = await super().generate(request)
            answered += 1
            return output

    def samples() -> Iterator[Sample]:
        nonlocal admitted, peak
        for sample in texts(500):
            admitted += 1
            peak = max(peak, admitted - answered)
            yield sample

    evaluate(tmp_path, samples(), CountsAnswers(), settings=Settings(concurrency=8))
    assert peak <= 10


class RemoteSamples(list[Sample]):
    """Samples that are read over a network; remembers which threads read them."""

    is_remote = True

    def __init__(self, samples: Sequence[Sample]) -> None:
        super().__init__(samples)
        self.threads: set[str] = set()

    def __iter__(self) -> Iterator[Sample]:
        for sample in super().__iter__():
            self.threads.add(threading.current_thread().name)
            yield sample


@pytest.mark.parametrize("model", [Echo, FakeApi])
def test_remote_rows_are_read_by_a_thread_of_their_own(tmp_path: Path, model: Any) -> None:
    samples = RemoteSamples(texts(300))
    records = evaluate(tmp_path, samples, model())
    assert [text_of(record.outputs[0]) for record in records] == [f"sentence number {number}" for number in range(300)]
    assert samples.threads == {"auricle-rows"}
    assert "auricle-rows" not in {thread.name for thread in threading.enumerate()}


def test_later_turns_contain_earlier_answers(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"turns": ["one", "two"]})

    class RepeatsTheConversation(AsyncModel):
        async def generate(self, request: Generate) -> Generation:
            return Generation(text=" ".join(str(turn.parts[0]) for turn in request.turns))

    (record,) = evaluate(tmp_path, [sample], RepeatsTheConversation(), Converse())
    assert [text_of(output) for output in record.outputs] == ["one", "one one two"]


def test_choose_gives_one_likelihood_per_choice(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"q": "?", "choices": ["a b", "a"]})
    (record,) = evaluate(tmp_path, [sample], Echo(), Choose("{q}"))
    assert [output.total for output in record.outputs if isinstance(output, Likelihood)] == [-1.0, -0.5]


def test_predictions_are_stored_unchanged(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"text": "a waltz", "choices": ["x", "y"]})
    (record,) = evaluate(tmp_path, [sample], FakeReward(), Measure())
    (output,) = record.outputs
    assert isinstance(output, Prediction)
    assert set(output.values) == {"alignment", "musicality"}
    assert output.scale == "continuous"


def test_compare_sends_both_candidates(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"text": "a waltz", "a": "first", "b": "second"})
    (record,) = evaluate(tmp_path, [sample], FakeReward(), Compare())
    first, second = record.outputs
    assert first != second


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), asyncio.CancelledError()])
@pytest.mark.parametrize("base", [AsyncModel, BatchModel])
def test_system_exit_and_similar_fail_only_their_sample(tmp_path: Path, base: Any, error: BaseException) -> None:
    class RaisesOnce(base):  # type: ignore[misc]  # the base is a parameter of the test
        def generate(self, argument: Any) -> Any:
            if base is AsyncModel:
                return self.answer_async(argument)
            return [self.answer(request) for request in argument]

        async def answer_async(self, request: Generate) -> Generation:
            return self.answer(request)

        def answer(self, request: Generate) -> Generation:
            if str(request.turns[0].parts[0]).endswith("3"):
                raise error
            return Generation(text="ok")

    records = evaluate(tmp_path, texts(6), RaisesOnce())
    kinds = [record.error and record.error.kind for record in records]
    assert kinds == [None] * 3 + ["SampleError"] + [None] * 2
    assert type(error).__name__ in error_of(records[3]).message


def test_sample_id_may_equal_the_location_of_a_rejected_row(tmp_path: Path) -> None:
    rows: list[Sample | RejectedRow] = [
        Sample(id="m.jsonl:2", inputs={"question": "x"}),
        RejectedRow("m.jsonl:2", "broken"),
    ]
    assert len(evaluate(tmp_path, rows, Echo())) == 2


def test_skipped_failures_are_reported_to_the_observer(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(4), Rejecting())
    finished = run_pass(tmp_path, texts(4), FakeApi(), settings=Settings(retry_failed=False))
    assert [error_of(record).kind for record in finished.results] == ["SampleError"] * 4


def test_unreadable_data_raises_and_keeps_the_answers(tmp_path: Path) -> None:
    def samples() -> Iterator[Sample]:
        yield from texts(300)
        raise DataError("the file ends in the middle")

    with pytest.raises(DataError, match="ends in the middle"):
        evaluate(tmp_path, samples(), FakeApi(), settings=Settings(concurrency=4))
    assert len(journal_lines(tmp_path)) > 200
    assert Run.load(tmp_path).read_progress() == Progress()


def test_outcomes_of_a_pass_are_counted(tmp_path: Path) -> None:
    class Varied(AsyncModel):
        async def generate(self, request: Generate) -> Generation:
            text = str(request.turns[-1].parts[-1])
            if text.endswith("1"):
                raise Skipped("too long")
            if text.endswith("2"):
                raise SampleError("refused")
            return Generation(text="" if text.endswith("3") else text)

    def count() -> dict[Outcome, int]:
        return dict(run_pass(tmp_path, texts(5), Varied()).outcomes)

    assert count() == {Outcome.ANSWERED: 2, Outcome.SKIPPED: 1, Outcome.FAILED: 1, Outcome.EMPTY: 1}
    assert count() == {Outcome.ANSWERED: 3, Outcome.SKIPPED: 1, Outcome.FAILED: 1}, "stored answers are not read again"


class ReturnsAnything(AsyncModel):
    """Returns the value that a sample names."""

    VALUES: ClassVar[dict[str, Any]] = {
        "good": {"text": "yes"},
        "huge": {"text": "yes", "tokens": 2**70},
        "none": {"text": None},
        "nested": {"text": "yes", "first_token_logprobs": {"a": {"b": 1}}},
        "bytes": {"text": b"yes"},
    }

    async def generate(self, request: Generate) -> Generation:
        return Generation(**self.VALUES[str(request.turns[0].parts[0])])


def test_value_that_cannot_be_stored_costs_its_sample_and_not_the_run(tmp_path: Path) -> None:
    samples = [Sample(id=name, inputs={"question": name}) for name in ReturnsAnything.VALUES]
    records = evaluate(tmp_path, samples, ReturnsAnything())
    failed = {record.sample.id: record.error for record in records if record.error}
    assert failed.keys() == ReturnsAnything.VALUES.keys() - {"good"}
    assert {error.kind for error in failed.values()} == {"SampleError"}


def test_sample_that_cannot_be_stored_fails_with_its_id(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    samples = [Sample(id="deep", inputs={"question": "q"}, meta={"deep": deep}), *texts(1)]
    records = {record.sample.id: record for record in evaluate(tmp_path, samples, FakeApi())}
    assert len(records) == 2
    assert records["deep"].error
    assert "cannot be stored" in records["deep"].error.message


class Slow(AsyncModel):
    """Fails once and then answers, each time after a while."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._has_failed = False

    async def generate(self, request: Generate) -> Generation:
        self._clock.advance(2.34567)
        if not self._has_failed:
            self._has_failed = True
            raise Transient("busy")
        return Generation(text="fine")


def test_record_has_the_time_of_the_model_apart_from_retries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(monkeypatch)

    async def back_off(_: FailFast, seconds: float) -> None:
        clock.advance(10.0)

    monkeypatch.setattr(FailFast, "sleep", back_off)
    (record,) = evaluate(tmp_path, texts(1), Slow(clock))
    assert (record.seconds, record.wait_seconds, record.attempts) == (2.3456, 12.3456, 2)
    (timing,) = Run.load(tmp_path).read_progress().passes
    assert timing == PassTiming(14.69134, 1, 0.0, 2.34567)


class SlowBatches(BatchModel):
    batch_size = 2

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        self._clock.advance(6.0)
        return [Generation(text="fine")] * len(batch)


def test_samples_of_a_batch_share_its_time_and_wait_for_the_batches_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = evaluate(tmp_path, texts(4), SlowBatches(FakeClock(monkeypatch)))
    assert [record.seconds for record in records] == [3.0] * 4
    assert sorted(record.wait_seconds or 0.0 for record in records) == [0.0, 0.0, 6.0, 6.0]
    (timing,) = Run.load(tmp_path).read_progress().passes
    assert (timing.wall_seconds, timing.model_seconds) == (12.0, 12.0)


@pytest.mark.parametrize(("template", "is_reported"), [("{question}", True), ("{audio}{question}", False)])
def test_audio_that_no_request_contains_is_recorded(
    tmp_path: Path, tone: Any, template: str, is_reported: bool
) -> None:
    heard = Sample(id="heard", inputs={"audio": Audio.of(tone("a.wav")), "question": "What?"})
    samples = [heard, Sample(id="text", inputs={"question": "What?", "audio": "none"})]
    finished = run_pass(tmp_path / "run", samples, FakeApi(), Respond(template))
    assert {record.sample.id: record.audio_not_sent for record in finished.results} == {
        "heard": is_reported,
        "text": False,
    }
    assert finished.loop.audio_not_sent == is_reported


def test_audio_that_cannot_be_read_counts_as_failed_and_not_as_unsent(tmp_path: Path) -> None:
    sample = Sample(id="a", inputs={"audio": Audio("missing.wav"), "question": "What?"})
    (record,) = evaluate(tmp_path / "run", [sample], FakeApi())
    assert record.error
    assert not record.audio_not_sent


# --- the state of the run --------------------------------------------------------------------


def test_progress_counts_the_rows_that_were_read(tmp_path: Path) -> None:
    evaluate(tmp_path, [*texts(3), RejectedRow("m.jsonl:4", "not valid JSON")], Echo())
    progress = Run.load(tmp_path).read_progress()
    assert (progress.complete, progress.rows, len(progress.passes)) == (True, 4, 1)


def test_a_pass_that_is_stopped_at_once_reads_no_row(tmp_path: Path) -> None:
    def already_stopped(_: Any) -> asyncio.Event:
        stop = asyncio.Event()
        stop.set()
        return stop

    rows = [RejectedRow("m.jsonl:1", "not valid JSON")]
    assert evaluate(tmp_path, rows, Echo(), stop=already_stopped) == []
    progress = Run.load(tmp_path).read_progress()
    assert (progress.complete, progress.rows) == (False, 0)


def test_progress_states_from_the_start_how_many_rows_there_are(tmp_path: Path) -> None:
    during: list[int | None] = []

    class Looks(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            during.append(Run.load(tmp_path).read_progress().total)
            return await super().generate(request)

    evaluate(tmp_path, texts(9), Looks(), settings=Settings(limit=4))
    assert during == [4] * 4
    assert Run.load(tmp_path).read_progress().total == 4


def test_progress_states_that_a_stop_waits_for_requests_in_flight(tmp_path: Path) -> None:
    stop = asyncio.Event()
    during: list[bool] = []

    class Stops(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            stop.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            during.append(Run.load(tmp_path).read_progress().stopping)
            return await super().generate(request)

    evaluate(tmp_path, texts(3), Stops(), stop=lambda _: stop, settings=Settings(concurrency=1))
    assert during == [True]
    progress = Run.load(tmp_path).read_progress()
    assert (progress.stopping, progress.rows, progress.total) == (False, 1, 3)


def test_a_run_is_unfinished_during_a_pass_and_keeps_the_timing_of_earlier_ones(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(2), Echo())
    before = Run.load(tmp_path).read_progress()
    during: list[Progress] = []

    def samples() -> Iterator[Sample]:
        during.append(Run.load(tmp_path).read_progress())
        yield from texts(3)

    evaluate(tmp_path, samples(), Echo())
    assert during == [Progress(passes=before.passes)]
    after = Run.load(tmp_path).read_progress()
    assert (after.passes[0], len(after.passes)) == (before.passes[0], 2)


class UsesUpItsQuota(AsyncModel):
    async def generate(self, request: Generate) -> Generation:
        raise Transient("429 from the server", retry_after=86_400.0)


def test_a_server_without_quota_stops_the_run_and_the_reason_is_known(tmp_path: Path) -> None:
    stop = asyncio.Event()
    loop = run_pass(tmp_path, texts(2), UsesUpItsQuota(), stop=lambda _: stop).loop
    assert stop.is_set()
    assert loop.stop_reason == "the quota of the server is used up (Retry-After: 86,400 s): 429 from the server"
    assert Run.load(tmp_path).read_progress().complete is False
    assert journal_lines(tmp_path) == [], "the samples were not answered, and did not fail"


def test_error_of_the_spec_ends_the_run(tmp_path: Path) -> None:
    class NeedsAKey(AsyncModel):
        async def generate(self, request: Generate) -> Generation:
            raise SpecError("no API key")

    with pytest.raises(SpecError, match="no API key"):
        evaluate(tmp_path, texts(2), NeedsAKey())
    assert journal_lines(tmp_path) == []


def test_answers_are_on_disk_when_a_pass_ends(tmp_path: Path) -> None:
    with Run.open(tmp_path, SPEC) as run:
        loop = RunLoop(Respond("{question}"), texts(3), run, QUICK, Observer())
        asyncio.run(loop.run(Echo(), asyncio.Event()))
        assert len(journal_lines(tmp_path)) == 3


def test_the_inferencer_is_closed_after_a_pass(tmp_path: Path) -> None:
    class Closable(Respond):
        closed: ClassVar[list[str]] = []

        async def close(self) -> None:
            self.closed.append("closed")

    evaluate(tmp_path, texts(1), Echo(), Closable("{question}"))
    assert Closable.closed == ["closed"]


def test_threads_that_read_files_end_with_the_pass(tmp_path: Path, tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.core.adaptive_executor.MAX_INLINE_SECONDS", 0.0)  # every call takes too long
    clip = Audio(str(tone("a.wav", seconds=0.1)))
    samples = [Sample(id=str(number), inputs={"audio": clip}) for number in range(3)]
    readers: list[threading.Thread] = []

    class ListsThreads(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            readers.extend(thread for thread in threading.enumerate() if thread.name.startswith("auricle-read"))
            return await super().generate(request)

    finished = run_pass(tmp_path / "run", samples, ListsThreads(), Respond("{audio}"))
    assert readers
    for thread in readers:
        thread.join(1.0)
    assert not any(thread.is_alive() for thread in readers), finished.loop


def test_model_gets_perturbed_audio_and_the_run_stores_the_reference(tmp_path: Path) -> None:
    received: list[Audio] = []

    class Listener(BatchModel):
        def generate(self, batch: Sequence[Generate]) -> list[Generation]:
            received.extend(request.audios[0] for request in batch)
            return [Generation(text=f"{len(request.audios[0].decode())} samples") for request in batch]

    audio = Audio.of(np.linspace(-0.1, 0.1, 800, dtype=np.float32), rate=8000)
    noisy = replace(audio, perturbation=parse_chain("noise:snr=10", "0|1"))
    (record,) = evaluate(tmp_path, [Sample(id="1", inputs={"audio": noisy})], Listener(), Respond("{audio}"))
    assert text_of(record.outputs[0]) == "800 samples"
    assert np.array_equal(received[0].decode(), noisy.decode())
    assert received[0].hash == noisy.hash
    assert record.sample.inputs["audio"].perturbation == noisy.perturbation  # type: ignore[union-attr]
    (line,) = (tmp_path / SIGNALS_FILE).read_bytes().splitlines()
    stored = orjson.loads(line)
    assert stored["key"] == record.key
    assert stored["realised"]["snr"] == pytest.approx(10, abs=0.1)


def test_recordings_are_measured_while_the_run_goes_on(tmp_path: Path) -> None:
    class Slow(BatchModel):
        def generate(self, batch: Sequence[Generate]) -> list[Generation]:
            while not read_signals(tmp_path):  # the run lasts until a recording is measured
                time.sleep(0.01)
            return [Generation(text="ok") for _ in batch]

    audio = Audio.of(np.full(800, 0.1, dtype=np.float32), rate=8000)
    (record,) = evaluate(tmp_path, [Sample(id="1", inputs={"audio": audio})], Slow(), Respond("{audio}"))
    assert read_signals(tmp_path)[record.key].level == pytest.approx(-20, abs=0.01)


# --- calls ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HoldsCall:
    """An inferencer that holds one call without steps."""

    needs: ClassVar[Ability] = "call"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(Call(steps=(), language=sample.id)),)


class Agent(AsyncModel):
    """Answers calls, except those of a sample whose connection is lost."""

    async def call(self, request: Call) -> CallRecording:
        if request.language != "lost":
            return make_recording()
        error = Transient("connection lost")
        attach_recording(error, make_recording(audio=None))
        raise error


def test_a_call_that_fails_keeps_its_event_log_and_is_called_again(tmp_path: Path) -> None:
    samples = [Sample(id=name, inputs={"script": name}) for name in ("a", "lost")]
    run_pass(tmp_path, samples, Agent(), HoldsCall())
    records = {record.sample.id: record for record in Run.load(tmp_path).records()}
    message = error_of(records["lost"]).message
    assert re.fullmatch(r"connection lost \(events until then: calls/lost-\w+\.jsonl\)", message)
    log = tmp_path / message[message.index("calls/") : -1]
    assert log.read_bytes().count(b"\n") == len(make_recording().events)
    assert records["a"].outcome is Outcome.ANSWERED
    assert sorted(path.suffix for path in (tmp_path / "calls").glob("a-*")) == [".flac", ".jsonl"]


def test_a_rejected_row_keeps_its_id_unless_another_row_has_it(tmp_path: Path) -> None:
    valid = Sample(id="1", inputs={"question": "a"}, target="a")
    rejected = [RejectedRow(f"m.csv:{line}", "no", id=name, meta={"size": line}) for line, name in ((3, "2"), (4, "1"))]
    run_pass(tmp_path, [valid, *rejected], Echo())
    records = sorted(Run.load(tmp_path).records(), key=lambda record: record.row)
    assert [record.sample.id for record in records] == ["1", "2", "rejected m.csv:4"]
    assert [record.sample.meta for record in records[1:]] == [{"size": 3}, {"size": 4}]
