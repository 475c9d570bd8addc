"""The worker process: loading models, answering batches, describing models."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from auricle import Generate, Generation, SpecError, Turn
from auricle.engine.workers.protocol import HEADER, pack_request, unpack, unpack_output
from auricle.engine.workers.worker import answer_batch, describe_model, load_model
from auricle.models import BatchModel
from auricle.testing.models import Echo
from tests.support import paths

REQUESTS = [Generate(turns=(Turn("user", (text,)),)) for text in ("one", "two")]


class DropsAnOutput(BatchModel):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text="x")] * (len(batch) - 1)


class Exits(BatchModel):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        raise SystemExit(3)


def decode(packed: bytes) -> dict[str, object]:
    size, _ = HEADER.unpack(packed[: HEADER.size])
    return unpack(packed[HEADER.size : HEADER.size + size], packed[HEADER.size + size :])


def answer(model: BatchModel) -> list[dict[str, object]]:
    messages = [decode(pack_request(number, request)) for number, request in enumerate(REQUESTS)]
    return [decode(reply) for reply in answer_batch(model, messages)]


def test_batch_is_answered_in_order() -> None:
    replies = answer(Echo())
    assert [reply["number"] for reply in replies] == [0, 1]
    assert [unpack_output(reply) for reply in replies] == [Generation(text="one"), Generation(text="two")]


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


@pytest.mark.slow
def test_a_model_is_described_on_standard_output() -> None:
    command = [sys.executable, "-m", "auricle.engine.workers.worker", "--describe", "echo"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    described = json.loads(done.stdout)
    assert "generate" in described["can"]
    assert described["asynchronous"] is False
