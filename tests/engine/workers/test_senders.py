"""API models in several sender processes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError, Transient
from auricle.core.types import Generate, Generation, LogLikelihood, Predict, Turn
from auricle.engine.retry import RetryingSender
from auricle.engine.settings import Settings
from auricle.engine.slots import DirectSlot
from auricle.engine.workers.process import MAX_STARTS
from auricle.engine.workers.senders import SenderPool
from auricle.media import Audio

pytestmark = pytest.mark.slow

Work = Callable[[SenderPool], Awaitable[Any]]
MODEL = """
import asyncio, os, signal, sys, time
from auricle import AsyncModel, Generation, Likelihood, Prediction
from auricle.core.errors import Rejected, Transient
from auricle.models.call_timer import waiting


class Model(AsyncModel):
    def __init__(self, *, note="", delay=0.0, rpm=None, broken=False):
        if broken:
            raise ValueError("the weights are broken")
        self.note, self.delay, self.rpm = note, delay, rpm
        print("loading")

    async def generate(self, request):
        text = request.turns[-1].parts[-1] if request.turns[-1].parts else ""
        print("received", text, flush=True)
        os.write(1, b"written by a library in C")
        await asyncio.sleep(self.delay)
        match text:
            case "pid":
                return Generation(text=str(os.getpid()))
            case "queue":
                with waiting():
                    await asyncio.sleep(0.2)
            case "rpm":
                return Generation(text=str(self.rpm))
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "die once" if not os.path.exists(self.note):
                open(self.note, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                sys.exit(3)
            case "cancel":
                raise asyncio.CancelledError
            case "busy":
                raise Transient("HTTP 429", 0.5)
            case "refuse":
                raise Rejected("HTTP 400")
            case "break":
                raise ZeroDivisionError("by zero")
            case "number":
                return 7
            case "audio":
                return Generation(text="hum", audio=request.media[0])
        return Generation(text=f"reply to {text}")

    async def loglikelihood(self, request):
        return Likelihood(logprobs=(-1.0, float("-inf")))

    async def predict(self, request):
        return Prediction(values={"frames": len(request.inputs["audio"].decode())},
                          scale="continuous")

    async def close(self):
        if self.note:
            open(self.note + ".closed", "a").write("closed ")
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return f"{path}:Model"


def ask_text(text: str = "", *clips: Audio) -> Generate:
    return Generate(turns=(Turn("user", (*clips, text)),))


def with_senders(model: str, work: Work, *, processes: int = 2, **arguments: Any) -> Any:
    """Run a coroutine with a pool of senders, which is closed afterwards."""

    async def main() -> Any:
        senders = SenderPool(model, arguments, processes)
        try:
            return await work(senders)
        finally:
            await senders.close()

    return asyncio.run(main())


def generate_one(model: str, request: Any, **arguments: Any) -> Any:
    return with_senders(model, lambda senders: senders.generate(request), **arguments)


def generate_all(*requests: Generate) -> Work:
    """Send all requests at once; errors are returned, not raised."""
    return lambda senders: asyncio.gather(*(senders.generate(request) for request in requests), return_exceptions=True)


def test_output_is_returned(model: str) -> None:
    assert generate_one(model, ask_text("hello")) == Generation(text="reply to hello")


def test_time_in_a_queue_of_a_sender_process_is_waiting(model: str) -> None:
    async def send_twice(senders: SenderPool) -> RetryingSender:
        await senders.generate(ask_text("warm up"))
        sender = RetryingSender(DirectSlot(senders), Settings())
        await sender(ask_text("queue"))
        return sender

    sender = with_senders(model, send_twice, processes=1)
    assert sender.wait_seconds >= 0.2
    assert sender.model_seconds > 0


def test_each_request_gets_its_own_output(model: str) -> None:
    answers = with_senders(model, generate_all(*(ask_text(f"{number}") for number in range(500))), delay=0.001)
    assert [answer.text for answer in answers] == [f"reply to {number}" for number in range(500)]


def test_requests_are_shared_from_the_first_one_on(model: str) -> None:
    answers = with_senders(model, generate_all(*[ask_text("pid")] * 40), processes=2, delay=0.05)
    pids = [answer.text for answer in answers]
    assert sorted(pids.count(pid) for pid in set(pids)) == [20, 20]


def test_requests_are_answered_in_another_process(model: str) -> None:
    assert generate_one(model, ask_text("pid")).text != str(os.getpid())


def test_every_ability_is_forwarded(model: str) -> None:
    async def work(senders: SenderPool) -> Any:
        audio = Audio(data=np.zeros(123, dtype=np.float32), rate=8000)
        likelihood = LogLikelihood(turns=ask_text("a").turns, continuation="b")
        return (await senders.loglikelihood(likelihood), await senders.predict(Predict(inputs={"audio": audio})))

    likelihood, prediction = with_senders(model, work)
    assert likelihood.logprobs == (-1.0, float("-inf"))
    assert prediction.values == {"frames": 123}


def test_audio_in_memory_is_sent_both_ways(model: str) -> None:
    wave = np.linspace(-1, 1, 100_000, dtype=np.float32)
    answer = generate_one(model, ask_text("audio", Audio(data=wave, rate=44_100)))
    assert np.array_equal(answer.audio.data, wave)
    assert answer.audio.rate == 44_100


def test_many_large_files_do_not_block_the_pipes(model: str) -> None:
    contents = [os.urandom(3_000_000) for _ in range(12)]
    answers = with_senders(model, generate_all(*(ask_text("audio", Audio(data=content)) for content in contents)))
    assert [answer.audio.data for answer in answers] == contents


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("refuse", "Rejected", "HTTP 400"),
        ("break", "SampleError", "ZeroDivisionError: by zero (model.py:"),
        ("number", "SampleError", "the model returned int instead of Generation"),
        ("exit", "SampleError", "the model Model raised SystemExit: 3"),
        ("cancel", "SampleError", "the model Model raised CancelledError"),
    ],
)
def test_failing_request_does_not_affect_others(model: str, text: str, kind: str, message: str) -> None:
    failed, *others = with_senders(model, generate_all(ask_text(text), *[ask_text("pid")] * 3), processes=1)
    assert type(failed).__name__ == kind
    assert str(failed).startswith(message)
    assert len({other.text for other in others}) == 1


def test_retry_after_is_forwarded(model: str) -> None:
    with pytest.raises(Transient) as error:
        generate_one(model, ask_text("busy"))
    assert error.value.retry_after == 0.5


def test_requests_of_a_killed_process_fail_with_a_transient_error(model: str) -> None:
    async def work(senders: SenderPool) -> Any:
        assert senders.ready_at is None
        first = (await senders.generate(ask_text("pid"))).text
        assert senders.ready_at is not None
        waiting = [asyncio.create_task(senders.generate(ask_text("x"))) for _ in range(5)]
        await asyncio.sleep(0.1)
        os.kill(int(first), signal.SIGKILL)
        lost = await asyncio.gather(*waiting, return_exceptions=True)
        return first, lost, (await senders.generate(ask_text("pid"))).text

    first, lost, second = with_senders(model, work, processes=1, delay=0.3)
    assert [type(error) for error in lost] == [Transient] * 5
    assert str(lost[0]) == "a worker process crashed"
    assert first != second


def test_process_that_always_crashes_is_given_up(model: str) -> None:
    async def work(senders: SenderPool) -> None:
        for _ in range(MAX_STARTS):
            with pytest.raises(Transient):
                await senders.generate(ask_text("die"))
        await senders.generate(ask_text("die"))

    with pytest.raises(SpecError, match=f"crashed {MAX_STARTS} times without an answer"):
        with_senders(model, work, processes=1)


def test_process_that_crashes_sometimes_is_always_restarted(model: str) -> None:
    async def work(senders: SenderPool) -> None:
        for _ in range(MAX_STARTS + 2):
            with pytest.raises(Transient):
                await senders.generate(ask_text("die"))
            await senders.generate(ask_text("hello"))

    with_senders(model, work, processes=1)


def test_invalid_arguments_are_a_spec_error(model: str) -> None:
    with pytest.raises(SpecError, match=r"Model raised ValueError: the weights are broken"):
        generate_one(model, ask_text("x"), broken=True)


def test_unknown_model_is_a_spec_error() -> None:
    with pytest.raises(SpecError, match=r"Unknown model 'opnai'\. Did you mean openai"):
        generate_one("opnai", ask_text("x"))


@pytest.mark.parametrize(("limit", "share"), [(600, "300.0"), (None, "None"), ("many", "many")])
def test_rate_limit_is_divided_among_processes(model: str, limit: object, share: str) -> None:
    assert generate_one(model, ask_text("rpm"), rpm=limit).text == share


def test_models_are_closed_with_the_pool(model: str, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with_senders(model, generate_all(*[ask_text("x")] * 4), note=str(note), delay=0.05)
    assert (tmp_path / "note.closed").read_text() == "closed closed "


def test_process_starts_with_its_first_request(model: str, tmp_path: Path) -> None:
    async def work(senders: SenderPool) -> Any:
        return None

    with_senders(model, work, note=str(tmp_path / "note"))
    assert not (tmp_path / "note.closed").exists()


def test_processes_end_when_their_parent_is_killed(model: str, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os, sys\n"
        "from auricle.engine.workers.senders import SenderPool\n"
        "from auricle.core.types import Generate, Turn\n"
        "async def main():\n"
        f"    senders = SenderPool({model!r}, {{}}, 1)\n"
        "    answer = await senders.generate(Generate(turns=(Turn('user', ('pid',)),)))\n"
        "    sys.stdout.write(answer.text + '\\n'); sys.stdout.flush()\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def run(auricle: Any, manifest: Any, *options: str) -> Any:
    data = manifest({"id": f"{row}", "question": f"q{row}", "answer": f"q{row}"} for row in range(30))
    return auricle("run", data, "--as", "qa", "-o", "run", *options)


def test_killed_sender_loses_no_sample(auricle: Any, manifest: Any, model: str, tmp_path: Path) -> None:
    rows = [{"id": f"{row}", "question": f"q{row}", "answer": "x"} for row in range(60)]
    rows[30] |= {"question": "die once"}
    data = manifest(rows)
    options = ("-T", "prompt={question}", "-m", model, "-M", f"note={tmp_path / 'note'}")
    done = auricle("run", data, "--as", "qa", "-o", "run", "--processes", "2", *options)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "run/outputs.jsonl").read_bytes().splitlines()]
    assert sorted(int(line["id"]) for line in lines) == list(range(60))
    assert not any(line["error"] for line in lines)
    assert max(line["attempts"] for line in lines) == 2


def test_model_that_cannot_be_loaded_is_reported_in_one_line(auricle: Any, manifest: Any, model: str) -> None:
    done = run(auricle, manifest, "-m", model, "-M", "broken=true", "--processes", "2")
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "loading" not in line]
    assert line.startswith("auricle: ")
    assert "Model raised ValueError: the weights are broken" in line


def test_local_model_rejects_sender_processes(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    done = run(auricle, manifest, "-m", "echo", "--processes", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "auricle: --processes does not apply to echo, which runs on this machine. "
        "Use --batch-size or --replicas instead.\n"
    )
    assert not (tmp_path / "run").exists()
