"""The command line without its start-up: a process that has imported it forks for each call.

Every call is a process of its own, as a user's is; only the imports are shared. Run as a script
this is that process. It reads a line of JSON for each call and answers with the exit code.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

HEAVY = {"audeering", "audio-chat", "audio-classification", "causal", "clap", "ctc", "whisper"}


class Warm:
    """Calls `auricle` in children of a process that has it imported already."""

    def __init__(self):
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._calls = 0

    def __call__(self, words, folder, scratch):
        """What a call said and how it ended, as `subprocess.run` tells it."""
        self._calls += 1
        out, err = (Path(scratch) / f"{self._calls}.{name}" for name in ("out", "err"))
        asked = {"words": words, "folder": str(folder), "out": str(out), "err": str(err)}
        asked["environment"] = dict(os.environ)
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        said, told = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return subprocess.CompletedProcess(
            [sys.executable, "-m", "auricle", *words], code, said, told
        )

    def close(self):
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()


def _serve():
    import click  # noqa: F401
    import numpy  # noqa: F401
    import orjson  # noqa: F401
    import soundfile  # noqa: F401

    import auricle.api
    import auricle.cli
    import auricle.commands  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        if not HEAVY.isdisjoint(asked["words"]):
            _import_weights()
        child = os.fork()
        if child == 0:
            _be_the_command(asked)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _import_weights():
    """What models with weights take seconds to import; no thread is started by it."""
    with suppress(ImportError):
        import torch  # noqa: F401
        from transformers import AutoTokenizer  # noqa: F401


def _be_the_command(asked):
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
