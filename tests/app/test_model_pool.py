"""Tests of the loaded models."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from auricle.api import LoadedModel
from auricle.app import machine, model_pool
from auricle.app.machine import GpuUsage, Memory
from auricle.app.model_pool import ModelPool
from auricle.core.errors import SpecError
from auricle.core.types import Generation

pytestmark = pytest.mark.slow

COUNTING = """
import threading, time
from auricle import BatchModel, Generation

class Counting(BatchModel):
    instances = 0
    running = max_running = 0
    def __init__(self, name=""):
        Counting.instances += 1
        time.sleep(0.05)
    def generate(self, batch):
        Counting.running += 1
        Counting.max_running = max(Counting.max_running, Counting.running)
        time.sleep(0.02)
        Counting.running -= 1
        return [Generation(text="yes") for _ in batch]
"""


@pytest.fixture
def pool() -> Iterator[ModelPool]:
    pool = ModelPool(max_models=2)
    yield pool
    for slot in pool.loaded_slots():
        pool.unload(slot)


def ask_text(model: LoadedModel) -> str:
    output = model.ask(text="x")
    assert isinstance(output, Generation)
    return output.text


def test_users_share_one_model_and_wait_for_each_other(tmp_path: Path, pool: ModelPool) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    name = f"{tmp_path}/counting.py:Counting"

    def ask(_: int) -> tuple[str, type]:
        with pool.acquire(name, {}) as model:
            return ask_text(model), type(model.model)

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, range(8)))
    model_class: Any = answers[0][1]
    assert {text for text, _ in answers} == {"yes"}
    assert (model_class.instances, model_class.max_running) == (1, 1)


def test_least_recently_used_model_is_unloaded(pool: ModelPool) -> None:
    for reply in ("a", "b", "a", "c"):
        with pool.acquire("echo", {"reply": reply}) as model:
            assert ask_text(model) == reply
    with pool.acquire("echo", {"reply": "a"}):
        pass
    assert len(pool.loaded_slots()) == 2
    assert pool._slots.keys() == {'echo {"reply":"c"}\n', 'echo {"reply":"a"}\n'}


def test_idle_models_are_unloaded_when_memory_is_low(pool: ModelPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pool.acquire("echo", {"reply": "a"}):
        pass
    monkeypatch.setattr(model_pool, "_is_memory_low", lambda: True)
    with pool.acquire("fake-api", {}):
        assert [slot.name for slot in pool.loaded_slots()] == ["fake-api"]


def test_model_in_use_is_not_unloaded(pool: ModelPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_pool, "_is_memory_low", lambda: True)
    with pool.acquire("echo", {"reply": "a"}) as model, pool.acquire("fake-api", {}):
        assert ask_text(model) == "a"


def test_unloading_waits_for_the_current_request(pool: ModelPool) -> None:
    started = threading.Event()

    def ask() -> str:
        with pool.acquire("echo", {}) as model:
            started.set()
            time.sleep(0.1)
            return ask_text(model)

    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(ask)
        started.wait()
        (slot,) = pool.loaded_slots()
        pool.unload(slot)
        assert answer.result() == "x"
    assert pool.loaded_slots() == []


def test_model_that_fails_to_load_leaves_no_slot(pool: ModelPool) -> None:
    with pytest.raises(SpecError), pool.acquire("echo", {"nonsense": 1}):
        pass
    assert pool.loaded_slots() == []


def test_streaming_model_yields_chunks(pool: ModelPool) -> None:
    with pool.acquire("fake-api", {"reply": "one two three"}) as model:
        assert model.can_stream
        assert list(model.stream(text="x")) == ["one ", "two ", "three "]


@pytest.mark.parametrize(("gpu_used", "is_low"), [(95, True), (80, False)])
def test_memory_is_low_if_that_of_a_gpu_is(monkeypatch: pytest.MonkeyPatch, gpu_used: int, is_low: bool) -> None:
    monkeypatch.setattr(machine, "read_system_memory", lambda: Memory("Memory", 10, 100))
    monkeypatch.setattr(machine, "read_gpus", lambda: GpuUsage((Memory("a", 1, 100), Memory("b", gpu_used, 100))))
    assert model_pool._is_memory_low() is is_low
