"""`auricle ui`: the app in the foreground, until Ctrl-C."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.app.colours import flags
from auricle.app.workspace import Shelf, told
from auricle.core.errors import MissingExtra, SpecError

PORT = 8501
ENTRY = Path(__file__).parent / "entry" / "app.py"
HERE = ("127.0.0.1", "localhost", "::1")
START_SECONDS = 60.0
END_SECONDS = 5.0


def serve(
    runs: Path, allowed: Sequence[Path], port: int, host: str, max_upload: int, browser: bool | None
) -> None:
    """Serve until interrupted, which is the way to end it and no failure."""
    if find_spec("streamlit") is None:
        raise MissingExtra("The app", "ui")
    shelf = shelf_of(runs, allowed)
    port = free_port(host, port)
    url = f"http://{'localhost' if host in HERE else host}:{port}"
    if host not in HERE:
        sys.stderr.write(f"Whoever reaches {host} can start runs here and read {shelf.root}.\n")
    environment = {**os.environ, **told(shelf)}
    command = [sys.executable, "-m", "streamlit", "run", str(ENTRY), *words(host, port, max_upload)]
    with _process(command, environment) as process:
        _wait_until_up(process, host, port)
        sys.stdout.write(f"Auricle is at {url}, with the runs in {shelf.root}.\nCtrl-C ends it.\n")
        sys.stdout.flush()
        if browser or (browser is None and _has_screen()):
            webbrowser.open(url)
        process.wait()
    if process.returncode not in (0, -signal.SIGINT, -signal.SIGTERM):
        raise SpecError(f"The app ended with code {process.returncode}; what it said is above.")


def shelf_of(runs: Path, allowed: Sequence[Path]) -> Shelf:
    """The folders the app may touch, or which of them is none."""
    if (runs / "spec.json").exists() or (runs / "perf.json").exists():
        raise SpecError(f"{runs} is itself a run: give the folder it is in, --runs {runs.parent}.")
    for each in allowed:
        if not each.is_dir():
            raise SpecError(f"--allow {each} is not a folder.")
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise SpecError(f"--runs {runs} is a file, not a folder.") from error
    return Shelf(runs, tuple(allowed))


def words(host: str, port: int, max_upload: int) -> list[str]:
    """Streamlit's settings, as words of its command line."""
    settings: dict[str, Any] = {
        "server.address": host,
        "server.port": port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.maxUploadSize": max_upload,
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "type",
        "client.showErrorLinks": False,
        "runner.magicEnabled": False,
        "logger.level": "warning",
    }
    if host in HERE:  # a page elsewhere cannot talk to the app under a name of its own
        settings["server.allowedHosts"] = HERE
    told_of = (settings | flags()).items()
    return [f"--{name}={_word(each)}" for name, value in told_of for each in _each(value)]


def _each(value: Any) -> Sequence[Any]:
    """A setting with several values is named once for each; a list is one value, in JSON."""
    return value if isinstance(value, tuple) else (value,)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def free_port(host: str, port: int) -> int:
    """The port, if nobody listens there; for 0 one that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise SpecError(
                    f"Port {port} is in use, maybe by another `auricle ui`. Name another with "
                    "--port, or 0 for any that is free."
                ) from error
            raise SpecError(f"Cannot listen at {host}:{port}: {error.strerror}.") from error
        return int(probe.getsockname()[1])


@contextmanager
def _process(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a child that ends with us, whether by Ctrl-C or by a signal."""
    asked = signal.signal(signal.SIGTERM, signal.default_int_handler)
    process = subprocess.Popen(  # noqa: S603 - our own words, no shell
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        yield process
    except KeyboardInterrupt:
        sys.stderr.write("Ended. Runs that are under way go on.\n")
    finally:
        signal.signal(signal.SIGTERM, asked)
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], host: str, port: int) -> None:
    until = time.monotonic() + START_SECONDS
    where = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only looked up
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((where, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SpecError(f"The app did not come up at {host}:{port}; what it said is above.")


def _has_screen() -> bool:
    """Is there somebody to open a browser for? Not in scripts, nor over a plain SSH line."""
    shown = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and shown
