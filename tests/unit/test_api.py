"""The front door from Python."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Settings, Spec, SpecError, evaluate, load_model, score, summary
from auricle.core.errors import AudioError


@pytest.fixture
def spec(manifest: Any) -> Any:
    rows = [
        {"id": str(at), "question": f"word {at}", "answer": f"word {at}", "subset": "ab"[at % 2]} for at in range(6)
    ]
    return Spec(task="qa", task_args={"data": str(manifest(rows))}, model="echo")


def test_evaluating_gives_the_numbers_over_all_samples(spec: Any, tmp_path: Path) -> None:
    exact, contained = evaluate(spec, tmp_path / "run")
    assert (exact.metric, exact.value, exact.scored) == ("exact_match", 1.0, 6)
    assert contained.metric == "contains"
    assert exact.signature.endswith("|exact_match:1.basic:1|echo|auricle 0.1.0")


def test_numbers_are_summed_up_by_a_field(spec: Any, tmp_path: Path) -> None:
    evaluate(spec, tmp_path / "run")
    groups = [each["group"] for each in summary(tmp_path / "run", "subset")]
    assert groups == ["all", "all", "a", "a", "b", "b"]


def test_a_journal_that_grew_is_scored_again(spec: Any, tmp_path: Path) -> None:
    evaluate(spec.model_copy(update={"limit": 2}), tmp_path / "run")
    assert summary(tmp_path / "run")[0]["scored"] == 2
    evaluate(spec, tmp_path / "run", infer_only=True)
    assert summary(tmp_path / "run")[0]["scored"] == 6


def test_scoring_again_gives_the_same_numbers(spec: Any, tmp_path: Path) -> None:
    assert evaluate(spec, tmp_path / "run") == score(tmp_path / "run")


def test_settings_change_no_answer(spec: Any, tmp_path: Path) -> None:
    first = evaluate(spec, tmp_path / "a", settings=Settings(batch_size=1))
    second = evaluate(spec, tmp_path / "b", settings=Settings(batch_size=5))
    assert first == second


def test_a_task_function_that_returns_no_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def nothing():\n    return 3\n")
    with pytest.raises(SpecError, match="returned int, not a Task"):
        evaluate(Spec(task=f"{tmp_path / 'mine.py'}:nothing", model="echo"), tmp_path / "run")


def test_a_model_is_asked_about_a_file(tone: Any) -> None:
    with load_model("echo") as model:
        assert model.ask(tone("hello_there.wav")).text == "hello there"
        assert model.ask(str(tone("again.wav")), "and a question").text == "again"


def test_a_model_is_asked_about_whatever_a_sound_is(tone: Any) -> None:
    wave = np.zeros(1600, dtype=np.float32)
    with load_model("fake-api", reply="heard") as model:
        for sound in (wave.tobytes(), {"array": wave, "sampling_rate": 16_000}, Audio("a.wav")):
            assert model.ask(sound).text == "heard"
        assert model.ask(wave, rate=16_000).text == "heard"
        assert model.ask([tone("a.wav"), tone("b.wav")]).text == "heard"
        assert model.ask(text="no sound at all").text == "heard"


def test_a_classifier_is_asked_in_the_same_way(tone: Any) -> None:
    with load_model("fake-labels", labels="x,y") as model:
        assert sum(model.ask(tone("a.wav")).values.values()) == pytest.approx(1.0)


def test_what_cannot_be_a_sound_is_refused_by_type() -> None:
    with load_model("echo") as model, pytest.raises(AudioError, match="set"):
        model.ask({1, 2})


def test_it_works_where_a_loop_is_running_as_in_a_notebook(spec: Any, tmp_path: Path) -> None:
    async def cell() -> Any:
        numbers = evaluate(spec, tmp_path / "run")
        with load_model("fake-api") as model:
            return numbers, model.ask(text="hello")

    (exact, _), answer = asyncio.run(cell())
    assert exact.value == 1.0
    assert answer.text == "hello"


def test_a_model_keeps_its_loop_from_one_question_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "session.py").write_text(
        """
import asyncio
from auricle import AsyncModel, Generation

class Session(AsyncModel):
    loop = None

    async def generate(self, request):
        self.loop = self.loop or asyncio.get_running_loop()
        return Generation(text=str(self.loop is asyncio.get_running_loop()))
"""
    )
    with load_model(f"{tmp_path / 'session.py'}:Session") as model:
        assert [model.ask(text="x").text for _ in range(3)] == ["True"] * 3
