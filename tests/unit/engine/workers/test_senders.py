"""A model in other processes: whoever asks cannot tell, whatever becomes of them."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.audio import Audio
from auricle.core.errors import SpecError, Transient
from auricle.core.types import Generate, Generation, LogLikelihood, Predict, Turn
from auricle.engine.workers.senders import MAX_STARTS, SenderPool

MODEL = """
import asyncio, os, signal, sys, time
from auricle import AsyncModel, Generation, Likelihood, Prediction
from auricle.core.errors import Refused, Transient
from auricle.core.types import media


class Model(AsyncModel):
    def __init__(self, *, note="", delay=0.0, rpm=None, broken=False):
        if broken:
            raise ValueError("the weights are broken")
        self.note, self.delay, self.rpm = note, delay, rpm
        print("loading, in many words")

    async def generate(self, request):
        said = request.turns[-1].parts[-1] if request.turns[-1].parts else ""
        print("asked", said, flush=True)
        os.write(1, b"written by a library in C")
        await asyncio.sleep(self.delay)
        match said:
            case "pid":
                return Generation(text=str(os.getpid()))
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
                raise Refused("HTTP 400")
            case "break":
                raise ZeroDivisionError("by zero")
            case "number":
                return 7
            case "sound":
                return Generation(text="hum", audio=media(request)[0])
        return Generation(text=f"you said {said}")

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
def model(tmp_path: Path) -> Any:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return f"{path}:Model"


def asked(text: str = "", *sounds: Any) -> Any:
    return Generate(turns=(Turn("user", (*sounds, text)),))


def use(model: Any, work: Any, *, processes: int = 2, **arguments: Any) -> Any:
    """Do something with senders and close them."""

    async def main() -> Any:
        senders = SenderPool(model, arguments, processes)
        try:
            return await work(senders)
        finally:
            await senders.close()

    return asyncio.run(main())


def ask(model: Any, request: Any, **arguments: Any) -> Any:
    return use(model, lambda senders: senders.generate(request), **arguments)


def together(*requests: Any) -> Any:
    """Ask all at once; errors are told, not raised."""
    return lambda senders: asyncio.gather(*(senders.generate(each) for each in requests), return_exceptions=True)


def test_an_answer_comes_back(model: Any) -> None:
    assert ask(model, asked("hello")) == Generation(text="you said hello")


def test_every_request_gets_its_own_answer(model: Any) -> None:
    answers = use(model, together(*(asked(f"{at}") for at in range(500))), delay=0.001)
    assert [each.text for each in answers] == [f"you said {at}" for at in range(500)]


def test_work_is_shared_from_the_first_request_on(model: Any) -> None:
    answers = use(model, together(*[asked("pid")] * 40), processes=2, delay=0.05)
    pids = [each.text for each in answers]
    assert sorted(pids.count(pid) for pid in set(pids)) == [20, 20]


def test_other_processes_answer(model: Any) -> None:
    assert ask(model, asked("pid")).text != str(os.getpid())


def test_every_ability_goes_through(model: Any) -> None:
    async def work(senders: Any) -> Any:
        sound = Audio(data=np.zeros(123, dtype=np.float32), rate=8000)
        likelihood = LogLikelihood(turns=asked("a").turns, continuation="b")
        return (await senders.loglikelihood(likelihood), await senders.predict(Predict(inputs={"audio": sound})))

    likelihood, prediction = use(model, work)
    assert likelihood.logprobs == (-1.0, float("-inf"))
    assert prediction.values == {"frames": 123}


def test_a_sound_in_memory_goes_there_and_back(model: Any) -> None:
    wave = np.linspace(-1, 1, 100_000, dtype=np.float32)
    answer = ask(model, asked("sound", Audio(data=wave, rate=44_100)))
    assert np.array_equal(answer.audio.data, wave)
    assert answer.audio.rate == 44_100


def test_many_large_sounds_at_once_do_not_block_the_pipes(model: Any) -> None:
    sounds = [os.urandom(3_000_000) for _ in range(12)]
    answers = use(model, together(*(asked("sound", Audio(data=each)) for each in sounds)))
    assert [each.audio.data for each in answers] == sounds


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("refuse", "Refused", "HTTP 400"),
        ("break", "SampleError", "ZeroDivisionError: by zero (model.py:"),
        ("number", "SampleError", "the model returned int where Generation was due"),
        ("exit", "SampleError", "the model raised SystemExit 3"),
        ("cancel", "SampleError", "the model raised CancelledError"),
    ],
)
def test_a_request_that_fails_costs_itself_alone(model: Any, said: str, kind: str, words: str) -> None:
    failed, *others = use(model, together(asked(said), *[asked("pid")] * 3), processes=1)
    assert type(failed).__name__ == kind
    assert str(failed).startswith(words)
    assert len({each.text for each in others}) == 1


def test_a_server_that_is_busy_is_waited_for_as_long_as_it_says(model: Any) -> None:
    with pytest.raises(Transient) as told:
        ask(model, asked("busy"))
    assert told.value.retry_after == 0.5


def test_a_killed_process_costs_what_it_had_in_hand_another_attempt(model: Any) -> None:
    async def work(senders: Any) -> Any:
        first = (await senders.generate(asked("pid"))).text
        waiting = [asyncio.create_task(senders.generate(asked("x"))) for _ in range(5)]
        await asyncio.sleep(0.1)
        os.kill(int(first), signal.SIGKILL)
        lost = await asyncio.gather(*waiting, return_exceptions=True)
        return first, lost, (await senders.generate(asked("pid"))).text

    first, lost, second = use(model, work, processes=1, delay=0.3)
    assert [type(each) for each in lost] == [Transient] * 5
    assert str(lost[0]) == "a process of the model ended"
    assert first != second


def test_a_process_that_keeps_dying_ends_the_run_with_a_reason(model: Any) -> None:
    async def work(senders: Any) -> None:
        for _ in range(MAX_STARTS):
            with pytest.raises(Transient):
                await senders.generate(asked("die"))
        await senders.generate(asked("die"))

    with pytest.raises(SpecError, match=f"ended {MAX_STARTS} times without answering"):
        use(model, work, processes=1)


def test_a_process_that_dies_now_and_then_is_always_started_again(model: Any) -> None:
    async def work(senders: Any) -> None:
        for _ in range(MAX_STARTS + 2):
            with pytest.raises(Transient):
                await senders.generate(asked("die"))
            await senders.generate(asked("well again"))

    use(model, work, processes=1)


def test_arguments_that_are_wrong_are_the_users_move(model: Any) -> None:
    with pytest.raises(SpecError, match=r"Model raised ValueError: the weights are broken"):
        ask(model, asked("x"), broken=True)


def test_a_model_that_is_not_there_is_the_users_move() -> None:
    with pytest.raises(SpecError, match=r"No model called 'opnai'\. Did you mean openai"):
        ask("opnai", asked("x"))


@pytest.mark.parametrize(("given", "each"), [(600, "300.0"), (None, "None"), ("many", "many")])
def test_a_limit_of_the_whole_run_is_divided(model: Any, given: Any, each: str) -> None:
    assert ask(model, asked("rpm"), rpm=given).text == each


def test_the_model_is_closed_when_its_pipe_is(model: Any, tmp_path: Path) -> None:
    note = tmp_path / "note"
    use(model, together(*[asked("x")] * 4), note=str(note), delay=0.05)
    assert (tmp_path / "note.closed").read_text() == "closed closed "


def test_nothing_is_started_that_is_not_asked(model: Any, tmp_path: Path) -> None:
    async def work(senders: Any) -> Any:
        return None

    use(model, work, note=str(tmp_path / "note"))
    assert not (tmp_path / "note.closed").exists()


def test_processes_end_with_the_one_that_started_them(model: Any, tmp_path: Path) -> None:
    """Killed, it cannot say goodbye: the pipe does."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os, sys\n"
        "from auricle.engine.workers.senders import Senders\n"
        "from auricle.core.types import Generate, Turn\n"
        "async def main():\n"
        f"    senders = Senders({model!r}, {{}}, 1)\n"
        "    answer = await senders.generate(Generate(turns=(Turn('user', ('pid',)),)))\n"
        "    sys.stdout.write(answer.text + '\\n'); sys.stdout.flush()\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    pid = int(done.stdout)
    until = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


def run(auricle: Any, manifest: Any, *words: Any) -> Any:
    data = manifest({"id": f"{at}", "question": f"q{at}", "answer": f"q{at}"} for at in range(30))
    return auricle("run", data, "--as", "qa", "-o", "run", *words)


def test_a_killed_sender_costs_a_run_nothing(auricle: Any, manifest: Any, model: Any, tmp_path: Path) -> None:
    rows = [{"id": f"{at}", "question": f"q{at}", "answer": "x"} for at in range(60)]
    rows[30] |= {"question": "die once"}
    data = manifest(rows)
    words = ("-T", "prompt={question}", "-m", model, "-M", f"note={tmp_path / 'note'}")
    done = auricle("run", data, "--as", "qa", "-o", "run", "--processes", "2", *words)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "run/outputs.jsonl").read_bytes().splitlines()]
    assert sorted(int(line["id"]) for line in lines) == list(range(60))
    assert not any(line["error"] for line in lines)
    assert max(line["attempts"] for line in lines) == 2


def test_a_model_in_two_processes_that_cannot_be_made_is_one_line(auricle: Any, manifest: Any, model: Any) -> None:
    done = run(auricle, manifest, "-m", model, "-M", "broken=true", "--processes", "2")
    assert done.returncode == 2
    (line,) = [each for each in done.stderr.splitlines() if "loading" not in each]
    assert line.startswith("auricle: ")
    assert "Model raised ValueError: the weights are broken" in line


def test_a_model_on_this_machine_is_not_spread(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    done = run(auricle, manifest, "-m", "echo", "--processes", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "auricle: --processes is for models behind an API; echo works on this machine, "
        "where batches serve (--batch-size) and replicas (--replicas).\n"
    )
    assert not (tmp_path / "run").exists()
