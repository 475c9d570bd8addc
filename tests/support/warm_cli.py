"""The command line without its start-up: a process that has imported it forks for each call.

Every call is a process of its own, as a user's is; only the imports are shared. Run as a script
this is that process. It reads a line of JSON for each call and answers with the process's id; asked
about an id it answers with the exit code, or with nothing while the process runs.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

HEAVY = {"emotion2vec", "audeering", "audio-chat", "audio-classification", "causal", "clap", "ctc", "whisper"}


class Warm:
    """Calls `auricle` in children of a process that has it imported already."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._calls = 0

    def __call__(self, words: Any, folder: Any, scratch: Any) -> Any:
        """What a call said and how it ended, as `subprocess.run` tells it."""
        begun = self.start(words, folder, scratch)
        code = begun.wait()
        said, told = (path.read_text(encoding="utf-8", errors="replace") for path in begun.files)
        return subprocess.CompletedProcess([sys.executable, "-m", "auricle", *words], code, said, told)

    def start(self, words: Any, folder: Any, scratch: Any) -> Any:
        """A call that runs on by itself."""
        self._calls += 1
        files = [Path(scratch) / f"{self._calls}.{name}" for name in ("out", "err")]
        asked = {"words": words, "folder": str(folder), "out": str(files[0]), "err": str(files[1])}
        asked["environment"] = dict(os.environ)
        return Begun(int(self.ask(asked)), files, self)

    def ask(self, question: Any) -> Any:
        self._server.stdin.write(json.dumps(question) + "\n")
        self._server.stdin.flush()
        return self._server.stdout.readline().strip()

    def close(self) -> None:
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()


class Begun:
    """A process of the command line, waited for or killed: as much of `Popen` as tests use."""

    def __init__(self, pid: Any, files: Any, server: Any) -> None:
        self.pid, self.files, self.returncode = pid, files, None
        self._server = server

    def poll(self, patiently: bool = False) -> Any:
        if self.returncode is None:
            said = self._server.ask({"pid": self.pid, "patiently": patiently})
            self.returncode = int(said) if said else None
        return self.returncode

    def wait(self) -> Any:
        return self.poll(patiently=True)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def _serve() -> None:

    with suppress(ImportError):
        pass

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        print(_ended(**asked) if "pid" in asked else _begun(asked), file=answers, flush=True)


def _begun(asked: Any) -> Any:
    if not HEAVY.isdisjoint(asked["words"]):
        _import_weights()
    child = os.fork()
    if child == 0:
        _be_the_command(asked)
    return child


def _ended(pid: Any, patiently: Any) -> Any:
    done, status = os.waitpid(pid, 0 if patiently else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else ""


def _import_weights() -> None:
    """What models with weights take seconds to import; no thread is started by it."""
    with suppress(ImportError):
        pass


def _be_the_command(asked: Any) -> None:
    """As `python -m auricle` would: in that folder, with that output, to the end."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for name, number in (("out", 1), ("err", 2)):
        with Path(asked[name]).open("wb") as file:
            os.dup2(file.fileno(), number)
    sys.path[0] = asked["folder"]
    sys.argv = ["auricle", *asked["words"]]
    code = 0
    try:
        from auricle.cli import main

        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - told as the interpreter would
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
