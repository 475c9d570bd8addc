"""The Python API."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Settings, Spec, evaluate, load_model, score, summary
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
    assert str(exact.signature).endswith("|exact_match:1.basic:2|echo|auricle 0.1.0")


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


def test_api_works_inside_a_running_event_loop(spec: Spec, tmp_path: Path) -> None:
    async def cell() -> Any:
        numbers = evaluate(spec, tmp_path / "run")
        with load_model("fake-api") as model:
            return numbers, model.ask(text="hello")

    (exact, _), answer = asyncio.run(cell())
    assert exact.value == 1.0
    assert text_of(answer) == "hello"


def test_the_language_read_from_the_references_is_kept_by_the_run(manifest: Any, tmp_path: Path, tone: Any) -> None:
    sound = tone("a.wav")
    path = manifest(
        [{"id": str(row), "audio": str(sound), "text": text} for row, text in enumerate(["你好", "再见", "hello"])]
    )
    spec = Spec(task="asr", task_args={"data": str(path)}, model="echo", model_args={"reply": "你好"}, limit=1)
    numbers = evaluate(spec, tmp_path / "run")
    assert [(number.metric, number.value) for number in numbers] == [("mer", 0.0), ("cer", 0.0)]
    path.unlink()
    scored = score(tmp_path / "run").metrics
    assert scored
    assert [number.metric for number in scored.overall] == ["mer", "cer"]
    assert any("by default they are scored as zh-mixed" in note for note in scored.notes)
    others = score(tmp_path / "run", task_args={"scored_as": "und"})
    assert [number.metric for number in others] == ["wer", "cer"]
