"""Runs that the app started: processes of the command line, on their own from then on.

    RUNS/.jobs/NAME.json    which process, which command, what became of it
    RUNS/.jobs/NAME.log     what it said; its progress is read from there

Closing the page or ending the app stops nothing; an app started later finds its jobs again. A
stopped job's command is given again to go on with it: a run never asks twice.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import orjson
import psutil

from auricle.app.run_form import Order
from auricle.app.workspace import Shelf
from auricle.core.errors import DataError, SpecError
from auricle.core.files import write_whole
from auricle.runs.run_directory import Run

TAIL = 64_000  # bytes of a log that are read
DEMO_LIMIT = "AURICLE_UI_DEMO_LIMIT"
State: TypeAlias = Literal["running", "stopping", "done", "incomplete", "stopped", "refused"]
LINE = re.compile(
    r"^(?P<title>.{1,300}): (?P<done>\d+)(?: of (?P<total>\d+))? (?P<what>samples|verdicts), "
    r"(?P<rate>[\d.e+-]+)/s(?:, (?P<inside>\d+) in flight)?(?:, \d+ retried)?"
    r"(?:, (?P<failed>\d+) failed)?(?:, (?P<held>\d+) answered before)?"
    r"(?:, (?P<left>\d+) s left)?$"
)


@dataclass(frozen=True, slots=True)
class Job:
    """One command, and the process that does it or did."""

    name: str
    words: tuple[str, ...]
    runs: tuple[str, ...]
    """Names on the shelf of the runs it writes."""
    process: int = 0
    born: float = 0.0
    """When the process began, by the system's account: its number may go to another later."""
    code: int | None = None
    """How it ended; not known where the app was away at that time."""
    stops: int = 0
    """How often it was asked to stop; the second time it does not wait for what is in flight."""


@dataclass(frozen=True, slots=True)
class Stage:
    """How far one run of a job is, by its own last word."""

    title: str
    done: int
    total: int | None
    what: str
    failed: int
    rate: float
    left: float | None
    finished: bool


class Jobs:
    """The jobs of one shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._folder = shelf.root / ".jobs"

    def start(self, order: Order) -> Job:
        """Begin a benchmark."""
        words = order.words(self._shelf)
        return self._begin(Job(_slug(order.run), tuple(words), (order.run.strip(),)))

    def demo(self) -> Job:
        """Begin the demo: both recognisers, on the speech that ships with the package."""
        from auricle.tasks.demo import DEMO_MODELS

        words = ["demo", "-o", str(self._shelf.root / "demo")]
        if short := os.environ.get(DEMO_LIMIT):
            words += ["--limit", short]
        return self._begin(Job("demo", tuple(words), tuple(f"demo/{each}" for each in DEMO_MODELS)))

    def resume(self, job: Job) -> Job:
        """Go on with what was stopped."""
        return self._begin(job)

    def all(self) -> list[Job]:
        """Every job there is a note of, those that began last first."""
        found = filter(None, map(self._read, self._folder.glob("*.json")))
        return sorted(found, key=lambda job: job.born, reverse=True)

    def get(self, name: str) -> Job | None:
        return self._read(self._note(name))

    def state(self, job: Job) -> State:
        """What became of it: by its process, its exit code, or, where that is lost, its runs."""
        if alive(job):
            return "stopping" if job.stops else "running"
        job = self._ended(job)
        if job.code is None:
            return "done" if all(map(self._complete, job.runs)) else "stopped"
        known: dict[int, State] = {0: "done", 2: "refused", 3: "incomplete"}
        return known.get(job.code, "stopped")

    def cancel(self, job: Job) -> None:
        """Ask it to stop as Ctrl-C does; the run can be resumed."""
        if alive(job):
            with suppress(ProcessLookupError):
                os.kill(job.process, signal.SIGINT)
            self._write(replace(job, stops=job.stops + 1))

    def forget(self, job: Job) -> None:
        """Drop the note and the log of a job that is over; its runs stay."""
        if not alive(job):
            for path in (self._note(job.name), self._log(job.name)):
                path.unlink(missing_ok=True)

    def said(self, job: Job) -> str:
        """The end of what it said."""
        path = self._log(job.name)
        if not path.exists():
            return ""
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - TAIL))
            return log.read().decode(errors="replace")

    def stages(self, job: Job) -> list[Stage]:
        """How far each of its runs is, in the order they were begun."""
        found: dict[str, Stage] = {}
        for line in self.said(job).splitlines():
            if told := LINE.match(line):
                before = found.get(told["title"])
                found[told["title"]] = _stage(told, before)
        return list(found.values())

    def why(self, job: Job) -> str:
        """The last line it said of its own, for one that was refused."""
        told = [line for line in self.said(job).splitlines() if line.startswith("auricle: ")]
        return told[-1].removeprefix("auricle: ") if told else ""

    def _begin(self, job: Job) -> Job:
        self._folder.mkdir(parents=True, exist_ok=True)
        held = self.get(job.name)
        if held and alive(held):
            raise SpecError(f"{job.name} is under way already.")
        self._log(job.name).unlink(missing_ok=True)
        process = _spawned([sys.executable, "-m", "auricle", *job.words], self._log(job.name))
        try:
            born = psutil.Process(process).create_time()
        except psutil.NoSuchProcess:
            born = time.time()
        job = replace(job, process=process, born=born, code=None, stops=0)
        self._write(job)
        return job

    def _ended(self, job: Job) -> Job:
        """The job with its exit code, if it was our child and nobody asked before."""
        if job.code is not None:
            return job
        try:
            process, status = os.waitpid(job.process, os.WNOHANG)
        except ChildProcessError:
            return self.get(job.name) or job
        if process:
            job = replace(self.get(job.name) or job, code=os.waitstatus_to_exitcode(status))
            self._write(job)
        return job

    def _complete(self, name: str) -> bool:
        with suppress(SpecError, OSError, ValueError):
            return Run.load(self._shelf.run(name)).progress().get("complete") is True
        return False

    def _note(self, name: str) -> Path:
        return self._folder / f"{_slug(name)}.json"

    def _log(self, name: str) -> Path:
        return self._folder / f"{_slug(name)}.log"

    def _write(self, job: Job) -> None:
        write_whole(self._note(job.name), orjson.dumps(asdict(job), option=orjson.OPT_INDENT_2))

    def _read(self, path: Path) -> Job | None:
        """A job from its note; a damaged one is none."""
        try:
            held = orjson.loads(path.read_bytes())
            job = Job(**held)
            return replace(job, words=tuple(job.words), runs=tuple(job.runs))
        except (OSError, orjson.JSONDecodeError, TypeError, DataError):
            return None


def alive(job: Job) -> bool:
    """Is its own process still at work? One that only waits to be asked how it ended is not."""
    try:
        process = psutil.Process(job.process)
        same = abs(process.create_time() - job.born) < 1.0
        return bool(same and process.status() != psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError, OverflowError):
        return False


def _spawned(command: list[str], log: Path) -> int:
    """A process that outlives us, in a session of its own, with what it says in a file."""
    out = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        command[0],
        command,
        {**os.environ, "PYTHONUNBUFFERED": "1", "AURICLE_PROGRESS_SECONDS": "1"},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), out, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGTERM],
        setsigmask=[],
    )


def _stage(told: re.Match[str], before: Stage | None) -> Stage:
    """A line as figures; the last of a run tells no total, for what it passed over is all."""
    done = int(told["done"])
    total = int(told["total"]) if told["total"] else None
    return Stage(
        title=told["title"],
        done=done,
        total=total or (before.total if before else None) or done,
        what=told["what"],
        failed=int(told["failed"] or 0),
        rate=float(told["rate"]),
        left=float(told["left"]) if told["left"] else None,
        finished=total is None,
    )


def _slug(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "job"
