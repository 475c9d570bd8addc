"""Runs started by the app, each in its own process of the command line.

    RUNS/.jobs/NAME.json    command, process id and exit code
    RUNS/.jobs/NAME.log     output of the process: progress events, and lines for people

Runs continue when the page is closed or the app stops; an app started later picks them up again. Resuming repeats the
command, which sends only the samples that are not completed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import psutil

from auricle.app.run_form import RunForm
from auricle.app.workspace import Workspace, is_file_inside_run, is_run_finished
from auricle.core.errors import AuricleError, DataError, ExitStatus, SpecError
from auricle.core.files import write_atomically
from auricle.engine.dry_run import CheckLine
from auricle.engine.progress import ProgressEvent
from auricle.runs.documents import encode_document, read_document

LOG_TAIL_BYTES = 250_000
"""Number of bytes that are read from the end of a log."""
CHECK_TIMEOUT = 300.0
"""Seconds that the check of a run may take."""
DEMO_LIMIT_VARIABLE = "AURICLE_UI_DEMO_LIMIT"
JobState: TypeAlias = Literal["running", "stopping", "done", "done_with_failures", "stopped", "failed"]
EXIT_STATES: dict[int, JobState] = {
    ExitStatus.OK: "done",
    ExitStatus.ERROR: "failed",
    ExitStatus.FAILURES: "done_with_failures",
}
ERROR_PREFIX = "auricle: "
PROGRESS_OPTION = ("--progress", "json")


@dataclass(frozen=True, slots=True)
class Job:
    """A command and the process that runs it."""

    name: str
    form: RunForm | None
    """What to run; None for the demo. It is checked again before each start, because anyone may have written it."""
    runs: tuple[str, ...]
    """Names of the runs it writes, relative to the runs folder."""
    pid: int = 0
    started_at: float = 0.0
    """Start time of the process according to the operating system, which may reuse the process id later."""
    exit_code: int | None = None
    """None while it runs, and if it ended while the app was not running."""
    stop_requests: int = 0
    """Number of stop requests; after the second, the process does not wait for requests in flight."""


class JobLog(NamedTuple):
    """The last part of what a job printed."""

    events: tuple[ProgressEvent, ...] = ()
    lines: tuple[str, ...] = ()
    """What is not an event: notes, results and errors for people."""

    @classmethod
    def parse(cls, text: str) -> JobLog:
        pairs = [(ProgressEvent.parse(line), line) for line in text.splitlines()]
        return cls(tuple(event for event, _ in pairs if event), tuple(line for event, line in pairs if not event))

    @property
    def progress(self) -> list[ProgressEvent]:
        """The last event of each phase of each run, in the order they were started."""
        return list({(event.run, event.phase): event for event in self.events}.values())

    @property
    def last_failure(self) -> ProgressEvent | None:
        return next((event for event in reversed(self.events) if event.event == "failed"), None)

    @property
    def error(self) -> str:
        """The last error message, or an empty string."""
        messages = [line for line in self.lines if line.startswith(ERROR_PREFIX)]
        return messages[-1].removeprefix(ERROR_PREFIX) if messages else ""


class JobManager:
    """Starts, stops and lists the jobs of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.root / ".jobs"

    def start(self, run_form: RunForm) -> Job:
        """Start the run that a form describes."""
        return self.run(Job(slugify(run_form.run_name), run_form, (run_form.run_name.strip(),)))

    def start_demo(self) -> Job:
        """Start the demo: two recognisers on the speech that ships with the package."""
        from auricle.tasks.demo.kinds import DEMO_MODELS

        return self.run(Job("demo", None, tuple(f"demo/{model}" for model in DEMO_MODELS)))

    def build_arguments(self, job: Job) -> list[str]:
        """Return the arguments for `auricle`, after checking the form of the job."""
        if job.form:
            return job.form.build_arguments(self._workspace)
        limit = os.environ.get(DEMO_LIMIT_VARIABLE)
        return ["demo", "-o", str(self._workspace.root / "demo"), *(["--limit", limit] if limit else [])]

    def check(self, run_form: RunForm) -> list[CheckLine]:
        """Check the run that a form describes with `auricle run --dry-run`, in a process of its own.

        Raises:
            SpecError: If a value is invalid or not allowed.
        """
        arguments = run_form.build_arguments(self._workspace)
        exit_code, output, errors = _run_dry_run([*arguments, "--dry-run", "--json"])
        try:
            return [CheckLine(check["passed"], str(check["text"])) for check in json.loads(output)["checks"]]
        except (ValueError, KeyError, TypeError):
            reason = JobLog.parse(errors).error or f"The check ended with exit code {exit_code}."
            return [CheckLine(False, reason)]

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

    def read_log(self, job: Job) -> JobLog:
        """Read the last part of the output."""
        path = self._log_path(job.name)
        if not is_file_inside_run(path):
            return JobLog()
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            return JobLog.parse(log.read().decode(errors="replace"))

    def run(self, job: Job) -> Job:
        """Run the command of a job, for the first time or again.

        Raises:
            SpecError: If its form has a value that is invalid or not allowed, or it is already running.
        """
        arguments = self.build_arguments(job)
        if self._folder.is_symlink():
            raise SpecError(f"{self._folder} is a symbolic link. Remove it to start runs.")
        self._folder.mkdir(parents=True, exist_ok=True)
        previous = self.get(job.name)
        if previous and is_alive(previous):
            raise SpecError(f"{job.name} is already running.")
        log_path = self._log_path(job.name)
        log_path.unlink(missing_ok=True)
        pid = _spawn_process([sys.executable, "-m", "auricle", *arguments, *PROGRESS_OPTION], log_path)
        try:
            started_at = psutil.Process(pid).create_time()
        except psutil.NoSuchProcess:
            started_at = time.time()
        job = replace(job, pid=pid, started_at=started_at, exit_code=None, stop_requests=0)
        self._write(job)
        return job

    def _with_exit_code(self, job: Job) -> Job:
        """Return the job with its exit code, if the process is a child of this one."""
        if job.exit_code is not None or job.pid <= 0:  # other numbers would stand for any child
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
        write_atomically(self._job_path(job.name), encode_document(job))

    def _read(self, path: Path) -> Job | None:
        """Read a job from its file; return None if the file is damaged or elsewhere."""
        try:
            return read_document(path, Job) if is_file_inside_run(path) else None
        except (OSError, DataError):
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


def _run_dry_run(arguments: list[str]) -> tuple[int, str, str]:
    """Run `auricle` with these arguments, and return its exit code and what it printed."""
    command = [sys.executable, "-m", "auricle", *arguments]
    try:
        process = subprocess.run(  # noqa: S603 - our own command, no shell
            command, capture_output=True, text=True, errors="replace", timeout=CHECK_TIMEOUT, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1, "", f"{ERROR_PREFIX}The check took longer than {CHECK_TIMEOUT:.0f} s."
    return process.returncode, process.stdout, process.stderr


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
