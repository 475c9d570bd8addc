"""The Python API."""

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Settings, Spec, api, evaluate, load_model, score, summary
from auricle.core.errors import ExitStatus, SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Output
from auricle.engine.budget import Budget
from auricle.engine.spec import JudgeSpec
from auricle.runs.usage import Price


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
    assert str(exact.signature).endswith(f"|exact_match:1.basic:2|echo|auricle {version('auricle')}")


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


# --- replies that rules cannot read -----------------------------------------------------------------


READERS = '''
from pathlib import Path
from auricle import AsyncModel, Generation, SampleError

LOG = Path(__file__).parent / "read.txt"

def read(text):
    """Choose the first option, log the reply, and fail on `broken`."""
    reply = text.partition("<reply>\\n")[2].partition("\\n</reply>")[0]
    with LOG.open("a") as log:
        log.write(f"{reply}\\n")
    if reply == "broken":
        raise SampleError("the reader fails on purpose")
    return "Choice: none" if reply == "nothing" else "Choice: 1"

class Metered(AsyncModel):
    async def generate(self, request):
        return Generation(text="Choice: 1", tokens=1000, input_tokens=2000)
'''


@pytest.fixture
def quiz_run(tmp_path: Path, manifest: Any) -> Path:
    """A run of a model that replies with the question: read by rules, unread, and broken for the judge."""
    (tmp_path / "reader.py").write_text(READERS)
    (tmp_path / "model.py").write_text("def answer(question):\n    return question\n")
    replies = ("The answer is A.", "the upper", "nothing", "broken", "the upper")
    rows = [
        {"id": f"q{row}", "question": reply, "choices": ["x", "y"], "answer": "A"} for row, reply in enumerate(replies)
    ]
    task_args = {"data": str(manifest(rows)), "prompt": "{question}"}
    api.evaluate(Spec(task="mcq", task_args=task_args, model=f"{tmp_path}/model.py:answer"), tmp_path / "run")
    return tmp_path / "run"


def test_a_judge_reads_only_what_rules_cannot_read_and_only_once(quiz_run: Path, tmp_path: Path) -> None:
    reader = JudgeSpec(model=f"{tmp_path}/reader.py:read", role=JudgeRole.UNREAD)
    before = api.load_metrics(quiz_run)["option_accuracy"]
    assert (before.value, before.unreadable) == (0.2, 4)
    result = api.score(quiz_run, judge=reader)
    number = result["option_accuracy"]
    assert (number.value, number.unreadable, number.coverage) == (0.6, 2, 0.6)
    assert number.readings["judge"] == 2
    assert str(number.signature.metric) == "option_accuracy:5.judge-unread-v1.by-reader.py:read.unreadable-wrong"
    assert result.exit_status is ExitStatus.FAILURES  # one request failed; its sample stays unread
    log = tmp_path / "read.txt"
    assert sorted(log.read_text().split("\n")[:-1]) == ["broken", "nothing", "the upper"]
    api.score(quiz_run, judge=reader)
    assert log.read_text().count("\n") == 4  # only the failed request is sent again
    assert api.score(quiz_run)["option_accuracy"].value == 0.6  # stored verdicts are read without the judge


def test_a_judge_of_unread_replies_needs_a_metric_that_reads_replies(tmp_path: Path, manifest: Any) -> None:
    data = str(manifest([{"question": "x", "answer": "x"}]))
    api.evaluate(Spec(task="qa", task_args={"data": data, "metrics": "empty"}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match="has no metric that reads answers from replies; its metrics are empty"):
        api.score(tmp_path / "run", judge=JudgeSpec(model="echo", role=JudgeRole.UNREAD))


def test_the_verdicts_on_unread_replies_count_towards_the_budget(quiz_run: Path, tmp_path: Path) -> None:
    reader = JudgeSpec(model=f"{tmp_path}/reader.py:Metered", role=JudgeRole.UNREAD)
    budget = Budget(None, 0.005, {"reader.py:Metered": Price("m", input=1.0, output=2.0)})
    result = api.score(quiz_run, judge=reader, settings=Settings(concurrency=1), observer=budget)
    assert budget.cost == pytest.approx(0.008)  # two of three verdicts, 0.004 each
    assert "0.008 USD spent, the limit is 0.005 USD" in result.stop_reason
    assert result["option_accuracy"].readings["unread"] > 0
