"""Start the app as a child process and wait until Ctrl-C (`auricle ui`)."""

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
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from auricle.app.access_token import TOKEN_PARAMETER, TOKEN_VARIABLE, create_token
from auricle.app.palette import streamlit_theme_options
from auricle.app.workspace import Workspace, workspace_environment
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.files import user_cache_folder
from auricle.runs.run_directory import contains_run

ENTRY_SCRIPT = Path(__file__).parent / "entry" / "asgi_app.py"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
STARTUP_TIMEOUT = 60.0
SHUTDOWN_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the app may access, and where and how it is served."""

    runs: Path
    allowed_folders: tuple[Path, ...] = ()
    allowed_variables: tuple[str, ...] = ()
    """Environment variables that the form may use, beside those with the keys of known providers."""
    port: int = 8501
    """0 for any free port."""
    host: str = "127.0.0.1"
    max_upload: int = 50
    """Size limit of an upload, in MB."""
    open_browser: bool | None = None
    """None opens a browser only on a desktop."""
    with_token: bool = True
    """Whether every connection needs the token in the printed URL."""


def serve(options: ServerOptions) -> None:
    """Serve the app until it is interrupted."""
    if find_spec("streamlit") is None:
        raise MissingExtra("The app", "ui")
    workspace = open_workspace(options)
    host, port = options.host, find_free_port(options.host, options.port)
    token = create_token() if options.with_token else ""
    query = f"/?{TOKEN_PARAMETER}={token}" if token else ""
    url = f"http://{'localhost' if host in LOCAL_HOSTS else host}:{port}{query}"
    if warning := describe_exposure(options, workspace):
        sys.stderr.write(f"Warning: {warning}\n")
    environment = {**os.environ, **workspace_environment(workspace), TOKEN_VARIABLE: token}
    command = [sys.executable, "-m", "streamlit", "run", str(ENTRY_SCRIPT)]
    command += build_streamlit_options(host, port, options.max_upload)
    with _run_server(command, environment) as process:
        _wait_until_up(process, host, port)
        sys.stdout.write(f"Auricle is running at {url} (runs: {workspace.root}).\nPress Ctrl-C to stop.\n")
        sys.stdout.flush()
        opens_browser = _has_display() if options.open_browser is None else options.open_browser
        with _private_link(url) if opens_browser else nullcontext() as link:
            if link:
                webbrowser.open(link)
            process.wait()
    if process.returncode not in (0, -signal.SIGINT, -signal.SIGTERM):
        raise SpecError(f"The app exited with code {process.returncode}. See its output above.")


def describe_exposure(options: ServerOptions, workspace: Workspace) -> str:
    """Describe who can use the app beside its user; empty if no one else can."""
    others = "other users of this machine" if options.host in LOCAL_HOSTS else f"anyone who can reach {options.host}"
    if not options.with_token:
        folders = ", ".join(map(str, (workspace.root, *workspace.allowed_folders)))
        return (
            f"--no-token: the app asks for no token, so {others} can start runs with your models and API keys and "
            f"read {folders}."
        )
    if options.host not in LOCAL_HOSTS:
        return f"the token and all data travel unencrypted to {options.host}. Prefer an SSH tunnel or a TLS proxy."
    return ""


def open_workspace(options: ServerOptions) -> Workspace:
    """Check the folders, create the runs folder if it is missing, and return the workspace."""
    runs = options.runs
    if contains_run(runs):
        raise SpecError(f"{runs} is a run, not a folder of runs. Use --runs {runs.parent}.")
    for folder in options.allowed_folders:
        if not folder.is_dir():
            raise SpecError(f"Not a folder: --allow {folder}.")
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise SpecError(f"--runs {runs} is a file; expected a folder.") from error
    return Workspace(runs, options.allowed_folders, options.allowed_variables)


def build_streamlit_options(host: str, port: int, max_upload_mb: int) -> list[str]:
    """Return Streamlit's settings as command-line options."""
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
        # The URL decides what widgets show, so their values are set although some have a default.
        "global.disableWidgetStateDuplicationWarning": True,
        "logger.level": "warning",
    }
    if host in LOCAL_HOSTS:  # prevents DNS rebinding: a foreign host name that resolves to this machine is rejected
        settings["server.allowedHosts"] = LOCAL_HOSTS
    return [
        f"--{name}={item if isinstance(item, str) else json.dumps(item)}"
        for name, value in (settings | streamlit_theme_options()).items()
        for item in (value if isinstance(value, tuple) else (value,))
    ]


def find_free_port(host: str, port: int) -> int:
    """Return the port, or any free port for 0; raise `SpecError` if it is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise SpecError(
                    f"Port {port} is in use, perhaps by another `auricle ui`. Choose another with --port, "
                    "or use --port 0 for a free one."
                ) from error
            raise SpecError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
        return int(probe.getsockname()[1])


@contextmanager
def _run_server(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server as a child process and terminate it on exit, Ctrl-C or SIGTERM."""
    previous_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    process = subprocess.Popen(  # noqa: S603 - our own command, no shell
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        yield process
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. Runs in progress continue in the background.\n")
    finally:
        signal.signal(signal.SIGTERM, previous_handler)
        process.terminate()
        try:
            process.wait(SHUTDOWN_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(process: subprocess.Popen[bytes], host: str, port: int) -> None:
    deadline = time.monotonic() + STARTUP_TIMEOUT
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only looked up
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((address, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SpecError(f"The app did not start on {host}:{port}. See its output above.")


@contextmanager
def _private_link(url: str) -> Iterator[str]:
    """Yield the URL of a file that leads to the app; other users can see a browser's arguments, but not the file."""
    folder = user_cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=folder, prefix="open-app-", suffix=".html") as file:  # readable by its owner only
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Open the app</a>')
        file.flush()
        yield Path(file.name).as_uri()


def _has_display() -> bool:
    """Return whether a browser can be opened: in a terminal on a desktop, not in scripts or over plain SSH."""
    has_desktop = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and has_desktop
