"""A load point, played: by a sender here, or by several in processes of their own."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from io import BufferedReader
from pathlib import Path
from typing import Any

import orjson

from auricle.core import errors
from auricle.core.errors import SpecError
from auricle.perf.health import SenderHealth
from auricle.perf.plan import LoadPointPlan
from auricle.perf.request_record import RequestRecord
from auricle.perf.worker import CoordinatorChannel, run_worker

START_DELAY = 0.3  # seconds from "all are ready" to the start, so that nobody misses it

ProgressCallback = Callable[[dict[str, Any]], None]
"""Whoever wants to see how it goes: counts over all senders, and the load they are of."""


async def run_load_point(plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event) -> SenderHealth:
    """Offer the load and keep what came of it in the plan's folder."""
    on_progress = _with_recent_ttft(plan, on_progress)
    if plan.senders == 1:
        probed = [await _run_in_process(plan, on_progress, stop_event)]
    else:
        probed = await _run_in_subprocesses(plan, on_progress, stop_event)
    _merge_request_files(plan)
    return SenderHealth.from_samples(
        lags=[each for one in probed for each in one["lags"]],
        idle_lags=[each for one in probed for each in one["idle_lags"]],
        lateness=[each for one in probed for each in one["lates"]],
        cpu_share=[one["cpu"] for one in probed],
        stopped="interrupted"
        if stop_event.is_set()
        else next((one["stopped"] for one in probed if one["stopped"]), ""),
    )


def _with_recent_ttft(plan: LoadPointPlan, on_progress: ProgressCallback) -> ProgressCallback:
    """The same watch, told also of which load it is, and how long the latest waited on average."""
    last = {"answered": 0, "waited": 0.0}

    def seen(counts: dict[str, Any]) -> None:
        if not counts:
            return
        told = {name: value for name, value in counts.items() if name != "waited"}
        if (fresh := counts["answered"] - last["answered"]) > 0:
            told["ttft_s"] = (counts["waited"] - last["waited"]) / fresh
        last.update(answered=counts["answered"], waited=counts["waited"])
        on_progress({"load": plan.load, "seconds": plan.total_seconds, **told})

    return seen


async def _run_in_process(
    plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event
) -> dict[str, Any]:
    async def begin() -> float:
        return time.monotonic() + START_DELAY

    def tell(said: dict[str, Any]) -> None:
        if said["kind"] == "live":
            on_progress({name: value for name, value in said.items() if name != "kind"})

    own = asyncio.Event()
    passing = asyncio.create_task(_forward_stop(stop_event, own))
    try:
        return await run_worker(plan, CoordinatorChannel(begin, tell, own))
    finally:
        passing.cancel()


async def _forward_stop(stop_event: asyncio.Event, worker_stop_event: asyncio.Event) -> None:
    """A sender may stop itself, for too many errors; that is not the user's doing."""
    await stop_event.wait()
    worker_stop_event.set()


async def _run_in_subprocesses(
    plan: LoadPointPlan, on_progress: ProgressCallback, stop_event: asyncio.Event
) -> list[dict[str, Any]]:
    senders = [WorkerProcess(share) for share in plan.split_by_sender()]
    try:
        await asyncio.gather(*(each.start() for each in senders))
        if not await _finish_before_stop(
            stop_event, asyncio.gather(*(each.wait_for_message("ready") for each in senders))
        ):
            return []
        at = time.monotonic() + START_DELAY
        for each in senders:
            each.send_line(f"start {at!r}")
        ends = [asyncio.create_task(_wait_for_result(each, senders)) for each in senders]
        stopping = asyncio.create_task(_forward_stop_to_all(stop_event, senders))
        watching = asyncio.create_task(_monitor_progress(senders, on_progress, plan.max_errors))
        try:
            probed = await asyncio.gather(*ends)
        finally:
            stopping.cancel()
            watching.cancel()
        if watching.done() and not watching.cancelled():  # it ended by itself, and had a reason
            probed[0]["stopped"] = probed[0]["stopped"] or watching.result()
        return probed
    finally:
        await asyncio.gather(*(each.close() for each in senders))


async def _finish_before_stop(stop_event: asyncio.Event, future: asyncio.Future[Any]) -> bool:
    """Whether something was done before somebody wanted an end."""
    stopped: asyncio.Task[Any] = asyncio.create_task(stop_event.wait())
    await asyncio.wait({future, stopped}, return_when="FIRST_COMPLETED")
    stopped.cancel()
    if future.done():
        future.result()
        return True
    future.cancel()
    return False


async def _wait_for_result(worker: WorkerProcess, workers: Sequence[WorkerProcess]) -> dict[str, Any]:
    """What a sender measured of itself; if it stopped before its plan ended, so do the others."""
    said = await worker.wait_for_message("end")
    probed: dict[str, Any] = said["probed"]
    if probed["stopped"]:
        for each in workers:
            each.send_line("stop")
    return probed


async def _forward_stop_to_all(stop_event: asyncio.Event, workers: Sequence[WorkerProcess]) -> None:
    await stop_event.wait()
    for each in workers:
        each.send_line("stop")


async def _monitor_progress(
    workers: Sequence[WorkerProcess], on_progress: ProgressCallback, max_errors: int | None
) -> str:
    """Tell how it goes; each sender knows its own failures only, so all are counted here."""
    while True:
        await asyncio.sleep(0.5)
        live = [each.progress for each in workers if each.progress]
        counts = {name: sum(one[name] for one in live) for name in (live[0] if live else {})}
        on_progress(counts)
        if max_errors is not None and counts.get("failed", 0) >= max_errors:
            for each in workers:
                each.send_line("stop")
            return f"{counts['failed']} requests failed"


class WorkerProcess:
    """A sender in a process of its own."""

    def __init__(self, plan: LoadPointPlan) -> None:
        self._plan = plan
        self._process: Process | None = None
        self.progress: dict[str, int] = {}

    async def start(self) -> None:
        log = Path(self._plan.folder) / f"sender.{self._plan.sender_index}.log"
        with log.open("wb") as errors_go_to:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "auricle.perf.worker",
                stdin=PIPE, stdout=PIPE, stderr=errors_go_to,
                env={**os.environ, "PYTHONSAFEPATH": ""},
                start_new_session=True,  # Ctrl-C is for whoever started us to pass on
                limit=1 << 26,
            )  # fmt: skip
        self.send_line(self._plan.to_json().decode())

    def send_line(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(f"{line}\n".encode())

    async def wait_for_message(self, kind: str) -> dict[str, Any]:
        """What it says of this kind; an error it tells is raised here."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said: dict[str, Any] = orjson.loads(line)
            if said["kind"] == "error":
                raise _error_from_message(said)
            if said.pop("kind") == kind:
                return said
            self.progress = said
        log = Path(self._plan.folder) / f"sender.{self._plan.sender_index}.log"
        raise SpecError(f"A sender died; its last words are in {log}.")

    async def close(self) -> None:
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), 5)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


def _error_from_message(message: dict[str, Any]) -> SpecError:
    kind = getattr(errors, message["name"], SpecError)
    plain = isinstance(kind, type) and issubclass(kind, SpecError) and kind is not errors.MissingExtra
    return (kind if plain else SpecError)(message["message"])


def _merge_request_files(plan: LoadPointPlan) -> None:
    """One file of all senders' lines, in the order of the plan; their places are held, not they."""
    folder = Path(plan.folder)
    parts = [folder / f"requests.{share}.jsonl" for share in range(plan.senders)]
    with ExitStack() as open_files, (folder / "requests.jsonl").open("wb") as whole:
        files = [open_files.enter_context(part.open("rb")) for part in parts if part.exists()]
        places = sorted(place for at, file in enumerate(files) for place in _index_lines(at, file))
        for _, _, at, offset in places:
            files[at].seek(offset)
            whole.write(files[at].readline())
    for part in parts:
        part.unlink(missing_ok=True)


def _index_lines(file_index: int, file: BufferedReader) -> Iterator[tuple[int, int, int, int]]:
    """Index and turn of each line, and where it is: which file, how far in."""
    offset = 0
    for line in file:
        if line.endswith(b"\n"):  # the last may be torn
            said = orjson.loads(line)
            yield said["index"], said.get("turn", 0), file_index, offset
        offset += len(line)


def read_request_records(folder: Path) -> list[RequestRecord]:
    """All requests of a load point."""
    with (folder / "requests.jsonl").open("rb") as lines:
        return [RequestRecord.from_json(line) for line in lines]
