"""Have a judge score the answers of a run.

Each verdict is appended to `verdicts.jsonl` when it arrives, so a pass that is killed resumes where it
stopped and sends no request twice.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import SpooledTemporaryFile

from auricle.core.errors import (
    AllRequestsFailed,
    AuricleError,
    NothingToJudge,
    SampleError,
    Unsupported,
    describe,
    kind_of,
)
from auricle.core.judge_roles import JudgeRole
from auricle.core.serialization import digest
from auricle.core.types import Failure, Generate, Generation, Output, Predict, Prediction, Record
from auricle.engine.batching import RunStopped
from auricle.engine.event_loop import run_async
from auricle.engine.factory import check_arguments, construct_model
from auricle.engine.interrupts import stop_on_interrupt
from auricle.engine.observer import Observer
from auricle.engine.request_loop import RequestLoop
from auricle.engine.retry import FailFast, RetryingSender, Slot
from auricle.engine.settings import Settings
from auricle.engine.slots import open_slots, release_model
from auricle.engine.spec import JudgeSpec, Spec
from auricle.engine.task import Task
from auricle.engine.workers.protocol import HEADER, pack_request, unpack, unpack_request
from auricle.metrics.base import Metric
from auricle.models import Model, abilities, adapt
from auricle.models.catalogue import MODELS
from auricle.models.limits import ModelLimits
from auricle.runs.journal import Journal, move_damaged_lines, truncate_partial_line
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price
from auricle.runs.verdicts import (
    Judge,
    JudgeRequest,
    Verdict,
    VerdictIndex,
    build_judge_requests,
    encode_judges,
    read_last_judges,
)

CHARACTERS_PER_TOKEN = 4
MAX_REQUEST_BYTES = 1 << 26
"""Size of all pending requests above which they are kept on disk."""


class JudgePass:
    """One pass of a judge over answers.

    Args:
        records: The answers.
        verdicts_path: File of the verdicts, which is appended to.
        metrics: Metrics of the task; those without requests for this judge are ignored.
        judge: The judge model.
    """

    def __init__(self, records: Iterable[Record], verdicts_path: Path, metrics: Sequence[Metric], judge: Judge) -> None:
        self._records = records
        self._path = verdicts_path
        self._metrics = [metric for metric in metrics if judge.serves(metric)]
        self._judge = judge
        truncate_partial_line(verdicts_path)
        self._pending: PendingRequests | None = None

    def count_pending(self) -> int:
        """Count the missing verdicts; without any, the judge need not be loaded."""
        if self._pending is None:
            self._pending = PendingRequests()
            for request in self._missing_requests():
                self._pending.append(request)
        return self._pending.count

    def estimate_cost(self, price: Price) -> float:
        """Return the most that the missing verdicts may cost, except for media: replies of the maximum length."""
        self.count_pending()
        assert self._pending
        tokens = int(self._pending.characters / CHARACTERS_PER_TOKEN)
        output_count = self._pending.max_output_tokens, True
        return price.compute_cost(self._pending.count, (tokens, True), output_count)[0]

    async def run(self, model: Model, settings: Settings, observer: Observer, stop: asyncio.Event) -> str:
        """Request all missing verdicts, until `stop` is set, and return why the server ended the pass, if it did."""
        self.count_pending()
        assert self._pending
        journal = Journal(self._path)
        try:
            fail_fast = FailFast(stop)
            sender = JudgeSender(self._judge.name, settings, journal, observer, fail_fast)
            slots = open_slots(model, settings)
            loop = RequestLoop(slots, sender.request_verdict, stop, check=journal.check)
            await loop.run(self._pending.read())
            return fail_fast.stop_reason
        finally:
            journal.close()

    def _missing_requests(self) -> Iterator[JudgeRequest]:
        seen: set[int] = set()  # two samples may have the same question and answer
        with VerdictIndex(self._path, self._judge) as verdicts:
            for record in self._records:
                for metric in () if record.error else self._metrics:
                    try:
                        requests = build_judge_requests(self._judge, metric, record)
                    except AuricleError:
                        continue  # scoring raises the same error and records it with the sample
                    for request in requests:
                        key = digest(request.key)
                        if key not in seen and not verdicts.has_reply(request.key):
                            seen.add(key)
                            yield request
        if verdicts.damaged:  # they are requested again, if they are still needed
            move_damaged_lines(self._path, verdicts.damaged)


def judge_run(run: Run, metrics: Sequence[Metric], judge: JudgeSpec, settings: Settings, observer: Observer) -> str:
    """Request the missing verdicts on the answers of a run; the judge is loaded only if there are any.

    Returns:
        Why judging was stopped, if it was: by the server of the judge, or by the observer.
    """
    judge_pass = JudgePass(run.records(), run.verdicts_path, metrics, judge.to_judge())
    return execute_pass(run, judge_pass, judge, settings, observer)


def execute_pass(run: Run, judge_pass: JudgePass, judge: JudgeSpec, settings: Settings, observer: Observer) -> str:
    """Request the missing verdicts of a pass, and return why that was stopped, if it was."""
    if not (total := judge_pass.count_pending()):
        return ""
    stop = asyncio.Event()
    observer.on_judging(run, total, stop.set)
    if stop.is_set():
        return observer.stop_reason
    return run_judge_pass(judge_pass, judge, settings, observer, stop) or observer.stop_reason


def run_judge_pass(
    judge_pass: JudgePass, judge: JudgeSpec, settings: Settings, observer: Observer, stop: asyncio.Event
) -> str:
    """Load a judge and run its pass, until `stop` is set; return why the server ended the pass, if it did."""
    model = construct_model(resolve_judge_model(judge), judge.model, judge.args)

    async def main() -> str:
        with stop_on_interrupt(stop):
            try:
                return await judge_pass.run(model, settings, observer, stop)
            finally:
                await release_model(model)

    return run_async(main())


def resolve_judge_model(judge: JudgeSpec) -> type[Model]:
    """Return the class of a judge after checking that it can do what its role needs, and has its packages."""
    model_class = adapt(MODELS.get(judge.model))
    if judge.role.ability not in abilities(model_class):
        lack = "does not predict numbers" if judge.role.ability == "predict" else "does not support text generation"
        raise Unsupported(f"Model {judge.model!r} cannot be used as a {judge.role.noun}: it {lack}.")
    accepted = ModelLimits.of(model_class).modalities
    if not judge.role.is_judge and accepted is not None and "audio" not in accepted:
        raise Unsupported(f"Model {judge.model!r} cannot be used as a {judge.role.noun}: it does not accept audio.")
    model_class.listing.require(f"The {judge.role.noun} {judge.model!r}")
    check_arguments(model_class, judge.model, judge.args)
    return model_class


def select_used_judges(task: Task, judges: Sequence[JudgeSpec]) -> tuple[JudgeSpec, ...]:
    """Return the judges that a metric of a task uses."""
    return tuple(judge for judge in judges if any(judge.to_judge().serves(metric) for metric in task.metrics))


def check_judges_are_used(tasks: Sequence[Task], judges: Sequence[JudgeSpec], place: str | Path) -> None:
    """Check that a metric of one of the tasks uses each of the judges.

    Raises:
        NothingToJudge: if there is none.
    """
    names = ", ".join(dict.fromkeys(metric.name for task in tasks for metric in task.metrics))
    used = [judge for task in tasks for judge in select_used_judges(task, judges)]
    for judge_spec in judges:
        if judge_spec in used:
            continue
        judge = judge_spec.to_judge()
        if judge.role is JudgeRole.UNREAD:
            raise NothingToJudge(f"{place} has no metric that reads answers from replies; its metrics are {names}.")
        if judge.role.unused:
            raise NothingToJudge(judge.role.unused.format(model=judge.short_model))
        raise NothingToJudge(
            f"{place} has no metric that uses a {judge.role.noun}; its metrics are {names}. "
            "Add -T metrics=judge-reference or another judge metric."
        )


def read_judges(run: Run) -> tuple[Judge, ...]:
    """Return the last judges of a run, or else those of its spec."""
    return Spec.from_run(run).find_last_judges(run)


def write_judges(verdicts_path: Path, judges: Sequence[Judge]) -> None:
    """Append a line that names the judges, unless they are the last ones already."""
    truncate_partial_line(verdicts_path)
    if read_last_judges(verdicts_path) != tuple(judges):
        journal = Journal(verdicts_path)
        journal.append(encode_judges(judges))
        journal.close()


class PendingRequests:
    """Requests that are rendered and counted before they are sent; many of them are kept on disk."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(MAX_REQUEST_BYTES)  # noqa: SIM115 - closed with this object
        weakref.finalize(self, self._file.close)
        self.count = self.characters = self.max_output_tokens = 0

    def append(self, request: JudgeRequest) -> None:
        content = request.request
        self.characters += sum(len(part) for part in content.parts if isinstance(part, str))
        self.max_output_tokens += content.max_tokens if isinstance(content, Generate) else 0
        labels = {"key": request.key, "sample_id": request.sample_id, "metric_name": request.metric_name}
        self._file.write(pack_request(self.count, request.request, labels))
        self.count += 1

    def read(self) -> Iterator[JudgeRequest]:
        self._file.seek(0)
        while header := self._file.read(HEADER.size):
            content_size, payload_size = HEADER.unpack(header)
            message = unpack(self._file.read(content_size), self._file.read(payload_size))
            request = unpack_request(message)
            assert isinstance(request, (Generate, Predict))
            yield JudgeRequest(message["key"], message["sample_id"], message["metric_name"], request)


def check_reply(request: Generate | Predict, output: Output) -> Generation | Prediction:
    """Return the reply to a request if it is of its kind."""
    if isinstance(request, Generate):
        assert isinstance(output, Generation)
        if output.audio is not None and not output.text:
            raise SampleError("the model returned audio instead of text")
        return output
    if not isinstance(output, Prediction):  # a function without annotations may return text
        raise SampleError("the model returned text instead of numbers")
    return output


class JudgeSender:
    """Sends requests to one judge and stores its verdicts."""

    def __init__(
        self, judge_name: str, settings: Settings, journal: Journal, observer: Observer, fail_fast: FailFast
    ) -> None:
        # No cache: votes repeat the same request, and would all get the first reply.
        self._settings = replace(settings, cache=None)
        self._fail_fast = fail_fast
        self._judge_name = judge_name
        self._journal = journal
        self._observer = observer

    async def request_verdict(self, judge_request: JudgeRequest, slot: Slot) -> None:
        reply, error = None, None
        sender = RetryingSender(slot, self._settings, self._fail_fast)
        try:
            output = await sender(judge_request.request)
            reply = check_reply(judge_request.request, output)
        except (RunStopped, AllRequestsFailed):
            raise
        except Exception as failure:  # noqa: BLE001 - recorded with its request
            error = Failure(kind_of(failure), describe(failure))
        verdict = Verdict(judge_request, self._judge_name, reply, error, round(sender.model_seconds, 4))
        self._journal.append(verdict.to_json_line())
        self._observer.on_verdict(verdict)
