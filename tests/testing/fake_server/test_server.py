"""Start and stop the fake server in a thread, in a coroutine and from the command line."""

import asyncio
import gc
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from auricle.core.errors import SpecError
from auricle.testing.fake_server import FakeServer, Script
from tests.support.certificates import write_certificate
from tests.testing.fake_server.conftest import CHAT_PATH, chat, chat_body, connect, eventually


@pytest.mark.slow
def test_stopping_closes_threads_and_connections() -> None:
    threads = threading.active_count()
    with FakeServer(Script(faults={"hang": 1})) as server:
        idle = connect(server.url)
        idle.request("GET", "/stats")
        idle.getresponse().read()
        waiting = connect(server.url)
        waiting.request("POST", CHAT_PATH, chat_body())
        assert eventually(lambda: server.stats()["at_once"] == 1)
    assert threading.active_count() == threads
    with pytest.raises(ConnectionError):
        chat(server)
    idle.close()
    waiting.close()
    gc.collect()


@pytest.mark.slow
def test_port_in_use_is_an_os_error() -> None:
    with FakeServer() as server:
        second = FakeServer(port=urlsplit(server.url).port or 0)
        with pytest.raises(OSError, match="in use"):
            second.__enter__()
    gc.collect()


def test_coroutine_may_start_and_stop_the_server() -> None:
    async def main() -> Any:
        server = FakeServer()
        await server.start()
        reply = await asyncio.to_thread(chat, server)
        await server.stop()
        return reply.text()

    assert asyncio.run(main()) == "hello there world"


# --- command ---------------------------------------------------------------------------


@pytest.fixture
def start_command(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command; stop it if the test has not."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "auricle", "fake-server", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for processes")
def test_command_serves_until_it_is_interrupted(start_command: Callable[..., subprocess.Popen[str]]) -> None:
    process = start_command("--port", "0", "--reply", "hi", "--fault", "429=0", "--key", "K")
    assert process.stdout is not None
    first, example = process.stdout.readline(), process.stdout.readline()
    url = first.removeprefix("Listening at ").split(";")[0]
    assert f"auricle run demo -m transcription -M base_url={url} -M model=fake" in example
    assert chat(url, headers={"Authorization": "Bearer K"}).text() == "hi"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert errors == ""
    assert process.returncode == 0


def test_port_in_use_is_one_line(auricle: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = auricle("fake-server", "--port", port)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"Port {port} is in use" in done.stderr


@pytest.mark.parametrize("fault", ["429", "x=0.1", "429=2"])
def test_invalid_fault_is_one_line(auricle: Callable[..., Any], fault: str) -> None:
    done = auricle("fake-server", "--port", "0", "--fault", fault)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_missing_aiohttp_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['aiohttp'] = None; sys.argv = ['auricle', 'fake-server']\n"
        "from auricle.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "auricle[api]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_certificate_serves_over_tls(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path / "server.pem")
    with FakeServer(certificate=certificate) as server:
        assert server.url.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=certificate)
        with urlopen(f"{server.url}/models", context=context, timeout=20) as response:
            assert response.status == 200
    gc.collect()


def test_a_file_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    path = tmp_path / "server.pem"
    path.write_text("not a certificate")
    with pytest.raises(SpecError, match=r"server\.pem"):
        FakeServer(certificate=path)
