"""Answers, failures, retries, resuming and stopping."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Sample, SampleError, Settings, Transient
from auricle.core.errors import DataError, Skipped
from auricle.core.types import Failure, Json, Likelihood, Outcome, Output, Part, Prediction, Record, RejectedRow
from auricle.engine.observer import Observer
from auricle.engine.run_loop import RunLoop, has_all_answers
from auricle.models.base import Model
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.tasks.inferencers import Choose, Compare, Converse, Inferencer, Measure, Respond
from auricle.testing.models import Echo, FakeApi, FakeReward

SPEC = RunSpec(identity={}, spec={})
QUICK = Settings(initial_backoff=0.001)


def texts(size: int) -> list[Sample]:
    return [
        Sample(id=str(number), inputs={"question": f"sentence number {number}"}, target=str(number))
        for number in range(size)
    ]


def evaluate(
    path: Path,
    samples: Iterable[Sample | RejectedRow],
    model: Model,
    inferencer: Inferencer | None = None,
    settings: Settings = QUICK,
    stop: Callable[[Any], asyncio.Event] | None = None,
) -> list[Record]:
    async def main() -> None:
        loop = RunLoop(inferencer or Respond("{question}"), model, run, settings, Observer())
        await loop.run(samples, stop(model) if stop else asyncio.Event())

    with Run.open(path, SPEC) as run:
        asyncio.run(main())
    return sorted(Run.load(path).records(), key=lambda record: record.row)


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


def error_of(record: Record) -> Failure:
    assert record.error
    return record.error


def journal_lines(path: Path) -> list[str]:
    return (path / "outputs.jsonl").read_text().splitlines()


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


class Rejecting(AsyncModel):
    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        raise SampleError("400 bad request")


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


def test_resume_skips_answered_samples(tmp_path: Path) -> None:
    first, second = FakeApi(), FakeApi()
    evaluate(tmp_path, texts(8), first)
    evaluate(tmp_path, texts(12), second)
    assert (first.calls, second.calls) == (8, 4)
    assert len(journal_lines(tmp_path)) == 12


def test_resume_retries_failed_samples(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(8), Rejecting())
    records = evaluate(tmp_path, texts(8), FakeApi())
    assert [record.error for record in records] == [None] * 8


def test_resume_can_skip_failed_samples(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(8), Rejecting())
    model = FakeApi()
    evaluate(tmp_path, texts(8), model, settings=Settings(retry_failed=False))
    assert model.calls == 0


def test_changed_question_is_sent_again(tmp_path: Path) -> None:
    samples = texts(3)
    evaluate(tmp_path, samples, FakeApi())
    samples[1] = Sample(id="1", inputs={"question": "another"}, target="1")
    model = FakeApi()
    records = evaluate(tmp_path, samples, model)
    assert model.calls == 1
    assert text_of(records[1].outputs[0]) == "another"


def test_changed_audio_file_is_sent_again(tmp_path: Path, tone: Any) -> None:
    path = tone("a.wav", seconds=0.1)
    samples = [Sample(id="1", inputs={"audio": Audio(str(path))})]
    inferencer = Respond("{audio}")
    evaluate(tmp_path / "run", samples, FakeApi(), inferencer)
    tone("a.wav", seconds=0.2)
    model = FakeApi()
    evaluate(tmp_path / "run", samples, model, inferencer)
    assert model.calls == 1


def test_corrected_target_keeps_the_answer(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(3), FakeApi())
    samples = texts(3)
    samples[2] = Sample(id="2", inputs=samples[2].inputs, target="corrected")
    model = FakeApi()
    records = evaluate(tmp_path, samples, model)
    assert model.calls == 0
    assert records[2].sample.target == "corrected"
    assert text_of(records[2].outputs[0]) == "sentence number 2"


def test_sample_removed_from_the_data_is_left_out(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(5), FakeApi())
    records = evaluate(tmp_path, texts(3), FakeApi())
    assert [record.sample.id for record in records] == ["0", "1", "2"]


def test_limit_keeps_earlier_answers(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(5), FakeApi())
    records = evaluate(tmp_path, texts(5), FakeApi(), settings=Settings(limit=2))
    assert len(records) == 5


def test_rejected_rows_and_duplicates_are_recorded_with_their_location(tmp_path: Path) -> None:
    rows: list[Sample | RejectedRow] = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON"), *texts(1)]
    records = evaluate(tmp_path, rows, Echo())
    failed = {record.sample.id: record.error.message for record in records if record.error}
    assert failed == {"rejected m.jsonl:3": "not valid JSON", "rejected row 4": "duplicate id '0', first used in row 1"}


def test_resume_does_not_record_rejected_rows_twice(tmp_path: Path) -> None:
    rows: list[Sample | RejectedRow] = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON")]
    evaluate(tmp_path, rows, Echo())
    evaluate(tmp_path, rows, Echo())
    assert len(journal_lines(tmp_path)) == 3


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
    observed: list[str] = []

    class Collects(Observer):
        def on_result(self, result: Record, /) -> None:
            assert isinstance(result, Record)
            observed.append(error_of(result).kind)

    async def main(run: Run) -> None:
        settings = Settings(retry_failed=False)
        await RunLoop(Respond("{question}"), FakeApi(), run, settings, Collects()).run(texts(4), asyncio.Event())

    with Run.open(tmp_path, SPEC) as run:
        asyncio.run(main(run))
    assert observed == ["SampleError"] * 4


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

    async def run_pass(run: Run) -> dict[Outcome, int]:
        loop = RunLoop(Respond("{question}"), Varied(), run, Settings(), Observer())
        return dict(await loop.run(texts(5), asyncio.Event()))

    def count() -> dict[Outcome, int]:
        with Run.open(tmp_path, SPEC) as run:
            return asyncio.run(run_pass(run))

    assert count() == {Outcome.ANSWERED: 2, Outcome.SKIPPED: 1, Outcome.FAILED: 1, Outcome.EMPTY: 1}
    assert count() == {Outcome.ANSWERED: 3, Outcome.SKIPPED: 1, Outcome.FAILED: 1}, "stored answers are not read again"


def test_duration_of_a_sample_is_truncated_to_a_tenth_of_a_millisecond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((100.0, 100.512_39))
    monkeypatch.setattr("auricle.engine.run_loop.time.perf_counter", lambda: next(clock))
    (record,) = evaluate(tmp_path, texts(1), FakeApi())
    assert record.seconds == 0.5123


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


def test_record_has_the_seconds_from_request_to_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 12.34567])
    monkeypatch.setattr("auricle.engine.run_loop.time.perf_counter", lambda: next(times))
    (record,) = evaluate(tmp_path, texts(1), Echo())
    assert record.seconds == 2.3456
    (timing,) = Run.load(tmp_path).read_progress().passes
    assert (timing.wall_seconds, timing.samples) == (2.34567, 1)


class CountingApi(AsyncModel):
    """Counts requests."""

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        return Generation(text="heard")


class WithContext(Respond):
    """Sends a field of the metadata with every request."""

    def sample_context(self, sample: Sample) -> dict[str, Json]:
        return {"speaker": sample.meta["speaker"]}


def spoken(path: Path, speaker: str) -> list[Sample]:
    return [Sample(id="1", inputs={"audio": Audio(str(path))}, meta={"speaker": speaker})]


@pytest.mark.parametrize("inferencer", [Respond("{audio}"), WithContext("{audio}")])
def test_unchanged_audio_is_not_sent_again(tmp_path: Path, tone: Any, inferencer: Respond) -> None:
    model, path = CountingApi(), tone("a.wav", seconds=0.25)
    for _ in range(3):
        (record,) = evaluate(tmp_path / "run", spoken(path, "a"), model, inferencer)
        assert (record.audio_seconds, record.attempts, record.cached) == (0.25, 1, 0)
    assert model.calls == 1
    assert len(journal_lines(tmp_path / "run")) == 1


def test_audio_with_another_context_is_sent_again(tmp_path: Path, tone: Any) -> None:
    model, path = CountingApi(), tone("a.wav", seconds=0.25)
    evaluate(tmp_path / "run", spoken(path, "a"), model, Respond("{audio}"))
    evaluate(tmp_path / "run", spoken(path, "b"), model, Respond("{audio}"))
    assert model.calls == 1, "metadata that is not sent"
    evaluate(tmp_path / "other", spoken(path, "a"), model, WithContext("{audio}"))
    evaluate(tmp_path / "other", spoken(path, "b"), model, WithContext("{audio}"))
    assert model.calls == 3


def numbered(questions: Sequence[str]) -> list[Sample]:
    """Samples of rows without ids."""
    return [Sample(id=str(row), inputs={"question": text}, target=text) for row, text in enumerate(questions)]


@pytest.mark.parametrize("changed", [["new", "a", "b", "b", "c"], ["b", "b", "c"], ["c", "b", "a", "b"]])
def test_answers_follow_rows_that_are_numbered_anew(tmp_path: Path, changed: list[str]) -> None:
    evaluate(tmp_path, numbered(["a", "b", "b", "c"]), Echo())
    model = CountingModel()
    records = evaluate(tmp_path, numbered(changed), model)
    assert model.requests == [text for text in changed if text == "new"]
    assert [text_of(record.outputs[0]) for record in records] == changed
    assert [record.sample.target for record in records] == changed


def test_an_answer_is_not_used_for_a_second_row_with_the_same_content(tmp_path: Path) -> None:
    evaluate(tmp_path, numbered(["a"]), Echo())
    model = CountingModel()
    evaluate(tmp_path, numbered(["a", "a"]), model)
    assert model.requests == ["a"]


class CountingModel(BatchModel):
    """Echoes, and lists what it was asked."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        self.requests += [request.text for request in batch]
        return [Generation(text=request.text) for request in batch]


def test_moved_row_keeps_its_answer_and_is_stored_again_once(tmp_path: Path) -> None:
    model = CountingApi()
    evaluate(tmp_path, texts(2), model)
    for _ in range(2):
        records = evaluate(tmp_path, texts(2)[::-1], model)
        assert [record.sample.id for record in records] == ["1", "0"]
    assert model.calls == 2
    assert len(journal_lines(tmp_path)) == 4


@pytest.mark.parametrize(("template", "is_reported"), [("{question}", True), ("{audio}{question}", False)])
def test_audio_that_no_request_contains_is_recorded(
    tmp_path: Path, tone: Any, template: str, is_reported: bool
) -> None:
    heard = Sample(id="heard", inputs={"audio": Audio.of(tone("a.wav")), "question": "What?"})
    samples = [heard, Sample(id="text", inputs={"question": "What?", "audio": "none"})]
    records = evaluate(tmp_path / "run", samples, FakeApi(), Respond(template))
    assert [record.audio_not_sent for record in records] == [is_reported, False]


def test_audio_that_cannot_be_read_counts_as_failed_and_not_as_unsent(tmp_path: Path) -> None:
    sample = Sample(id="a", inputs={"audio": Audio("missing.wav"), "question": "What?"})
    (record,) = evaluate(tmp_path / "run", [sample], FakeApi())
    assert record.error
    assert not record.audio_not_sent


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("none", True),
        ("target", True),
        ("question", False),
        ("another row", False),
        ("unfinished", False),
        ("read once", False),
    ],
)
def test_a_finished_run_needs_a_model_only_for_other_content(tmp_path: Path, change: str, expected: bool) -> None:
    evaluate(tmp_path / "run", texts(3), Echo())
    samples = texts(4) if change == "another row" else texts(3)
    if change in ("target", "question"):
        changed = {"target": "other"} if change == "target" else {"inputs": {"question": "other"}}
        samples[1] = replace(samples[1], **changed)
    run = Run.load(tmp_path / "run")
    if change == "unfinished":
        run.write_progress(Progress(complete=False))
    data = iter(samples) if change == "read once" else samples
    assert has_all_answers(data, run, Respond("{question}"), QUICK) is expected


@pytest.mark.parametrize(("retry_failed", "expected"), [(True, False), (False, True)])
def test_a_finished_run_needs_a_model_for_failures_that_are_retried(
    tmp_path: Path, retry_failed: bool, expected: bool
) -> None:
    audio = Sample(id="0", inputs={"audio": Audio(str(tmp_path / "missing.wav"))})
    evaluate(tmp_path / "run", [audio], Echo(), Respond("{audio}"))
    settings = Settings(retry_failed=retry_failed)
    assert has_all_answers([audio], Run.load(tmp_path / "run"), Respond("{audio}"), settings) is expected
