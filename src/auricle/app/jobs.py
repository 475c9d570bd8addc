"""Runs started by the app, each in its own process of the command line.

    RUNS/.jobs/NAME.json    command, process id and exit code
    RUNS/.jobs/NAME.log     output of the process, from which progress is read

Runs continue when the page is closed or the app stops; an app started later picks them up again. Resuming repeats the
command, which sends only the samples that are not completed.
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
from auricle.app.workspace import Workspace, is_run_finished
from auricle.core.errors import AuricleError, DataError, SpecError
from auricle.core.files import write_atomically

LOG_TAIL_BYTES = 64_000
"""Number of bytes that are read from the end of a log."""
DEMO_LIMIT_VARIABLE = "AURICLE_UI_DEMO_LIMIT"
JobState: TypeAlias = Literal["running", "stopping", "done", "done_with_failures", "stopped", "failed"]
EXIT_STATES: dict[int, JobState] = {0: "done", 2: "failed", 3: "done_with_failures"}
ERROR_PREFIX = "auricle: "
PROGRESS_LINE = re.compile(
    r"^(?P<title>.{1,300}): (?P<done>\d+)(?: of (?P<total>\d+))? (?P<unit>samples|verdicts), "
    r"(?P<rate>[\d.e+-]+)/s(?:, \d+ in flight)?(?:, \d+ retried)?"
    r"(?:, (?P<failed>\d+) failed)?(?:, \d+ answered before)?"
    r"(?:, (?P<left>\d+) s left)?$"
)
"""A line of progress, as `auricle run` prints it."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command and the process that runs it."""

    name: str
    arguments: tuple[str, ...]
    runs: tuple[str, ...]
    """Names of the runs it writes, relative to the runs folder."""
    pid: int = 0
    started_at: float = 0.0
    """Start time of the process according to the operating system, which may reuse the process id later."""
    exit_code: int | None = None
    """None while it runs, and if it ended while the app was not running."""
    stop_requests: int = 0
    """Number of stop requests; after the second, the process does not wait for requests in flight."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of one run of a job, from the last line it printed."""

    title: str
    done: int
    total: int | None
    unit: str
    failed: int
    rate: float
    seconds_left: float | None
    is_finished: bool


class JobManager:
    """Starts, stops and lists the jobs of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.root / ".jobs"

    def start(self, run_form: RunForm) -> Job:
        """Start the run that a form describes."""
        arguments = run_form.build_arguments(self._workspace)
        return self._start_job(Job(slugify(run_form.run_name), tuple(arguments), (run_form.run_name.strip(),)))

    def start_demo(self) -> Job:
        """Start the demo: two recognisers on the speech that ships with the package."""
        from auricle.tasks.demo import DEMO_MODELS

        arguments = ["demo", "-o", str(self._workspace.root / "demo")]
        if limit := os.environ.get(DEMO_LIMIT_VARIABLE):
            arguments += ["--limit", limit]
        return self._start_job(Job("demo", tuple(arguments), tuple(f"demo/{model}" for model in DEMO_MODELS)))

    def resume(self, job: Job) -> Job:
        """Run the command of a job again."""
        return self._start_job(job)

    def list_jobs(self) -> list[Job]:
        """List all jobs, the most recently started first."""
        jobs = filter(None, map(self._read, self._folder.glob("*.json")))
        return sorted(jobs, key=lambda job: job.started_at, reverse=True)

    def get(self, name: str) -> Job | None:
        return self._read(self._job_path(name))

    def state(self, job: Job) -> JobState:
        """Return the state of a job, from its process, its exit code or, if that is unknown, its runs."""
        if is_alive(job):
            return "stopping" if job.stop_requests else "running"
        job = self._with_exit_code(job)
        if job.exit_code is None:
            return "done" if all(map(self._is_complete, job.runs)) else "stopped"
        return EXIT_STATES.get(job.exit_code, "stopped")

    def cancel(self, job: Job) -> None:
        """Send the process an interrupt, as Ctrl-C does; the run can be resumed."""
        if is_alive(job):
            with suppress(ProcessLookupError):
                os.kill(job.pid, signal.SIGINT)
            self._write(replace(job, stop_requests=job.stop_requests + 1))

    def remove(self, job: Job) -> None:
        """Delete the record and the log of a job that has ended; its runs are kept."""
        if not is_alive(job):
            for path in (self._job_path(job.name), self._log_path(job.name)):
                path.unlink(missing_ok=True)

    def read_log(self, job: Job) -> str:
        """Return the last part of the output."""
        path = self._log_path(job.name)
        if not path.exists():
            return ""
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace")

    def read_progress(self, job: Job) -> list[RunProgress]:
        """Return the progress of each run of the job, in the order they were started."""
        progress: dict[str, RunProgress] = {}
        for line in self.read_log(job).splitlines():
            if match := PROGRESS_LINE.match(line):
                title = match["title"]
                progress[title] = _parse_progress(match, progress.get(title))
        return list(progress.values())

    def read_error(self, job: Job) -> str:
        """Return the last error message in the log, or an empty string."""
        messages = [line for line in self.read_log(job).splitlines() if line.startswith(ERROR_PREFIX)]
        return messages[-1].removeprefix(ERROR_PREFIX) if messages else ""

    def _start_job(self, job: Job) -> Job:
        self._folder.mkdir(parents=True, exist_ok=True)
        previous = self.get(job.name)
        if previous and is_alive(previous):
            raise SpecError(f"{job.name} is already running.")
        self._log_path(job.name).unlink(missing_ok=True)
        pid = _spawn_process([sys.executable, "-m", "auricle", *job.arguments], self._log_path(job.name))
        try:
            started_at = psutil.Process(pid).create_time()
        except psutil.NoSuchProcess:
            started_at = time.time()
        job = replace(job, pid=pid, started_at=started_at, exit_code=None, stop_requests=0)
        self._write(job)
        return job

    def _with_exit_code(self, job: Job) -> Job:
        """Return the job with its exit code, if the process is a child of this one."""
        if job.exit_code is not None:
            return job
        try:
            pid, status = os.waitpid(job.pid, os.WNOHANG)
        except ChildProcessError:
            return self.get(job.name) or job
        if pid:
            job = replace(self.get(job.name) or job, exit_code=os.waitstatus_to_exitcode(status))
            self._write(job)
        return job

    def _is_complete(self, run_name: str) -> bool:
        with suppress(AuricleError, OSError):
            return is_run_finished(self._workspace.resolve_run(run_name))
        return False

    def _job_path(self, name: str) -> Path:
        return self._folder / f"{slugify(name)}.json"

    def _log_path(self, name: str) -> Path:
        return self._folder / f"{slugify(name)}.log"

    def _write(self, job: Job) -> None:
        write_atomically(self._job_path(job.name), orjson.dumps(asdict(job), option=orjson.OPT_INDENT_2))

    def _read(self, path: Path) -> Job | None:
        """Read a job from its file; return None if the file is damaged."""
        try:
            job = Job(**orjson.loads(path.read_bytes()))
            return replace(job, arguments=tuple(job.arguments), runs=tuple(job.runs))
        except (OSError, orjson.JSONDecodeError, TypeError, DataError):
            return None


def is_alive(job: Job) -> bool:
    """Return whether the process of the job is still running; a zombie is not."""
    try:
        process = psutil.Process(job.pid)
        is_same_process = abs(process.create_time() - job.started_at) < 1.0
        return bool(is_same_process and process.status() != psutil.STATUS_ZOMBIE)
    except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError, OverflowError):
        return False


def slugify(text: str, default: str = "job") -> str:
    """Turn a text into a file name.

    >>> slugify("my run/one")
    'my-run-one'
    """
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.") or default


def _spawn_process(command: list[str], log_path: Path) -> int:
    """Start a process in its own session, so that it outlives the app, with its output in a file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        command[0],
        command,
        {**os.environ, "PYTHONUNBUFFERED": "1", "AURICLE_PROGRESS_SECONDS": "1"},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log_path), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGTERM],
        setsigmask=[],
    )


def _parse_progress(match: re.Match[str], previous: RunProgress | None) -> RunProgress:
    """Build the progress from a line; the last line of a run has no total, so the previous one is used."""
    done = int(match["done"])
    total = int(match["total"]) if match["total"] else None
    return RunProgress(
        title=match["title"],
        done=done,
        total=total or (previous.total if previous else None) or done,
        unit=match["unit"],
        failed=int(match["failed"] or 0),
        rate=float(match["rate"]),
        seconds_left=float(match["left"]) if match["left"] else None,
        is_finished=total is None,
    )
