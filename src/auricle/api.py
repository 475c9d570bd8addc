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
from auricle.core.errors import Hopeless, SpecError, Unsupported
from auricle.core.types import (
    ABILITY,
    Ability,
    Generate,
    Output,
    Part,
    Predict,
    Record,
    Rejected,
    Request,
    Sample,
    Turn,
)
from auricle.engine import judge as judging
from auricle.engine import loop
from auricle.engine.factory import bind, check, class_of, description, spread
from auricle.engine.factory import build as build
from auricle.engine.factory import construct as construct
from auricle.engine.factory import short as short
from auricle.engine.loop import Settings, Watch
from auricle.engine.signals import drained_by_interrupt
from auricle.engine.spec import JudgeSpec, Spec
from auricle.models import AsyncModel, Model, abilities, adapt
from auricle.models.catalogue import MODELS
from auricle.report.compare import Comparison, compare_runs
from auricle.report.publish import publish
from auricle.report.score import Scoreboard
from auricle.report.summarise import Number
from auricle.runs.run_directory import Run, locked
from auricle.runs.usage import Purse
from auricle.runs.verdicts import Judge, Verdicts, last_judge
from auricle.tasks import inferencers
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Inferencer, suited, telling

T = TypeVar("T")
EVERYTHING: list[Ability] = [*ABILITY.values(), "first_tokens"]


class Unwatched:
    """For runs nobody looks at."""

    def saw(self, record: Record) -> None: ...
    def skipped(self) -> None: ...
    def asking(self, number: int) -> None: ...


def evaluate(
    spec: Spec,
    out: str | Path,
    *,
    settings: Settings | None = None,
    watch: Watch | None = None,
    bench: judging.WatchesJudging | None = None,
    infer_only: bool = False,
) -> list[Number]:
    """Run, or finish, what `spec` describes in the folder `out`; its numbers over all samples."""
    spec = spec.settled()
    task, model_class = build(spec), class_of(spec)
    if spec.judge:
        _judge_class(spec.judge)
    inferencer = suited(task.inferencer, abilities(model_class), task.name, spec.model)
    inferencer = telling(inferencer, model_class, task.facts)
    settings = _with_limit(settings or Settings(), spec)
    check(model_class, spec, settings)
    peek = getattr(task.samples, "peek", None)
    if peek:
        peek()
    with Run.open(Path(out), description(spec, task, inferencer)) as run:
        model = spread(model_class, spec, settings, run.path)
        _infer(task, inferencer, model, run, settings, watch or Unwatched())
        limited = f"[:{spec.limit}]" if spec.limit else ""
        known = {
            "revision": f"{task.revision}{limited}",
            "notes": task.notes(spec.model, spec.model_args),
        }
        run.write_progress({**run.progress(), **known})
        if infer_only:
            return []
        judge = spec.judge if run.progress().get("complete") else None
        return _scored(run, task, judge, settings, bench)


def score(
    out: str | Path,
    profile: str | None = None,
    *,
    judge: JudgeSpec | dict[str, Any] | str | None = None,
    settings: Settings | None = None,
    bench: judging.WatchesJudging | None = None,
) -> list[Number]:
    """Score a run again from its journal, under another normaliser profile if given.

    A model is loaded only if a `judge` is named that has not judged every answer yet.
    """
    run = Run.load(Path(out))
    spec = Spec.from_run(run)
    task = build(spec.model_copy(update={"profile": profile}) if profile else spec)
    if judge is None:
        return _published(run, task, judge_of(run))
    if not any(metric.asks for metric in task.metrics):
        names = ", ".join(metric.name for metric in task.metrics)
        raise SpecError(
            f"{out} asks no judge: its metrics are {names}. Give the command that made it again, "
            "with -T metrics=judge-reference or another that does; nothing is asked twice."
        )
    with locked(run.path):
        named = JudgeSpec.of(judge).settled()
        return _scored(run, task, named, settings or Settings(), bench)


def judge_of(run: Run) -> Judge | None:
    """Who judged a run last, or is to judge it; told without loading anything."""
    named = Spec.from_run(run).judge
    return last_judge(run.verdicts) or (named.known() if named else None)


def _scored(
    run: Run,
    task: Task,
    judge: JudgeSpec | None,
    settings: Settings,
    bench: judging.WatchesJudging | None,
) -> list[Number]:
    """Have answers judged if there is a judge, then publish: also where it cannot be reached."""
    if judge is None:
        return _published(run, task, judge_of(run))
    try:
        # The answers that are remembered are the model's, not the judge's.
        _judge(run, task, judge, replace(settings, cache=None), bench or judging.Unseen())
    except Hopeless:
        _published(run, task, judge.known())
        raise
    return _published(run, task, judge.known())


def _published(run: Run, task: Task, judge: Judge | None) -> list[Number]:
    return publish(run, task, short(Spec.from_run(run).model), judge)


def _judge(
    run: Run, task: Task, judge: JudgeSpec, settings: Settings, bench: judging.WatchesJudging
) -> None:
    """Ask for the verdicts that are not there; without any, no judge is loaded."""
    asked = judging.Bench(run, task.metrics, judge.known())
    total = asked.size()
    if not total:
        asked.introduce()
        return
    model = construct(_judge_class(judge), judge.model, judge.args)

    async def main() -> None:
        stop = asyncio.Event()
        with drained_by_interrupt(stop):
            try:
                await asked.over(model, settings, bench.judging(total), stop)
            finally:
                await loop.close(model)

    _run(main())


def _judge_class(judge: JudgeSpec) -> type[Model]:
    """The judge's class, or a refusal before anything is asked of anybody."""
    model_class = adapt(MODELS.get(judge.model))
    can = abilities(model_class)
    if "generate" not in can:
        told_can = ", ".join(can) or "do nothing"
        raise Unsupported(f"A judge has to generate; {judge.model} can {told_can}.")
    bind(model_class, judge.model, judge.args)
    return model_class


def summary(out: str | Path, by: str | None = None) -> list[dict[str, Any]]:
    """The numbers of a run as `metrics.json` has them: over all samples, or by a meta field."""
    return [
        each for each in load_metrics(out)["numbers"] if by is None or each["field"] in ("", by)
    ]


def load_metrics(out: str | Path) -> dict[str, Any]:
    """Everything that is known of a run; scored first if it was not, or not since it grew."""
    run = Run.load(Path(out))
    if run.published() is None:
        score(out)
    return run.published() or {}


def compare(
    a: str | Path,
    b: str | Path,
    metrics: Sequence[str] = (),
    by: str | None = None,
    *,
    most_flips: int = 5,
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


def worst(out: str | Path, most: int) -> list[str]:
    """Ids of the samples that did worst on the first metric, worst first."""
    run = Run.load(Path(out))
    task = build(Spec.from_run(run))
    judge = judge_of(run)
    with ExitStack() as held:
        verdicts = held.enter_context(Verdicts(run.verdicts, judge)) if judge else None
        board = Scoreboard(task.metrics[:1], most_worst=most, verdicts=verdicts)
        for record in run.records():
            board.add(record)
    return board.worst()


def preview(
    spec: Spec, *, named_model: bool = True
) -> Iterator[tuple[Sample | Rejected, list[tuple[Request, str]]]]:
    """Each sample with what would first be asked about it, and how a named model is told that."""
    spec = spec.settled()
    task = build(spec)
    if not named_model:
        inferencer = suited(task.inferencer, EVERYTHING, task.name, spec.model)
        yield from _previewed(task, inferencer, lambda _: "")
        return
    model_class = class_of(spec)
    inferencer = suited(task.inferencer, abilities(model_class), task.name, spec.model)
    inferencer = telling(inferencer, model_class, task.facts)
    if {"python", "environment"} & spec.model_args.keys():  # only its own Python could tell
        yield from _previewed(task, inferencer, lambda _: "")
        return
    model = construct(model_class, spec.model, spec.model_args)
    try:
        yield from _previewed(task, inferencer, model.shown)
    finally:
        _run(loop.close(model))


def _previewed(
    task: Task, inferencer: Inferencer, sent: Callable[[Request], str]
) -> Iterator[tuple[Sample | Rejected, list[tuple[Request, str]]]]:
    for sample in task.samples:
        if isinstance(sample, Rejected):
            yield sample, []
        else:
            asked = _run(inferencers.preview(inferencer, sample))
            yield sample, [(request, sent(request)) for request in asked]


def _with_limit(settings: Settings, spec: Spec) -> Settings:
    return replace(settings, limit=spec.limit) if spec.limit else settings


def _infer(
    task: Task,
    inferencer: Inferencer,
    model: Model,
    run: Run,
    settings: Settings,
    watch: Watch,
) -> None:
    async def main() -> None:
        stop = asyncio.Event()
        if isinstance(watch, Purse):
            watch.begin(run, stop.set)
        with drained_by_interrupt(stop):
            try:
                one_pass = loop.Pass(inferencer, model, run, settings, watch)
                await one_pass.over(task.samples, stop)
            finally:
                await loop.close(model)

    _run(main())


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Do async work to its end, from anywhere: in a notebook a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Loaded:
    """A model outside any benchmark: ask it about a sound, then another."""

    def __init__(self, model: Model, can: list[str]) -> None:
        self.model = model
        self.can = can
        # A thread and a loop of its own: sessions live from one question to the next, and a
        # notebook's own loop is not in the way.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-ask")
        self._runner = asyncio.Runner()

    def ask(self, audio: Any = None, text: str = "", **inputs: Any) -> Output:
        """One question, one raw output: text from a model that writes, numbers from one that rates.

        `audio` is a path, bytes, an array with `rate=`, a Hugging Face dict, or a list of them.
        """
        return self._do(loop.ask_once(self.model, self._request(audio, text, inputs)))

    @property
    def streams(self) -> bool:
        """Does the model tell its answer piece by piece?"""
        told = type(self.model)
        return issubclass(told, AsyncModel) and told.stream is not AsyncModel.stream

    def stream(self, audio: Any = None, text: str = "", **inputs: Any) -> Iterator[str]:
        """Pieces of the answer as they come, from a model that `streams`."""
        request, model = self._request(audio, text, inputs), self.model
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

    def _request(self, audio: Any, text: str, inputs: dict[str, Any]) -> Request:
        rate = inputs.pop("rate", None)
        sounds = audio if isinstance(audio, list) and not _numbers(audio) else [audio]
        heard = [Audio.of(each, rate=rate) for each in sounds if each is not None]
        if "generate" in self.can:
            parts: tuple[Part, ...] = (*heard, text) if text else (*heard,)
            return Generate(turns=(Turn("user", parts),), **inputs)
        named: dict[str, Any] = {**inputs, **({"text": text} if text else {})}
        return Predict(inputs={**named, **({"audio": heard[0]} if heard else {})})

    def close(self) -> None:
        self._do(loop.close(self.model))
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._thread.submit(self._runner.run, work).result()

    def __enter__(self) -> Loaded:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _numbers(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], (int, float))


def load_model(name: str, **arguments: Any) -> Loaded:
    """A model by name, `module:Class` or `file.py:name`, ready to be asked."""
    spec = Spec(task="ask", model=name, model_args=arguments)
    model_class = class_of(spec)
    return Loaded(spread(model_class, spec, Settings()), list(abilities(model_class)))
