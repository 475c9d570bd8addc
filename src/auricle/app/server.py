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

from auricle.app.palette import streamlit_theme_options
from auricle.app.workspace import Workspace, workspace_environment
from auricle.core.errors import MissingExtra, SpecError

DEFAULT_PORT = 8501
ENTRY_SCRIPT = Path(__file__).parent / "entry" / "streamlit_app.py"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
STARTUP_TIMEOUT = 60.0
SHUTDOWN_TIMEOUT = 5.0


def serve(
    runs_folder: Path,
    allowed_folders: Sequence[Path],
    port: int,
    host: str,
    max_upload_mb: int,
    open_browser: bool | None,
) -> None:
    """Serve until interrupted, which is the way to end it and no failure."""
    if find_spec("streamlit") is None:
        raise MissingExtra("The app", "ui")
    shelf = open_workspace(runs_folder, allowed_folders)
    port = find_free_port(host, port)
    url = f"http://{'localhost' if host in LOCAL_HOSTS else host}:{port}"
    if host not in LOCAL_HOSTS:
        sys.stderr.write(f"Whoever reaches {host} can start runs here and read {shelf.root}.\n")
    environment = {**os.environ, **workspace_environment(shelf)}
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ENTRY_SCRIPT),
        *build_streamlit_options(host, port, max_upload_mb),
    ]
    with _run_server(command, environment) as process:
        _wait_until_up(process, host, port)
        sys.stdout.write(f"Auricle is at {url}, with the runs in {shelf.root}.\nCtrl-C ends it.\n")
        sys.stdout.flush()
        if open_browser or (open_browser is None and _has_display()):
            webbrowser.open(url)
        process.wait()
    if process.returncode not in (0, -signal.SIGINT, -signal.SIGTERM):
        raise SpecError(f"The app ended with code {process.returncode}; what it said is above.")


def open_workspace(runs_folder: Path, allowed_folders: Sequence[Path]) -> Workspace:
    """The folders the app may touch, or which of them is none."""
    if (runs_folder / "spec.json").exists() or (runs_folder / "perf.json").exists():
        raise SpecError(f"{runs_folder} is itself a run: give the folder it is in, --runs {runs_folder.parent}.")
    for each in allowed_folders:
        if not each.is_dir():
            raise SpecError(f"--allow {each} is not a folder.")
    try:
        runs_folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise SpecError(f"--runs {runs_folder} is a file, not a folder.") from error
    return Workspace(runs_folder, tuple(allowed_folders))


def build_streamlit_options(host: str, port: int, max_upload_mb: int) -> list[str]:
    """Streamlit's settings, as words of its command line."""
    settings: dict[str, Any] = {
        "server.address": host,
        "server.port": port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.maxUploadSize": max_upload_mb,
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "type",
        "client.showErrorLinks": False,
        "runner.magicEnabled": False,
        "logger.level": "warning",
    }
    if host in LOCAL_HOSTS:  # a page elsewhere cannot talk to the app under a name of its own
        settings["server.allowedHosts"] = LOCAL_HOSTS
    told_of = (settings | streamlit_theme_options()).items()
    return [f"--{name}={_format_option(each)}" for name, value in told_of for each in _as_sequence(value)]


def _as_sequence(value: Any) -> Sequence[Any]:
    """A setting with several values is named once for each; a list is one value, in JSON."""
    return value if isinstance(value, tuple) else (value,)


def _format_option(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def find_free_port(host: str, port: int) -> int:
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
def _run_server(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a child that ends with us, whether by Ctrl-C or by a signal."""
    asked = signal.signal(signal.SIGTERM, signal.default_int_handler)
    process = subprocess.Popen(  # noqa: S603 - our own command, no shell
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
            process.wait(SHUTDOWN_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], host: str, port: int) -> None:
    until = time.monotonic() + STARTUP_TIMEOUT
    where = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only looked up
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((where, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SpecError(f"The app did not come up at {host}:{port}; what it said is above.")


def _has_display() -> bool:
    """Is there somebody to open a browser for? Not in scripts, nor over a plain SSH line."""
    shown = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and shown
