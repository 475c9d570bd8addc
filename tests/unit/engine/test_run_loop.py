"""One loop: answers, failures, retries, resuming, stopping."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import AsyncModel, Audio, BatchModel, Generate, Generation, Sample, SampleError, Settings, Transient, Turn
from auricle.api import NullObserver
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.engine.run_loop import RunLoop, send_once
from auricle.runs.run_directory import Run
from auricle.tasks.inferencers import Choose, Compare, Converse, Measure, Respond
from auricle.testing.models import Echo, FakeApi, FakeReward

SPEC = {"identity": {}, "spec": {}}
QUICK = Settings(initial_backoff=0.001)


def texts(size: Any) -> Any:
    return [Sample(id=str(at), inputs={"question": f"sentence number {at}"}, target=str(at)) for at in range(size)]


def evaluate(
    path: Any, samples: Any, model: Any, inferencer: Any = None, settings: Any = QUICK, stop: Any = None
) -> Any:
    async def main() -> None:
        one_pass = RunLoop(inferencer or Respond("{question}"), model, run, settings, NullObserver())
        await one_pass.run(samples, stop(model) if stop else asyncio.Event())

    with Run.open(path, SPEC) as run:
        asyncio.run(main())
    return sorted(Run.load(path).records(), key=lambda record: record.row)


def lines(path: Any) -> Any:
    return (path / "outputs.jsonl").read_text().splitlines()


@pytest.mark.parametrize("model", [Echo, FakeApi])
def test_batch_and_async_models_take_one_road(tmp_path: Path, model: Any) -> None:
    records = evaluate(tmp_path, texts(300), model())
    assert [r.outputs[0].text for r in records] == [f"sentence number {at}" for at in range(300)]


def test_transient_errors_are_retried(tmp_path: Path) -> None:
    records = evaluate(tmp_path, texts(20), FakeApi(fail_every=3))
    assert all(record.error is None for record in records)
    assert max(record.attempts for record in records) > 1


class FailsOnce(BatchModel):
    """Every request fails the first time."""

    def __init__(self) -> None:
        self.seen = set()

    def generate(self, batch: Any) -> Any:
        new = {each.turns[0].parts for each in batch} - self.seen
        self.seen |= new
        if new:
            raise Transient("warming up")
        return [Generation(text="ok") for _ in batch]


def test_a_batch_model_is_retried_too(tmp_path: Path) -> None:
    records = evaluate(tmp_path, texts(100), FailsOnce())
    assert [record.error for record in records] == [None] * 100


class Refuses(AsyncModel):
    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: Any) -> None:
        self.calls += 1
        raise SampleError("400 bad request")


def test_an_error_that_will_not_pass_is_not_retried(tmp_path: Path) -> None:
    model = Refuses()
    (record,) = evaluate(tmp_path, texts(1), model)
    assert (model.calls, record.error.kind, record.error.message) == (1, "SampleError", "400 bad request")
    assert record.outputs == ()


class Careless(BatchModel):
    def generate(self, batch: Any) -> Any:
        return [None for _ in batch]


def test_a_model_that_returns_nothing_fails_its_samples_by_name(tmp_path: Path) -> None:
    (record,) = evaluate(tmp_path, texts(1), Careless())
    assert "returned NoneType where Generation was due" in record.error.message


def test_finished_samples_are_not_asked_again(tmp_path: Path) -> None:
    first, second = FakeApi(), FakeApi()
    evaluate(tmp_path, texts(8), first)
    evaluate(tmp_path, texts(12), second)
    assert (first.calls, second.calls) == (8, 4)
    assert len(lines(tmp_path)) == 12


def test_failed_samples_are_asked_again_on_resume(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(8), Refuses())
    records = evaluate(tmp_path, texts(8), FakeApi())
    assert [record.error for record in records] == [None] * 8


def test_failed_samples_can_be_kept(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(8), Refuses())
    model = FakeApi()
    evaluate(tmp_path, texts(8), model, settings=Settings(retry_failed=False))
    assert model.calls == 0


def test_a_changed_question_is_asked_again(tmp_path: Path) -> None:
    samples = texts(3)
    evaluate(tmp_path, samples, FakeApi())
    samples[1] = Sample(id="1", inputs={"question": "another"}, target="1")
    model = FakeApi()
    records = evaluate(tmp_path, samples, model)
    assert model.calls == 1
    assert records[1].outputs[0].text == "another"


def test_a_changed_sound_behind_the_same_name_is_asked_again(tmp_path: Path, tone: Any) -> None:
    path = tone("a.wav", seconds=0.1)
    samples = [Sample(id="1", inputs={"audio": Audio(str(path))})]
    ask = Respond("{audio}")
    evaluate(tmp_path / "run", samples, FakeApi(), ask)
    tone("a.wav", seconds=0.2)
    model = FakeApi()
    evaluate(tmp_path / "run", samples, model, ask)
    assert model.calls == 1


def test_a_corrected_target_keeps_the_answer(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(3), FakeApi())
    samples = texts(3)
    samples[2] = Sample(id="2", inputs=samples[2].inputs, target="corrected")
    model = FakeApi()
    records = evaluate(tmp_path, samples, model)
    assert model.calls == 0
    assert records[2].sample.target == "corrected"
    assert records[2].outputs[0].text == "sentence number 2"


def test_a_sample_that_left_the_data_is_left_out(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(5), FakeApi())
    records = evaluate(tmp_path, texts(3), FakeApi())
    assert [record.sample.id for record in records] == ["0", "1", "2"]


def test_a_limit_forgets_nobody(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(5), FakeApi())
    records = evaluate(tmp_path, texts(5), FakeApi(), settings=Settings(limit=2))
    assert len(records) == 5


def test_rejected_rows_and_duplicates_are_counted_with_their_place(tmp_path: Path) -> None:
    rows = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON"), *texts(1)]
    records = evaluate(tmp_path, rows, Echo())
    failed = {record.sample.id: record.error.message for record in records if record.error}
    assert failed == {"rejected m.jsonl:3": "not valid JSON", "rejected row 4": "duplicate id '0', first used in row 1"}


def test_resuming_does_not_write_known_rejections_again(tmp_path: Path) -> None:
    rows = [*texts(2), RejectedRow("m.jsonl:3", "not valid JSON")]
    evaluate(tmp_path, rows, Echo())
    evaluate(tmp_path, rows, Echo())
    assert len(lines(tmp_path)) == 3


def test_a_missing_sound_fails_its_sample_and_no_other(tmp_path: Path, tone: Any) -> None:
    good = Sample(id="good", inputs={"audio": Audio(str(tone("good.wav")))})
    bad = Sample(id="bad", inputs={"audio": Audio(str(tmp_path / "gone.wav"))})
    records = evaluate(tmp_path / "run", [bad, good], Echo(), Respond("{audio}"))
    assert [record.error and record.error.kind for record in records] == ["AudioError", None]


def test_stopping_keeps_what_is_answered_and_the_rest_is_asked_later(tmp_path: Path) -> None:
    class Stops(FakeApi):
        async def generate(self, request: Any) -> Any:
            if self.calls == 20:
                self.stop.set()
            return await super().generate(request)

    def stop(model: Any) -> Any:
        model.stop = asyncio.Event()
        return model.stop

    first = evaluate(tmp_path, texts(500), Stops(), settings=Settings(concurrency=4), stop=stop)
    assert 20 <= len(first) < 40
    assert Run.load(tmp_path).read_progress()["complete"] is False
    model = FakeApi()
    assert len(evaluate(tmp_path, texts(500), model)) == 500
    assert model.calls == 500 - len(first)
    assert Run.load(tmp_path).read_progress()["complete"] is True


def test_memory_holds_only_what_is_in_flight(tmp_path: Path) -> None:
    admitted = answered = most = 0

    class Counts(FakeApi):
        async def generate(self, request: Any) -> Any:
            nonlocal answered
            output = await super().generate(request)
            answered += 1
            return output

    def samples() -> Iterator[Any]:
        nonlocal admitted, most
        for sample in texts(500):
            admitted += 1
            most = max(most, admitted - answered)
            yield sample

    evaluate(tmp_path, samples(), Counts(), settings=Settings(concurrency=8))
    assert most <= 10


def test_turns_see_the_answers_before_them(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"turns": ["one", "two"]})

    class Recalls(AsyncModel):
        async def generate(self, request: Any) -> Any:
            return Generation(text=" ".join(str(turn.parts[0]) for turn in request.turns))

    (record,) = evaluate(tmp_path, [sample], Recalls(), Converse())
    assert [output.text for output in record.outputs] == ["one", "one one two"]


def test_likelihood_gives_one_output_a_choice(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"q": "?", "choices": ["a b", "a"]})
    (record,) = evaluate(tmp_path, [sample], Echo(), Choose("{q}"))
    assert [output.total for output in record.outputs] == [-1.0, -0.5]


def test_predictions_are_asked_by_name_and_kept_raw(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"text": "a waltz", "choices": ["x", "y"]})
    (record,) = evaluate(tmp_path, [sample], FakeReward(), Measure())
    assert set(record.outputs[0].values) == {"alignment", "musicality"}
    assert record.outputs[0].scale == "continuous"


def test_pairwise_preference_asks_about_both_candidates(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"text": "a waltz", "a": "first", "b": "second"})
    (record,) = evaluate(tmp_path, [sample], FakeReward(), Compare())
    assert record.outputs[0].values != record.outputs[1].values


@pytest.mark.parametrize("model", [Echo(), FakeApi()])
def test_a_model_can_be_asked_outside_a_run(model: Any) -> None:
    request = Generate(turns=(Turn("user", ("hello there",)),))
    assert asyncio.run(send_once(model, request)).text == "hello there"


@pytest.mark.parametrize("escape", [SystemExit(0), GeneratorExit(), asyncio.CancelledError()])
@pytest.mark.parametrize("base", [AsyncModel, BatchModel])
def test_what_no_except_sees_costs_a_sample_not_the_run(tmp_path: Path, base: Any, escape: Any) -> None:
    class Quits(base):
        def generate(self, asked: Any) -> Any:
            if base is AsyncModel:
                return self.answer(asked)
            return [self.say(each) for each in asked]

        async def answer(self, request: Any) -> Any:
            return self.say(request)

        def say(self, request: Any) -> Any:
            if request.turns[0].parts[0].endswith("3"):
                raise escape
            return Generation(text="ok")

    records = evaluate(tmp_path, texts(6), Quits())
    errors = [record.error for record in records]
    assert [error and error.kind for error in errors] == [None] * 3 + ["SampleError"] + [None] * 2
    assert type(escape).__name__ in errors[3].message


def test_a_sample_may_be_called_like_a_rejected_rows_place(tmp_path: Path) -> None:
    rows = [Sample(id="m.jsonl:2", inputs={"question": "x"}), RejectedRow("m.jsonl:2", "broken")]
    assert len(evaluate(tmp_path, rows, Echo())) == 2


def test_kept_failures_are_still_told(tmp_path: Path) -> None:
    evaluate(tmp_path, texts(4), Refuses())
    seen = []

    class Sees(NullObserver):
        def saw(self, record: Any) -> None:
            seen.append(record.error.kind)

    async def main(run: Any) -> None:
        settings = Settings(retry_failed=False)
        await RunLoop(Respond("{question}"), FakeApi(), run, settings, Sees()).run(texts(4), asyncio.Event())

    with Run.open(tmp_path, SPEC) as run:
        asyncio.run(main(run))
    assert seen == ["SampleError"] * 4


def test_data_that_breaks_off_is_told_as_it_is_and_what_was_answered_is_kept(tmp_path: Path) -> None:
    def samples() -> Iterator[Any]:
        yield from texts(300)
        raise DataError("the file ends in the middle")

    with pytest.raises(DataError, match="ends in the middle"):
        evaluate(tmp_path, samples(), FakeApi(), settings=Settings(concurrency=4))
    assert len(lines(tmp_path)) > 200
    assert Run.load(tmp_path).read_progress() == {}
