"""Answering the samples of an evaluation."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from auricle import AsyncModel, Generate, Generation, Sample, Spec, Task
from auricle.core.types import Record
from auricle.engine.catalogue import TASKS
from auricle.engine.factory import Evaluation, build_run_spec
from auricle.engine.inference import collect_answers, describe_data
from auricle.engine.inferencers import Respond
from auricle.engine.kept_model import KeptModel
from auricle.engine.observer import Observer
from auricle.engine.settings import Settings
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run

SAMPLES = [Sample(id=str(number), inputs={"question": "x"}, target="x") for number in range(30)]


class Slow(AsyncModel):
    """Answers one request after the other."""

    async def generate(self, request: Generate) -> Generation:
        await asyncio.sleep(0)
        return Generation(text="x")


class Signal:
    """Asks to stop as the signal of a worker does."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], object]] = []

    def on_set(self, callback: Callable[[], object]) -> None:
        self.callbacks.append(callback)


def prepare() -> Evaluation:
    task = Task(samples=SAMPLES, inferencer=Respond("{question}"), metrics=[], name="sums")
    spec = Spec(task=TASKS.add_object(lambda: task), model=Slow)  # type: ignore[arg-type]  # a class is accepted, too
    return Evaluation.prepare(spec)


def test_a_signal_of_another_thread_stops_the_pass(tmp_path: Path) -> None:
    evaluation, signal = prepare(), Signal()

    class StopAfterFirst(Observer):
        def on_result(self, record: Record, /) -> None:
            for callback in signal.callbacks:
                callback()

    run_spec = build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer)
    with Run.open(tmp_path, run_spec) as run, KeptModel() as models:
        settings = Settings(concurrency=1)
        outcomes, _ = collect_answers(evaluation, run, settings, StopAfterFirst(), models, signal)
        assert 0 < outcomes.total < len(SAMPLES)
        assert not run.read_progress().complete
        outcomes, _ = collect_answers(evaluation, run, settings, Observer(), models)
        assert outcomes.total == len(SAMPLES)
    for callback in signal.callbacks:
        callback()  # after the end, nothing is left to stop


def test_the_progress_names_the_data_and_its_limit() -> None:
    evaluation = prepare()
    spec = evaluation.spec.model_copy(update={"limit": 3})
    assert describe_data(evaluation.task, spec, Progress(rows=3)).revision == "[:3]"
