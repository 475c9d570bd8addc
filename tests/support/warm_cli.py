"""Run the command line without its start-up time, by forking a process that has imported it.

Every call is a separate process, as for a user; only the imports are shared. Run as a script, this file
is the forking process. It reads one line of JSON per call and replies with the process id. For a line
with a process id it replies with the exit code, or with an empty line while the process runs.
"""

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

MODELS_WITH_WEIGHTS = {
    "emotion2vec",
    "audeering",
    "audio-chat",
    "audio-classification",
    "causal",
    "clap",
    "ctc",
    "vision-chat",
    "whisper",
}

IMPORTED_BEFORE_FORKING = (
    "aiohttp",
    "rapidfuzz.fuzz",
    "rapidfuzz.process",
    "soundfile",
    "auricle.api",
    "auricle.cli.error_report",
    "auricle.cli.evaluation",
    "auricle.cli.progress",
    "auricle.cli.run",
    "auricle.cli.show",
    "auricle.tasks.questions.conversations",
    "auricle.engine.budget",
    "auricle.engine.config",
    "auricle.tasks.asr.error_rates",
    "auricle.tasks.labels.metrics",
    "auricle.metrics.matrix_difference",
    "auricle.scoring.run_scores",
    "auricle.report.run_html",
    "auricle.report.sample_view",
    "auricle.report.terminal",
    "auricle.engine.kinds",
    "auricle.testing.models",
)
"""What most commands import, which takes longer than the rest of a short command; none of it starts a thread."""


def needs_new_process(environment: dict[str, str]) -> bool:
    """Return whether variables differ that Python or an imported package reads when it is loaded."""
    changed = environment.items() ^ os.environ.items()
    return any(name.startswith(("PYTHON", "SSL_")) for name, _ in changed)


class WarmCli:
    """Calls `auricle` in forks of a process that has already imported it."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._server.stdin
        assert self._server.stdout
        self._stdin, self._stdout = self._server.stdin, self._server.stdout
        self._calls = count(1)
        self._lock = threading.Lock()

    def __call__(
        self, words: list[str], folder: Path, scratch: Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end and return what `subprocess.run` would."""
        process = self.start(words, folder, scratch, environment)
        code = process.wait()
        assert code is not None
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in process.files)
        return subprocess.CompletedProcess([sys.executable, "-m", "auricle", *words], code, out, err)

    def start(
        self, words: list[str], folder: Path, scratch: Path, environment: dict[str, str] | None = None
    ) -> "WarmProcess":
        """Start a command and return its process."""
        number = next(self._calls)
        files = [Path(scratch) / f"{number}.{name}" for name in ("out", "err")]
        call: dict[str, Any] = {"words": words, "folder": str(folder), "out": str(files[0]), "err": str(files[1])}
        call["environment"] = dict(os.environ if environment is None else environment)
        return WarmProcess(int(self.send(call)), files, self)

    def send(self, message: dict[str, Any]) -> str:
        """Send a message to the forking process and return its reply."""
        with self._lock:
            self._stdin.write(json.dumps(message) + "\n")
            self._stdin.flush()
            return self._stdout.readline().strip()

    def close(self) -> None:
        self._stdin.close()
        self._stdout.close()
        self._server.wait()


class WarmProcess:
    """A running command, with as much of the interface of `Popen` as tests use."""

    def __init__(self, pid: int, files: list[Path], server: WarmCli) -> None:
        self.pid, self.files = pid, files
        self.returncode: int | None = None
        self._server = server

    def poll(self, block: bool = False) -> int | None:
        if self.returncode is None:
            code = self._server.send({"pid": self.pid, "block": block})
            self.returncode = int(code) if code else None
        return self.returncode

    def wait(self) -> int | None:
        if threading.current_thread() is threading.main_thread():
            return self.poll(block=True)
        while self.poll() is None:  # other threads run commands at the same time
            time.sleep(0.01)
        return self.returncode

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def _serve() -> None:
    for name in IMPORTED_BEFORE_FORKING:
        import_module(name)
    _compile_templates()
    gc.collect()
    gc.freeze()  # so that collecting garbage copies no memory that forks share

    replies = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        message = json.loads(line)
        print(_exit_code(**message) if "pid" in message else _fork(message), file=replies, flush=True)


def _compile_templates() -> None:
    from auricle.report.templating import load_environment

    environment = load_environment()
    for name in environment.list_templates(extensions=["html"]):
        if name.startswith("report/"):
            environment.get_template(name)


def _fork(call: dict[str, Any]) -> int:
    if not MODELS_WITH_WEIGHTS.isdisjoint(call["words"]):
        _import_torch()
    child = os.fork()
    if child == 0:
        _run_command(call)
    return child


def _exit_code(pid: int, block: bool) -> int | str:
    done, status = os.waitpid(pid, 0 if block else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else ""


def _import_torch() -> None:
    """Import what takes seconds in models with weights; it starts no thread."""
    with suppress(ImportError):
        import_module("torch")
        import_module("transformers").AutoTokenizer  # noqa: B018 - imported when first used


def _run_command(call: dict[str, Any]) -> None:
    """Do what `python -m auricle` does: in that folder, with that output, to the end."""
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for name, number in (("out", 1), ("err", 2)):
        with Path(call[name]).open("wb") as file:
            os.dup2(file.fileno(), number)
    sys.path[0] = call["folder"]
    sys.argv = ["auricle", *call["words"]]
    code = 0
    try:
        from auricle.cli import main

        main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - printed as the interpreter would
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter calls at its end
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
