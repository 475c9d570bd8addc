"""What a later pass over the same or changed data keeps, and what it sends again."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Sample, Settings
from auricle.core.calls import CallRecording
from auricle.core.types import Call, Json, Outcome, RejectedRow
from auricle.engine.inferencers import Inferencer, Respond
from auricle.engine.observer import Observer
from auricle.engine.run_loop import RunLoop
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.tasks.calls.call_scripts import CallScript, CallSettings
from auricle.tasks.calls.inferencers import HoldCall
from auricle.testing.models import Echo, FakeApi
from tests.support.calls import make_recording
from tests.support.run_passes import (
    QUICK,
    SPEC,
    FinishedPass,
    Rejecting,
    evaluate,
    journal_lines,
    run_pass,
    text_of,
    texts,
)

SCRIPT = CallScript.build((), CallSettings(), lambda _: Audio("none.wav")).document


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


def test_resume_keeps_dropped_calls_unless_they_are_to_be_called_again(tmp_path: Path) -> None:
    class Agent(AsyncModel):
        finishes = iter(("dropped", "completed"))

        async def call(self, request: Call) -> CallRecording:
            return make_recording(audio=None, finish=next(self.finishes))

    agent, samples = Agent(), [Sample(id="1", inputs={"script": SCRIPT})]
    passes = [
        [record.outcome for record in evaluate(tmp_path, samples, agent, HoldCall(), settings)]
        for settings in (QUICK, QUICK, replace(QUICK, retry_dropped=1), QUICK)
    ]
    assert passes == [[Outcome.DROPPED], [Outcome.DROPPED], [Outcome.ANSWERED], [Outcome.ANSWERED]]


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


def test_limit_leaves_out_earlier_answers_and_keeps_them(tmp_path: Path) -> None:
    model = FakeApi()
    evaluate(tmp_path, texts(5), model)
    sizes = [len(evaluate(tmp_path, texts(5), model, settings=Settings(limit=limit))) for limit in (2, 3, None)]
    assert (sizes, model.calls) == ([2, 3, 5], 5)


def test_sample_that_other_rows_displaced_is_left_out_until_the_limit_reaches_it(tmp_path: Path) -> None:
    a, b, c = texts(3)
    model = FakeApi()
    for samples, limit in (([a, b, c], 2), ([a, c, b], 2), ([a, b, c], 2), ([c, a, b], 2), ([c, a, b], 3), ([b], 3)):
        records = evaluate(tmp_path, samples, model, settings=Settings(limit=limit))
        assert [record.sample.id for record in records] == [sample.id for sample in samples[:limit]]
    assert model.calls == 3


def test_resume_reports_rejected_rows_and_does_not_record_them_twice(tmp_path: Path) -> None:
    rows: list[Sample | RejectedRow] = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON")]
    evaluate(tmp_path, rows, Echo())
    second = run_pass(tmp_path, rows, Echo())
    assert len(journal_lines(tmp_path)) == 3
    assert second.outcomes == {Outcome.ANSWERED: 2, Outcome.FAILED: 1}
    assert [record.sample.id for record in second.results] == ["rejected m.jsonl:3"]
    assert second.skipped == 2


def test_rejected_row_with_another_reason_or_row_is_recorded_again(tmp_path: Path) -> None:
    for row in (RejectedRow("m.jsonl:3", "not valid JSON"), RejectedRow("m.jsonl:3", "no question")):
        evaluate(tmp_path, [row], Echo())
    assert len(journal_lines(tmp_path)) == 2
    (_, record) = evaluate(tmp_path, [*texts(1), row], Echo())
    assert (record.row, len(journal_lines(tmp_path))) == (1, 4)


def test_a_row_keeps_its_own_answer_if_another_one_has_the_same_content(tmp_path: Path) -> None:
    class Numbers(CountingApi):
        async def generate(self, request: Generate) -> Generation:
            await super().generate(request)
            return Generation(text=str(self.calls))

    first, second = (Sample(id=name, inputs={"question": "same"}) for name in "ab")
    settings = Settings(concurrency=1)
    evaluate(tmp_path, [first, second], Numbers(), settings=settings)
    (record,) = evaluate(tmp_path, [second], Numbers(), settings=settings)
    assert (record.sample.id, text_of(record.outputs[0])) == ("b", "2")


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
    for earlier in (0, 1, 1):
        finished = run_pass(tmp_path / "run", spoken(path, "a"), model, inferencer)
        assert (finished.outcomes, finished.skipped) == ({Outcome.ANSWERED: 1}, earlier)
        (record,) = Run.load(tmp_path / "run").records()
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


def needs_model(
    path: Path, samples: Iterable[Sample | RejectedRow], inferencer: Inferencer, settings: Settings = QUICK
) -> bool:
    with Run.open(path, SPEC) as run, RunLoop(inferencer, samples, run, settings, Observer()) as loop:
        answer = loop.needs_model()
        run.write_progress(Progress(complete=True))
        return answer


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("none", False),
        ("target", False),
        ("question", True),
        ("another row", True),
        ("unfinished", True),
        ("read once", False),
    ],
)
def test_a_finished_run_needs_a_model_only_for_other_content(tmp_path: Path, change: str, expected: bool) -> None:
    evaluate(tmp_path / "run", texts(3), Echo())
    samples = texts(4) if change == "another row" else texts(3)
    if change in ("target", "question"):
        changed = {"target": "other"} if change == "target" else {"inputs": {"question": "other"}}
        samples[1] = replace(samples[1], **changed)
    if change == "unfinished":
        Run.load(tmp_path / "run").write_progress(Progress(complete=False))
    data = iter(samples) if change == "read once" else samples
    assert needs_model(tmp_path / "run", data, Respond("{question}")) is expected


@pytest.mark.parametrize("retry_failed", [True, False])
def test_a_finished_run_needs_a_model_for_failures_that_are_retried(tmp_path: Path, retry_failed: bool) -> None:
    audio = Sample(id="0", inputs={"audio": Audio(str(tmp_path / "missing.wav"))})
    evaluate(tmp_path / "run", [audio], Echo(), Respond("{audio}"))
    settings = Settings(retry_failed=retry_failed)
    assert needs_model(tmp_path / "run", [audio], Respond("{audio}"), settings) is retry_failed


def test_a_finished_run_needs_a_model_for_another_context_and_for_files_that_are_gone(
    tmp_path: Path, tone: Any
) -> None:
    path, inferencer = tone("a.wav", seconds=0.1), WithContext("{audio}")
    evaluate(tmp_path / "run", spoken(path, "a"), Echo(), inferencer)
    assert not needs_model(tmp_path / "run", spoken(path, "a"), inferencer)
    assert needs_model(tmp_path / "run", spoken(path, "b"), inferencer)
    path.unlink()
    assert needs_model(tmp_path / "run", spoken(path, "a"), inferencer)


@pytest.mark.parametrize(("changed_row", "calls"), [(None, 0), (4, 1)])
def test_a_finished_run_is_read_once_whether_it_needs_a_model_or_not(
    tmp_path: Path, changed_row: int | None, calls: int
) -> None:
    evaluate(tmp_path, texts(6), Echo())
    samples, rows_read = texts(6), []
    if changed_row is not None:
        samples[changed_row] = replace(samples[changed_row], inputs={"question": "other"})

    def read() -> Iterator[Sample]:
        for sample in samples:
            rows_read.append(sample.id)
            yield sample

    model, observer = FakeApi(), FinishedPass()
    with Run.open(tmp_path, SPEC) as run, RunLoop(Respond("{question}"), read(), run, QUICK, observer) as loop:
        assert loop.needs_model() is (changed_row is not None)
        assert not run.read_progress().complete, "a pass that is killed here is resumed"
        outcomes = asyncio.run(loop.run(model, asyncio.Event()))
        assert run.read_progress().complete
        assert run.read_progress().rows == 6
    assert rows_read == [str(number) for number in range(6)]
    assert (model.calls, len(observer.results), observer.skipped) == (calls, calls, 6 - calls)
    assert outcomes == {Outcome.ANSWERED: 6}
    assert len(journal_lines(tmp_path)) == 6 + calls


def test_changed_rows_of_a_finished_run_are_sent_in_their_order(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(6), Echo())
    samples = [replace(sample, inputs={"question": f"other {sample.id}"}) for sample in texts(6)]
    samples[:2], observer = texts(2), FinishedPass()
    settings = replace(QUICK, concurrency=1)
    with Run.open(tmp_path, SPEC) as run, RunLoop(Respond("{question}"), samples, run, settings, observer) as loop:
        assert loop.needs_model()
        asyncio.run(loop.run(FakeApi(), asyncio.Event()))
    assert [record.sample.id for record in observer.results] == ["2", "3", "4", "5"]


@pytest.mark.parametrize(("level", "lines"), [(1, 1), (True, 2), (1.0, 2), ("1", 2)])
def test_metadata_that_is_equal_but_of_another_type_is_stored_again(tmp_path: Path, level: Json, lines: int) -> None:
    sample = Sample(id="0", inputs={"question": "x"}, target="x", meta={"level": 1})
    evaluate(tmp_path, [sample], Echo())
    (record,) = evaluate(tmp_path, [replace(sample, meta={"level": level})], Echo())
    assert len(journal_lines(tmp_path)) == lines
    assert type(record.sample.meta["level"]) is type(level)
