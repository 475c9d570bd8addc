"""The Python API."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generation, Prediction, Settings, Spec, evaluate, load_model, score, summary
from auricle.core.errors import AudioError
from auricle.core.types import Output


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


@pytest.fixture
def spec(manifest: Any) -> Spec:
    rows = [
        {"id": str(row), "question": f"word {row}", "answer": f"word {row}", "subset": "ab"[row % 2]}
        for row in range(6)
    ]
    return Spec(task="qa", task_args={"data": str(manifest(rows))}, model="echo")


def test_evaluate_returns_the_numbers_over_all_samples(spec: Spec, tmp_path: Path) -> None:
    exact, contained = evaluate(spec, tmp_path / "run")
    assert (exact.metric, exact.value, exact.scored) == ("exact_match", 1.0, 6)
    assert contained.metric == "contains"
    assert str(exact.signature).endswith("|exact_match:1.basic:1|echo|auricle 0.1.0")


def test_summary_can_be_grouped_by_a_field(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec, tmp_path / "run")
    groups = [number.group for number in summary(tmp_path / "run", "subset")]
    assert groups == ["all", "all", "a", "a", "b", "b"]


def test_summary_scores_a_run_that_has_grown(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec.model_copy(update={"limit": 2}), tmp_path / "run")
    assert summary(tmp_path / "run")[0].scored == 2
    evaluate(spec, tmp_path / "run", infer_only=True)
    assert summary(tmp_path / "run")[0].scored == 6


def test_a_run_that_has_grown_is_scored_as_before(spec: Spec, tmp_path: Path) -> None:
    evaluate(spec.model_copy(update={"limit": 2}), tmp_path / "run")
    score(tmp_path / "run", ["none", "basic"], task_args={"metrics": "wer"})
    evaluate(spec, tmp_path / "run", infer_only=True)
    overall = [number for number in summary(tmp_path / "run") if not number.field]
    assert [(number.metric, number.scored) for number in overall] == [("wer", 6), ("wer@basic", 6)]
    assert [number.metric for number in score(tmp_path / "run")] == ["exact_match", "contains"]


def test_scoring_again_gives_the_same_numbers(spec: Spec, tmp_path: Path) -> None:
    assert evaluate(spec, tmp_path / "run").numbers == score(tmp_path / "run").numbers


def test_settings_do_not_change_answers(spec: Spec, tmp_path: Path) -> None:
    first = evaluate(spec, tmp_path / "a", settings=Settings(batch_size=1))
    second = evaluate(spec, tmp_path / "b", settings=Settings(batch_size=5))
    assert first.numbers == second.numbers


def test_model_answers_about_a_file(tone: Any) -> None:
    with load_model("echo") as model:
        assert text_of(model.ask(tone("hello_there.wav"))) == "hello there"
        assert text_of(model.ask(str(tone("second.wav")), "and a question")) == "second"


def test_model_accepts_every_form_of_audio(tone: Any) -> None:
    wave = np.zeros(1600, dtype=np.float32)
    with load_model("fake-api", reply="ok") as model:
        for audio in (wave.tobytes(), {"array": wave, "sampling_rate": 16_000}, Audio("a.wav")):
            assert text_of(model.ask(audio)) == "ok"
        assert text_of(model.ask(wave, rate=16_000)) == "ok"
        assert text_of(model.ask([tone("a.wav"), tone("b.wav")])) == "ok"
        assert text_of(model.ask(text="no audio")) == "ok"


def test_classifier_returns_a_prediction(tone: Any) -> None:
    with load_model("fake-labels", labels="x,y") as model:
        output = model.ask(tone("a.wav"))
    assert isinstance(output, Prediction)
    assert sum(output.values.values()) == pytest.approx(1.0)


def test_unsupported_audio_type_is_rejected() -> None:
    with load_model("echo") as model, pytest.raises(AudioError, match="set"):
        model.ask({1, 2})


def test_api_works_inside_a_running_event_loop(spec: Spec, tmp_path: Path) -> None:
    async def cell() -> Any:
        numbers = evaluate(spec, tmp_path / "run")
        with load_model("fake-api") as model:
            return numbers, model.ask(text="hello")

    (exact, _), answer = asyncio.run(cell())
    assert exact.value == 1.0
    assert text_of(answer) == "hello"


def test_model_keeps_its_event_loop_between_calls(tmp_path: Path) -> None:
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
        assert [text_of(model.ask(text="x")) for _ in range(3)] == ["True"] * 3
