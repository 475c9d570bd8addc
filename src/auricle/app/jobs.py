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

from auricle.app.run_form import RunForm
from auricle.app.workspace import Workspace
from auricle.core.errors import DataError, SpecError
from auricle.core.files import write_atomically
from auricle.runs.run_directory import Run

LOG_TAIL_BYTES = 64_000  # bytes of a log that are read
DEMO_LIMIT_VARIABLE = "AURICLE_UI_DEMO_LIMIT"
JobState: TypeAlias = Literal["running", "stopping", "done", "incomplete", "stopped", "refused"]
PROGRESS_LINE = re.compile(
    r"^(?P<title>.{1,300}): (?P<done>\d+)(?: of (?P<total>\d+))? (?P<what>samples|verdicts), "
    r"(?P<rate>[\d.e+-]+)/s(?:, (?P<inside>\d+) in flight)?(?:, \d+ retried)?"
    r"(?:, (?P<failed>\d+) failed)?(?:, (?P<held>\d+) answered before)?"
    r"(?:, (?P<left>\d+) s left)?$"
)


@dataclass(frozen=True, slots=True)
class Job:
    """One command, and the process that does it or did."""

    name: str
    arguments: tuple[str, ...]
    runs: tuple[str, ...]
    """Names on the shelf of the runs it writes."""
    pid: int = 0
    started_at: float = 0.0
    """When the process began, by the system's account: its number may go to another later."""
    exit_code: int | None = None
    """How it ended; not known where the app was away at that time."""
    stop_requests: int = 0
    """How often it was asked to stop; the second time it does not wait for what is in flight."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far one run of a job is, by its own last word."""

    title: str
    done: int
    total: int | None
    unit: str
    failed: int
    rate: float
    seconds_left: float | None
    is_finished: bool


class JobManager:
    """The jobs of one shelf."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.root / ".jobs"

    def start(self, run_form: RunForm) -> Job:
        """Begin a benchmark."""
        words = run_form.build_arguments(self._workspace)
        return self._start_job(Job(_slugify(run_form.run_name), tuple(words), (run_form.run_name.strip(),)))

    def start_demo(self) -> Job:
        """Begin the demo: both recognisers, on the speech that ships with the package."""
        from auricle.tasks.demo import DEMO_MODELS

        words = ["demo", "-o", str(self._workspace.root / "demo")]
        if short := os.environ.get(DEMO_LIMIT_VARIABLE):
            words += ["--limit", short]
        return self._start_job(Job("demo", tuple(words), tuple(f"demo/{each}" for each in DEMO_MODELS)))

    def resume(self, job: Job) -> Job:
        """Go on with what was stopped."""
        return self._start_job(job)

    def list_jobs(self) -> list[Job]:
        """Every job there is a note of, those that began last first."""
        found = filter(None, map(self._read, self._folder.glob("*.json")))
        return sorted(found, key=lambda job: job.started_at, reverse=True)

    def get(self, name: str) -> Job | None:
        return self._read(self._job_path(name))

    def state(self, job: Job) -> JobState:
        """What became of it: by its process, its exit code, or, where that is lost, its runs."""
        if is_alive(job):
            return "stopping" if job.stop_requests else "running"
        job = self._with_exit_code(job)
        if job.exit_code is None:
            return "done" if all(map(self._is_complete, job.runs)) else "stopped"
        known: dict[int, JobState] = {0: "done", 2: "refused", 3: "incomplete"}
        return known.get(job.exit_code, "stopped")

    def cancel(self, job: Job) -> None:
        """Ask it to stop as Ctrl-C does; the run can be resumed."""
        if is_alive(job):
            with suppress(ProcessLookupError):
                os.kill(job.pid, signal.SIGINT)
            self._write(replace(job, stop_requests=job.stop_requests + 1))

    def remove(self, job: Job) -> None:
        """Drop the note and the log of a job that is over; its runs stay."""
        if not is_alive(job):
            for path in (self._job_path(job.name), self._log_path(job.name)):
                path.unlink(missing_ok=True)

    def read_log(self, job: Job) -> str:
        """The end of what it said."""
        path = self._log_path(job.name)
        if not path.exists():
            return ""
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace")

    def read_progress(self, job: Job) -> list[RunProgress]:
        """How far each of its runs is, in the order they were begun."""
        found: dict[str, RunProgress] = {}
        for line in self.read_log(job).splitlines():
            if told := PROGRESS_LINE.match(line):
                before = found.get(told["title"])
                found[told["title"]] = _parse_progress(told, before)
        return list(found.values())

    def read_error(self, job: Job) -> str:
        """The last line it said of its own, for one that was refused."""
        told = [line for line in self.read_log(job).splitlines() if line.startswith("auricle: ")]
        return told[-1].removeprefix("auricle: ") if told else ""

    def _start_job(self, job: Job) -> Job:
        self._folder.mkdir(parents=True, exist_ok=True)
        held = self.get(job.name)
        if held and is_alive(held):
            raise SpecError(f"{job.name} is under way already.")
        self._log_path(job.name).unlink(missing_ok=True)
        process = _spawn_process([sys.executable, "-m", "auricle", *job.arguments], self._log_path(job.name))
        try:
            born = psutil.Process(process).create_time()
        except psutil.NoSuchProcess:
            born = time.time()
        job = replace(job, pid=process, started_at=born, exit_code=None, stop_requests=0)
        self._write(job)
        return job

    def _with_exit_code(self, job: Job) -> Job:
        """The job with its exit code, if it was our child and nobody asked before."""
        if job.exit_code is not None:
            return job
        try:
            process, status = os.waitpid(job.pid, os.WNOHANG)
        except ChildProcessError:
            return self.get(job.name) or job
        if process:
            job = replace(self.get(job.name) or job, exit_code=os.waitstatus_to_exitcode(status))
            self._write(job)
        return job

    def _is_complete(self, run_name: str) -> bool:
        with suppress(SpecError, OSError, ValueError):
            return Run.load(self._workspace.resolve_run(run_name)).read_progress().get("complete") is True
        return False

    def _job_path(self, name: str) -> Path:
        return self._folder / f"{_slugify(name)}.json"

    def _log_path(self, name: str) -> Path:
        return self._folder / f"{_slugify(name)}.log"

    def _write(self, job: Job) -> None:
        write_atomically(self._job_path(job.name), orjson.dumps(asdict(job), option=orjson.OPT_INDENT_2))

    def _read(self, path: Path) -> Job | None:
        """A job from its note; a damaged one is none."""
        try:
            held = orjson.loads(path.read_bytes())
            job = Job(**held)
            return replace(job, arguments=tuple(job.arguments), runs=tuple(job.runs))
        except (OSError, orjson.JSONDecodeError, TypeError, DataError):
            return None


def is_alive(job: Job) -> bool:
    """Is its own process still at work? One that only waits to be asked how it ended is not."""
    try:
        process = psutil.Process(job.pid)
        same = abs(process.create_time() - job.started_at) < 1.0
        return bool(same and process.status() != psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError, OverflowError):
        return False


def _spawn_process(command: list[str], log_path: Path) -> int:
    """A process that outlives us, in a session of its own, with what it says in a file."""
    out = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        command[0],
        command,
        {**os.environ, "PYTHONUNBUFFERED": "1", "AURICLE_PROGRESS_SECONDS": "1"},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log_path), out, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGTERM],
        setsigmask=[],
    )


def _parse_progress(match: re.Match[str], previous: RunProgress | None) -> RunProgress:
    """A line as figures; the last of a run tells no total, for what it passed over is all."""
    done = int(match["done"])
    total = int(match["total"]) if match["total"] else None
    return RunProgress(
        title=match["title"],
        done=done,
        total=total or (previous.total if previous else None) or done,
        unit=match["what"],
        failed=int(match["failed"] or 0),
        rate=float(match["rate"]),
        seconds_left=float(match["left"]) if match["left"] else None,
        is_finished=total is None,
    )


def _slugify(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "job"
