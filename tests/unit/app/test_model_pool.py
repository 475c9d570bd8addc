"""Models in the app: loaded once, asked one at a time, unloaded when there are too many."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from auricle.app import model_pool as room
from auricle.app.model_pool import ModelPool
from auricle.core.errors import SpecError

COUNTING = """
import threading, time
from auricle import BatchModel, Generation

class Counting(BatchModel):
    made = 0
    inside = most = 0
    def __init__(self, name=""):
        Counting.made += 1
        time.sleep(0.05)
    def generate(self, batch):
        Counting.inside += 1
        Counting.most = max(Counting.most, Counting.inside)
        time.sleep(0.02)
        Counting.inside -= 1
        return [Generation(text="yes") for _ in batch]
"""


@pytest.fixture
def table() -> Iterator[Any]:
    found = ModelPool(max_models=2)
    yield found
    for slot in found.loaded_slots():
        found.unload(slot)


def test_many_visitors_share_one_model_and_ask_it_in_turn(tmp_path: Path, table: Any) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    name = f"{tmp_path}/counting.py:Counting"

    def ask(_: Any) -> Any:
        with table.held(name, {}) as model:
            return model.ask(text="x").text, type(model.model)

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, range(8)))
    kind = answers[0][1]
    assert {text for text, _ in answers} == {"yes"}
    assert (kind.made, kind.most) == (1, 1)


def test_the_least_recently_used_makes_room(table: Any) -> None:
    for reply in ("a", "b", "a", "c"):
        with table.held("echo", {"reply": reply}) as model:
            assert model.ask(text="x").text == reply
    with table.held("echo", {"reply": "a"}):
        pass
    assert len(table.loaded()) == 2
    assert table._slots.keys() == {'echo {"reply":"c"}\n', 'echo {"reply":"a"}\n'}


def test_memory_running_short_unloads_those_nobody_asks(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with table.held("echo", {"reply": "a"}):
        pass
    monkeypatch.setattr(room, "_is_memory_low", lambda: True)
    with table.held("fake-api", {}):
        assert [slot.name for slot in table.loaded()] == ["fake-api"]


def test_a_model_in_use_is_not_taken_away(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_is_memory_low", lambda: True)
    with table.held("echo", {"reply": "a"}) as model, table.held("fake-api", {}):
        assert model.ask(text="x").text == "a"


def test_unloading_waits_for_the_question_to_be_answered(table: Any) -> None:
    began = threading.Event()

    def ask() -> Any:
        with table.held("echo", {}) as model:
            began.set()
            time.sleep(0.1)
            return model.ask(text="x").text

    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(ask)
        began.wait()
        (slot,) = table.loaded()
        table.unload(slot)
        assert answer.result() == "x"
    assert table.loaded() == []


def test_a_model_that_cannot_be_loaded_leaves_nothing_behind(table: Any) -> None:
    with pytest.raises(SpecError), table.held("echo", {"nonsense": 1}):
        pass
    assert table.loaded() == []


def test_a_model_that_streams_tells_its_answer_in_pieces(table: Any) -> None:
    with table.held("fake-api", {"reply": "one two three"}) as model:
        assert model.streams
        assert list(model.stream(text="x")) == ["one ", "two ", "three "]
