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
from auricle.perf.exchange import Exchange
from auricle.perf.health import Health
from auricle.perf.plan import Plan
from auricle.perf.worker import Stage, send

LEAD = 0.3  # seconds from "all are ready" to the start, so that nobody misses it

Watch = Callable[[dict[str, Any]], None]
"""Whoever wants to see how it goes: counts over all senders, and the load they are of."""


async def play(plan: Plan, watch: Watch, stop: asyncio.Event) -> Health:
    """Offer the load and keep what came of it in the plan's folder."""
    watch = _recent(plan, watch)
    if plan.senders == 1:
        probed = [await _here(plan, watch, stop)]
    else:
        probed = await _apart(plan, watch, stop)
    _gather(plan)
    return Health.of(
        lags=[each for one in probed for each in one["lags"]],
        idle_lags=[each for one in probed for each in one["idle_lags"]],
        lates=[each for one in probed for each in one["lates"]],
        cpu_share=[one["cpu"] for one in probed],
        stopped="interrupted"
        if stop.is_set()
        else next((one["stopped"] for one in probed if one["stopped"]), ""),
    )


def _recent(plan: Plan, watch: Watch) -> Watch:
    """The same watch, told also of which load it is, and how long the latest waited on average."""
    last = {"answered": 0, "waited": 0.0}

    def seen(counts: dict[str, Any]) -> None:
        if not counts:
            return
        told = {name: value for name, value in counts.items() if name != "waited"}
        if (fresh := counts["answered"] - last["answered"]) > 0:
            told["ttft_s"] = (counts["waited"] - last["waited"]) / fresh
        last.update(answered=counts["answered"], waited=counts["waited"])
        watch({"load": plan.load, "seconds": plan.over, **told})

    return seen


async def _here(plan: Plan, watch: Watch, stop: asyncio.Event) -> dict[str, Any]:
    async def begin() -> float:
        return time.monotonic() + LEAD

    def tell(said: dict[str, Any]) -> None:
        if said["kind"] == "live":
            watch({name: value for name, value in said.items() if name != "kind"})

    own = asyncio.Event()
    passing = asyncio.create_task(_pass_on(stop, own))
    try:
        return await send(plan, Stage(begin, tell, own))
    finally:
        passing.cancel()


async def _pass_on(stop: asyncio.Event, own: asyncio.Event) -> None:
    """A sender may stop itself, for too many errors; that is not the user's doing."""
    await stop.wait()
    own.set()


async def _apart(plan: Plan, watch: Watch, stop: asyncio.Event) -> list[dict[str, Any]]:
    senders = [Sender(share) for share in plan.shares()]
    try:
        await asyncio.gather(*(each.start() for each in senders))
        if not await _unless(stop, asyncio.gather(*(each.until("ready") for each in senders))):
            return []
        at = time.monotonic() + LEAD
        for each in senders:
            each.say(f"start {at!r}")
        ends = [asyncio.create_task(_ended(each, senders)) for each in senders]
        stopping = asyncio.create_task(_stop_all(stop, senders))
        watching = asyncio.create_task(_watch_all(senders, watch, plan.max_errors))
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


async def _unless(stop: asyncio.Event, work: asyncio.Future[Any]) -> bool:
    """Whether something was done before somebody wanted an end."""
    stopped: asyncio.Task[Any] = asyncio.create_task(stop.wait())
    await asyncio.wait({work, stopped}, return_when="FIRST_COMPLETED")
    stopped.cancel()
    if work.done():
        work.result()
        return True
    work.cancel()
    return False


async def _ended(sender: Sender, senders: Sequence[Sender]) -> dict[str, Any]:
    """What a sender measured of itself; if it stopped before its plan ended, so do the others."""
    said = await sender.until("end")
    probed: dict[str, Any] = said["probed"]
    if probed["stopped"]:
        for each in senders:
            each.say("stop")
    return probed


async def _stop_all(stop: asyncio.Event, senders: Sequence[Sender]) -> None:
    await stop.wait()
    for each in senders:
        each.say("stop")


async def _watch_all(senders: Sequence[Sender], watch: Watch, max_errors: int | None) -> str:
    """Tell how it goes; each sender knows its own failures only, so all are counted here."""
    while True:
        await asyncio.sleep(0.5)
        live = [each.live for each in senders if each.live]
        counts = {name: sum(one[name] for one in live) for name in (live[0] if live else {})}
        watch(counts)
        if max_errors is not None and counts.get("failed", 0) >= max_errors:
            for each in senders:
                each.say("stop")
            return f"{counts['failed']} requests failed"


class Sender:
    """A sender in a process of its own."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._process: Process | None = None
        self.live: dict[str, int] = {}

    async def start(self) -> None:
        log = Path(self._plan.folder) / f"sender.{self._plan.share}.log"
        with log.open("wb") as errors_go_to:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "auricle.perf.worker",
                stdin=PIPE, stdout=PIPE, stderr=errors_go_to,
                env={**os.environ, "PYTHONSAFEPATH": ""},
                start_new_session=True,  # Ctrl-C is for whoever started us to pass on
                limit=1 << 26,
            )  # fmt: skip
        self.say(self._plan.packed().decode())

    def say(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(f"{line}\n".encode())

    async def until(self, kind: str) -> dict[str, Any]:
        """What it says of this kind; an error it tells is raised here."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said: dict[str, Any] = orjson.loads(line)
            if said["kind"] == "error":
                raise _as_told(said)
            if said.pop("kind") == kind:
                return said
            self.live = said
        log = Path(self._plan.folder) / f"sender.{self._plan.share}.log"
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


def _as_told(said: dict[str, Any]) -> SpecError:
    kind = getattr(errors, said["name"], SpecError)
    plain = (
        isinstance(kind, type) and issubclass(kind, SpecError) and kind is not errors.MissingExtra
    )
    return (kind if plain else SpecError)(said["message"])


def _gather(plan: Plan) -> None:
    """One file of all senders' lines, in the order of the plan; their places are held, not they."""
    folder = Path(plan.folder)
    parts = [folder / f"requests.{share}.jsonl" for share in range(plan.senders)]
    with ExitStack() as open_files, (folder / "requests.jsonl").open("wb") as whole:
        files = [open_files.enter_context(part.open("rb")) for part in parts if part.exists()]
        places = sorted(place for at, file in enumerate(files) for place in _places(at, file))
        for _, _, at, offset in places:
            files[at].seek(offset)
            whole.write(files[at].readline())
    for part in parts:
        part.unlink(missing_ok=True)


def _places(at: int, file: BufferedReader) -> Iterator[tuple[int, int, int, int]]:
    """Index and turn of each line, and where it is: which file, how far in."""
    offset = 0
    for line in file:
        if line.endswith(b"\n"):  # the last may be torn
            said = orjson.loads(line)
            yield said["index"], said.get("turn", 0), at, offset
        offset += len(line)


def exchanges(folder: Path) -> list[Exchange]:
    """All requests of a load point."""
    with (folder / "requests.jsonl").open("rb") as lines:
        return [Exchange.read(line) for line in lines]
