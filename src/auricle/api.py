"""The Python front door; the command line and the web UI go through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from auricle.audio import Audio
from auricle.core.errors import AllRequestsFailed, SpecError, Unsupported
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Generate,
    Output,
    Part,
    Predict,
    Record,
    RejectedRow,
    Request,
    Sample,
    Turn,
)
from auricle.engine import judge as judging
from auricle.engine import run_loop
from auricle.engine.factory import build_spec_document, check_arguments, check_settings, deploy_model, resolve_model
from auricle.engine.factory import build_task as build_task
from auricle.engine.factory import construct_model as construct_model
from auricle.engine.factory import display_name as display_name
from auricle.engine.run_loop import Observer, Settings
from auricle.engine.signals import stop_on_interrupt
from auricle.engine.spec import JudgeSpec, Spec
from auricle.models import AsyncModel, Model, abilities, adapt
from auricle.models.catalogue import MODELS
from auricle.report.compare import Comparison, compare_runs
from auricle.report.publish import publish
from auricle.report.score_table import ScoreTable
from auricle.report.summary import Number
from auricle.runs.run_directory import Run, lock_run
from auricle.runs.usage import Budget
from auricle.runs.verdicts import Judge, VerdictIndex, read_last_judge
from auricle.tasks import inferencers
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Inferencer, select_inferencer, with_context

T = TypeVar("T")
ALL_ABILITIES: list[Ability] = [*ABILITY_BY_REQUEST.values(), "first_tokens"]


class NullObserver:
    """For runs nobody looks at."""

    def on_result(self, record: Record) -> None: ...
    def on_skipped(self) -> None: ...
    def on_in_flight(self, count: int) -> None: ...


def evaluate(
    spec: Spec,
    out: str | Path,
    *,
    settings: Settings | None = None,
    observer: Observer | None = None,
    judge_observer: judging.JudgeObserver | None = None,
    infer_only: bool = False,
) -> list[Number]:
    """Run, or finish, what `spec` describes in the folder `out`; its numbers over all samples."""
    spec = spec.resolved()
    task, model_class = build_task(spec), resolve_model(spec)
    if spec.judge:
        _resolve_judge_model(spec.judge)
    inferencer = select_inferencer(task.inferencer, abilities(model_class), task.name, spec.model)
    inferencer = with_context(inferencer, model_class, task.model_context)
    settings = _with_limit(settings or Settings(), spec)
    check_settings(model_class, spec, settings)
    peek = getattr(task.samples, "validate", None)
    if peek:
        peek()
    with Run.open(Path(out), build_spec_document(spec, task, inferencer)) as run:
        model = deploy_model(model_class, spec, settings, run.path)
        _run_inference(task, inferencer, model, run, settings, observer or NullObserver())
        limited = f"[:{spec.limit}]" if spec.limit else ""
        known = {"revision": f"{task.revision}{limited}", "notes": task.notes(spec.model, spec.model_args)}
        run.write_progress({**run.read_progress(), **known})
        if infer_only:
            return []
        judge = spec.judge if run.read_progress().get("complete") else None
        return _judge_and_publish(run, task, judge, settings, judge_observer)


def score(
    out: str | Path,
    profile: str | None = None,
    *,
    judge: JudgeSpec | dict[str, Any] | str | None = None,
    settings: Settings | None = None,
    judge_observer: judging.JudgeObserver | None = None,
) -> list[Number]:
    """Score a run again from its journal, under another normaliser profile if given.

    A model is loaded only if a `judge` is named that has not judged every answer yet.
    """
    run = Run.load(Path(out))
    spec = Spec.from_run(run)
    task = build_task(spec.model_copy(update={"profile": profile}) if profile else spec)
    if judge is None:
        return _publish(run, task, read_judge(run))
    if not any(metric.judge_requests for metric in task.metrics):
        names = ", ".join(metric.name for metric in task.metrics)
        raise SpecError(
            f"{out} asks no judge: its metrics are {names}. Give the command that made it again, "
            "with -T metrics=judge-reference or another that does; nothing is asked twice."
        )
    with lock_run(run.path):
        named = JudgeSpec.parse(judge).resolved()
        return _judge_and_publish(run, task, named, settings or Settings(), judge_observer)


def read_judge(run: Run) -> Judge | None:
    """Who judged a run last, or is to judge it; told without loading anything."""
    named = Spec.from_run(run).judge
    return read_last_judge(run.verdicts_path) or (named.to_judge() if named else None)


def _judge_and_publish(
    run: Run, task: Task, judge: JudgeSpec | None, settings: Settings, judge_observer: judging.JudgeObserver | None
) -> list[Number]:
    """Have answers judged if there is a judge, then publish: also where it cannot be reached."""
    if judge is None:
        return _publish(run, task, read_judge(run))
    try:
        # The answers that are remembered are the model's, not the judge's.
        _run_judge_pass(run, task, judge, replace(settings, cache=None), judge_observer or judging.NullJudgeObserver())
    except AllRequestsFailed:
        _publish(run, task, judge.to_judge())
        raise
    return _publish(run, task, judge.to_judge())


def _publish(run: Run, task: Task, judge: Judge | None) -> list[Number]:
    return publish(run, task, display_name(Spec.from_run(run).model), judge)


def _run_judge_pass(
    run: Run, task: Task, judge: JudgeSpec, settings: Settings, judge_observer: judging.JudgeObserver
) -> None:
    """Ask for the verdicts that are not there; without any, no judge is loaded."""
    asked = judging.JudgePass(run, task.metrics, judge.to_judge())
    total = asked.count_pending()
    if not total:
        asked.write_judge_line()
        return
    model = construct_model(_resolve_judge_model(judge), judge.model, judge.args)

    async def main() -> None:
        stop = asyncio.Event()
        with stop_on_interrupt(stop):
            try:
                await asked.run(model, settings, judge_observer.start_judging(total), stop)
            finally:
                await run_loop.close_model(model)

    _run_async(main())


def _resolve_judge_model(judge: JudgeSpec) -> type[Model]:
    """The judge's class, or a refusal before anything is asked of anybody."""
    model_class = adapt(MODELS.get(judge.model))
    can = abilities(model_class)
    if "generate" not in can:
        told_can = ", ".join(can) or "do nothing"
        raise Unsupported(f"A judge has to generate; {judge.model} can {told_can}.")
    check_arguments(model_class, judge.model, judge.args)
    return model_class


def summary(out: str | Path, by: str | None = None) -> list[dict[str, Any]]:
    """The numbers of a run as `metrics.json` has them: over all samples, or by a meta field."""
    return [each for each in load_metrics(out)["numbers"] if by is None or each["field"] in ("", by)]


def load_metrics(out: str | Path) -> dict[str, Any]:
    """Everything that is known of a run; scored first if it was not, or not since it grew."""
    run = Run.load(Path(out))
    if run.read_metrics() is None:
        score(out)
    return run.read_metrics() or {}


def compare(
    a: str | Path, b: str | Path, metrics: Sequence[str] = (), by: str | None = None, *, most_flips: int = 5
) -> Comparison:
    """Compare two runs, sample by sample.

    Args:
        a: Directory of the baseline run.
        b: Directory of the candidate run.
        metrics: Metrics to compare by; all that the runs share if none are named.
        by: Metadata field to break the comparison down by.
        most_flips: Number of changed samples to keep in each direction, per metric.

    Returns:
        Paired differences with intervals, and the samples that changed.
    """
    paths = Path(a), Path(b)
    documents = load_metrics(paths[0]), load_metrics(paths[1])
    return compare_runs(paths, documents, metrics, by, most_flips=most_flips)


def worst_samples(out: str | Path, limit: int) -> list[str]:
    """Ids of the samples that did worst on the first metric, worst first."""
    run = Run.load(Path(out))
    task = build_task(Spec.from_run(run))
    judge = read_judge(run)
    with ExitStack() as held:
        verdicts = held.enter_context(VerdictIndex(run.verdicts_path, judge)) if judge else None
        board = ScoreTable(task.metrics[:1], max_worst=limit, verdicts=verdicts)
        for record in run.records():
            board.add(record)
    return board.worst_ids()


def preview(spec: Spec, *, has_model: bool = True) -> Iterator[tuple[Sample | RejectedRow, list[tuple[Request, str]]]]:
    """Each sample with what would first be asked about it, and how a named model is told that."""
    spec = spec.resolved()
    task = build_task(spec)
    if not has_model:
        inferencer = select_inferencer(task.inferencer, ALL_ABILITIES, task.name, spec.model)
        yield from _preview_samples(task, inferencer, lambda _: "")
        return
    model_class = resolve_model(spec)
    inferencer = select_inferencer(task.inferencer, abilities(model_class), task.name, spec.model)
    inferencer = with_context(inferencer, model_class, task.model_context)
    if {"python", "environment"} & spec.model_args.keys():  # only its own Python could tell
        yield from _preview_samples(task, inferencer, lambda _: "")
        return
    model = construct_model(model_class, spec.model, spec.model_args)
    try:
        yield from _preview_samples(task, inferencer, model.preview_request)
    finally:
        _run_async(run_loop.close_model(model))


def _preview_samples(
    task: Task, inferencer: Inferencer, render_request: Callable[[Request], str]
) -> Iterator[tuple[Sample | RejectedRow, list[tuple[Request, str]]]]:
    for sample in task.samples:
        if isinstance(sample, RejectedRow):
            yield sample, []
        else:
            asked = _run_async(inferencers.preview_requests(inferencer, sample))
            yield sample, [(request, render_request(request)) for request in asked]


def _with_limit(settings: Settings, spec: Spec) -> Settings:
    return replace(settings, limit=spec.limit) if spec.limit else settings


def _run_inference(
    task: Task, inferencer: Inferencer, model: Model, run: Run, settings: Settings, observer: Observer
) -> None:
    async def main() -> None:
        stop = asyncio.Event()
        if isinstance(observer, Budget):
            observer.start(run, stop.set)
        with stop_on_interrupt(stop):
            try:
                one_pass = run_loop.RunLoop(inferencer, model, run, settings, observer)
                await one_pass.run(task.samples, stop)
            finally:
                await run_loop.close_model(model)

    _run_async(main())


def _run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """Do async work to its end, from anywhere: in a notebook a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class LoadedModel:
    """A model outside any benchmark: ask it about a sound, then another."""

    def __init__(self, model: Model, abilities: list[str]) -> None:
        self.model = model
        self.abilities = abilities
        # A thread and a loop of its own: sessions live from one question to the next, and a
        # notebook's own loop is not in the way.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-ask")
        self._runner = asyncio.Runner()

    def ask(self, audio: Any = None, text: str = "", **inputs: Any) -> Output:
        """One question, one raw output: text from a model that writes, numbers from one that rates.

        `audio` is a path, bytes, an array with `rate=`, a Hugging Face dict, or a list of them.
        """
        return self._run_on_thread(run_loop.send_once(self.model, self._build_request(audio, text, inputs)))

    @property
    def can_stream(self) -> bool:
        """Does the model tell its answer piece by piece?"""
        told = type(self.model)
        return issubclass(told, AsyncModel) and told.stream is not AsyncModel.stream

    def stream(self, audio: Any = None, text: str = "", **inputs: Any) -> Iterator[str]:
        """Pieces of the answer as they come, from a model that `streams`."""
        request, model = self._build_request(audio, text, inputs), self.model
        assert isinstance(request, Generate)
        assert isinstance(model, AsyncModel)
        pieces: SimpleQueue[str | None] = SimpleQueue()

        async def listen() -> None:
            try:
                async for piece in model.stream(request):
                    pieces.put(piece)
            finally:
                pieces.put(None)

        done = self._thread.submit(self._runner.run, listen())
        yield from iter(pieces.get, None)
        done.result()

    def _build_request(self, audio: Any, text: str, inputs: dict[str, Any]) -> Request:
        rate = inputs.pop("rate", None)
        sounds = audio if isinstance(audio, list) and not _is_number_list(audio) else [audio]
        heard = [Audio.of(each, rate=rate) for each in sounds if each is not None]
        if "generate" in self.abilities:
            parts: tuple[Part, ...] = (*heard, text) if text else (*heard,)
            return Generate(turns=(Turn("user", parts),), **inputs)
        named: dict[str, Any] = {**inputs, **({"text": text} if text else {})}
        return Predict(inputs={**named, **({"audio": heard[0]} if heard else {})})

    def close(self) -> None:
        self._run_on_thread(run_loop.close_model(self.model))
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _run_on_thread(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._thread.submit(self._runner.run, coroutine).result()

    def __enter__(self) -> LoadedModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_number_list(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], (int, float))


def load_model(name: str, **arguments: Any) -> LoadedModel:
    """A model by name, `module:Class` or `file.py:name`, ready to be asked."""
    spec = Spec(task="ask", model=name, model_args=arguments)
    model_class = resolve_model(spec)
    return LoadedModel(deploy_model(model_class, spec, Settings()), list(abilities(model_class)))
