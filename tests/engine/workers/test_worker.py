"""The worker process: loading models, answering batches, describing models."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import orjson
import pytest

from auricle import Generate, Generation, SpecError, Turn
from auricle.core.redaction import SECRETS
from auricle.core.user_code import DEFAULT_TIMEOUT
from auricle.engine.workers.protocol import HEADER, pack, pack_request, unpack, unpack_output
from auricle.engine.workers.worker import Pipe, WorkerServer, answer_batch, describe_model, load_model
from auricle.models import BatchModel
from auricle.testing.models import Echo
from tests.support import paths
from tests.support.clocks import FakeClock

REQUESTS = [Generate(turns=(Turn("user", (text,)),)) for text in ("one", "two")]


class DropsAnOutput(BatchModel):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text="x")] * (len(batch) - 1)


class Exits(BatchModel):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        raise SystemExit(3)


def decode(packed: bytes) -> dict[str, Any]:
    size, _ = HEADER.unpack(packed[: HEADER.size])
    return unpack(packed[HEADER.size : HEADER.size + size], packed[HEADER.size + size :])


def answer(model: BatchModel) -> list[dict[str, Any]]:
    messages = [decode(pack_request(number, request)) for number, request in enumerate(REQUESTS)]
    return [decode(reply) for reply in answer_batch(model, messages)]


def test_batch_is_answered_in_order() -> None:
    replies = answer(Echo())
    assert [reply["number"] for reply in replies] == [0, 1]
    assert [unpack_output(reply) for reply in replies] == [Generation(text="one"), Generation(text="two")]


class SlowEcho(Echo):
    """Answers or fails after three seconds of a clock."""

    def __init__(self, clock: FakeClock, error: Exception | None = None) -> None:
        super().__init__()
        self._clock, self._error = clock, error

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        self._clock.advance(3.0)
        if self._error:
            raise self._error
        return super().generate(batch)


@pytest.mark.parametrize("error", [None, ValueError("broken")])
def test_every_reply_of_a_batch_has_the_time_of_the_model(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    assert [reply["seconds"] for reply in answer(SlowEcho(FakeClock(monkeypatch), error))] == [3.0, 3.0]


@pytest.mark.parametrize(
    ("model", "message"), [(DropsAnOutput(), "the model returned 1 outputs for 2 requests"), (Exits(), "3")]
)
def test_error_of_a_batch_is_sent_for_every_request(model: BatchModel, message: str) -> None:
    errors = [reply["error"] for reply in answer(model)]
    assert len(errors) == 2
    assert all(isinstance(error, dict) and message in error["message"] for error in errors)


def test_model_that_raises_while_loading_is_a_spec_error() -> None:
    with pytest.raises(SpecError, match=r"echo raised TypeError: .*no_such_argument"):
        load_model("echo", {"no_such_argument": 1})


def test_description_contains_abilities_and_batch_limits() -> None:
    description = orjson.loads(describe_model("echo"))
    assert "generate" in description["can"]
    assert description["asynchronous"] is False
    assert description["batches"]["batch_size"] == Echo.batch_size
    assert "Unknown model" in orjson.loads(describe_model("no-such-model"))["error"]


def test_worker_imports_nothing_but_orjson(tmp_path: Path) -> None:
    """Another Python may have no other package; its site-packages are replaced by one with orjson alone."""
    (tmp_path / "orjson").symlink_to(Path(orjson.__file__).parent)
    (tmp_path / "auricle").symlink_to(paths.ROOT / "src" / "auricle")
    (tmp_path / "mine.py").write_text(
        "from auricle import BatchModel, Generation\n"
        "class Mine(BatchModel):\n"
        "    def generate(self, batch):\n"
        "        return [Generation(text='x') for _ in batch]\n"
    )
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\n"
        "from auricle.engine.workers.worker import describe_model\n"
        f"sys.stdout.buffer.write(describe_model({str(tmp_path / 'mine.py')!r} + ':Mine'))\n"
    )
    # -I ignores the environment and -S the installed packages.
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["can"] == ["generate"]


# --- the server, with a pipe in memory -----------------------------------------------------


class CollectingPipe(Pipe):
    """Keeps messages instead of writing them."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.messages: list[dict[str, Any]] = []

    def write(self, content: bytes) -> None:
        self.messages.append(decode(content))


def serve(setup: dict[str, Any], *requests: bytes) -> list[dict[str, Any]]:
    """Send a worker its setup and requests, close the pipe, and return its messages."""

    async def main() -> list[dict[str, Any]]:
        reader, out = asyncio.StreamReader(), CollectingPipe()
        server = asyncio.create_task(WorkerServer(reader, out).serve())
        reader.feed_data(pack(setup) + b"".join(requests) if setup else b"")
        for _ in range(20):  # without waiting, so that requests are answered before the pipe is closed
            await asyncio.sleep(0)
        reader.feed_eof()
        await asyncio.wait_for(server, 10)
        return out.messages

    return asyncio.run(main())


def answered_texts(messages: list[dict[str, Any]]) -> dict[int, str]:
    outputs = {message["number"]: unpack_output(message) for message in messages}
    assert all(isinstance(output, Generation) for output in outputs.values())
    return {number: output.text for number, output in outputs.items() if isinstance(output, Generation)}


def test_requests_of_a_batch_are_answered_when_the_batch_is_complete() -> None:
    first, second = ({"batch": number, "size": 2} for number in (0, 1))
    one, two = REQUESTS
    packed = [pack_request(0, one, first), pack_request(1, one, second), pack_request(2, two, first)]
    ready, *answers = serve({"model": "echo", "arguments": {"reply": "heard"}}, *packed)
    assert ready["ready"] is True
    assert answered_texts(answers) == {0: "heard", 2: "heard"}, "the second batch is not complete"


def test_a_batch_may_take_as_long_as_the_setup_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float | None] = []

    def record_deadline(seconds: float | None) -> nullcontext[None]:
        deadlines.append(seconds)
        return nullcontext()

    monkeypatch.setattr("auricle.engine.workers.worker.batch_deadline", record_deadline)
    for setup in ({"timeout": 30.0}, {}):
        packed = pack_request(0, REQUESTS[0], {"batch": 0, "size": 1})
        serve({"model": "echo", "arguments": {}, **setup}, packed)
    assert deadlines == [30.0, DEFAULT_TIMEOUT]


def test_requests_to_an_async_model_are_answered_one_by_one() -> None:
    packed = [pack_request(number, request) for number, request in enumerate(REQUESTS)]
    ready, *answers = serve({"model": "fake-api", "arguments": {"delay": 0}}, *packed)
    assert ready["ready"] is True
    assert answered_texts(answers) == {0: "one", 1: "two"}


def test_answered_requests_are_forgotten() -> None:
    async def main() -> None:
        reader, out = asyncio.StreamReader(), CollectingPipe()
        server = WorkerServer(reader, out)
        serving = asyncio.create_task(server.serve())
        reader.feed_data(pack({"model": "fake-api", "arguments": {"delay": 0}}) + pack_request(0, REQUESTS[0]))
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(out.messages) == 2
        assert not server._tasks
        reader.feed_eof()
        await serving

    asyncio.run(asyncio.wait_for(main(), 10))


def test_a_batch_may_have_one_request() -> None:
    packed = pack_request(0, REQUESTS[0], {"batch": 0, "size": 1})
    (_, message) = serve({"model": "echo", "arguments": {}}, packed)
    assert unpack_output(message) == Generation(text="one")


def test_error_of_a_request_is_sent_with_its_number() -> None:
    setup = {"model": "fake-api", "arguments": {"delay": 0, "fail_every": 1}}
    (_, message) = serve(setup, pack_request(7, REQUESTS[0]))
    assert (message["number"], message["error"]["kind"]) == (7, "Transient")


def test_error_while_loading_is_the_only_message() -> None:
    (message,) = serve({"model": "no-such-model", "arguments": {}}, pack_request(0, REQUESTS[0]))
    assert "Unknown model" in message["error"]["message"]


def test_a_pipe_that_is_closed_at_once_ends_the_worker() -> None:
    assert serve({}) == []


def test_requests_in_flight_are_cancelled_and_the_model_closed_when_the_pipe_closes(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(
        "import asyncio\n"
        "from pathlib import Path\n"
        "from auricle import AsyncModel\n"
        "class Waits(AsyncModel):\n"
        "    def __init__(self, log):\n"
        "        self.log = Path(log)\n"
        "    async def generate(self, request):\n"
        "        try:\n"
        "            await asyncio.Event().wait()\n"
        "        finally:\n"
        "            await asyncio.sleep(0.01)\n"
        "            self.write('cancelled')\n"
        "    async def close(self):\n"
        "        self.write('closed')\n"
        "    def write(self, event):\n"
        "        self.log.write_text((self.log.read_text() if self.log.exists() else '') + event + ' ')\n"
    )
    log = tmp_path / "log"
    serve({"model": f"{tmp_path / 'waits.py'}:Waits", "arguments": {"log": str(log)}}, pack_request(0, REQUESTS[0]))
    assert log.read_text().split() == ["cancelled", "closed"]


def test_an_output_that_cannot_be_used_fails_alone() -> None:
    class Mixed(BatchModel):
        def generate(self, batch: Sequence[Generate]) -> Any:
            return [Generation(text="fine"), None]

    fine, wrong = answer(Mixed())
    assert unpack_output(fine) == Generation(text="fine")
    assert (wrong["number"], wrong["error"]["kind"]) == (1, "SampleError")


def test_a_long_message_is_written_completely(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []

    def write_some(_descriptor: int, content: bytes) -> int:
        written.append(bytes(content[:3]))
        return len(written[-1])

    monkeypatch.setattr("auricle.engine.workers.worker.os.write", write_some)
    Pipe(1).write(b"a long message")
    assert b"".join(written) == b"a long message"


def test_secrets_of_a_model_are_registered_before_it_is_loaded() -> None:
    with pytest.raises(SpecError):
        load_model("echo", {"api_key": "sk-worker-secret"})
    assert b"sk-worker-secret" not in SECRETS.redact_bytes(b"the key is sk-worker-secret")


def test_error_of_the_model_class_is_raised_unchanged() -> None:
    with pytest.raises(SpecError, match=r"^Unknown model 'no-such-model'"):
        load_model("no-such-model", {})


NOISY = """
import logging, os, threading
from auricle import BatchModel, Generation

class Noisy(BatchModel):
    def __init__(self, api_key):
        self.key = api_key

    def generate(self, batch):
        print("printed with", self.key)
        os.write(1, b"written by a library")
        logging.getLogger("noisy").info("logged")
        logging.getLogger("noisy").warning("warned")
        names = " ".join(thread.name for thread in threading.enumerate())
        return [Generation(text=names + "x" * 200_000) for _ in batch]
"""


@pytest.mark.slow
def test_process_answers_on_standard_output_and_prints_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(NOISY)
    setup = {"model": f"{tmp_path / 'noisy.py'}:Noisy", "arguments": {"api_key": "sk-1234-noisy-5678"}}
    long_request = Generate(turns=(Turn("user", ("x" * 200_000,)),))
    done = subprocess.run(
        [sys.executable, "-m", "auricle.engine.workers.worker"],
        input=pack(setup) + pack_request(0, long_request, {"batch": 0, "size": 1}),
        capture_output=True,
        timeout=60,
    )
    messages, remaining = [], done.stdout
    while remaining:
        size = HEADER.size + sum(HEADER.unpack(remaining[: HEADER.size]))
        messages.append(decode(remaining[:size]))
        remaining = remaining[size:]
    ready, answer = messages
    assert ready["ready"] is True
    output = unpack_output(answer)
    assert isinstance(output, Generation)
    assert "auricle-parent" in output.text, "the process ends with its parent"
    assert len(output.text) > 200_000
    errors = done.stderr.decode()
    assert "printed with …" in errors
    assert "written by a library" in errors
    assert "warned" in errors
    assert "sk-1234" not in errors
    assert done.returncode == 0


@pytest.mark.slow
def test_a_model_is_described_on_standard_output() -> None:
    command = [sys.executable, "-m", "auricle.engine.workers.worker", "--describe", "echo"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    described = json.loads(done.stdout)
    assert "generate" in described["can"]
    assert described["asynchronous"] is False
