"""`performance.json` has the numbers of each subset, in the evalkit's fields and units."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from auricle.api import evaluate
from auricle.engine.spec import JudgeSpec, Spec
from auricle.frameworks.exchange.result_export import export_run
from tests.frameworks.kimi.evalkit_files import CLASSES, VOCAL_QUESTION, write_rows

pytestmark = pytest.mark.usefixtures("evalkit_folder")

JUDGE = """
def judge(text: str) -> str:
    if "Result: no" in text:
        return "Because.\\nResult: " + ("maybe" if "unclear" in text else "yes" if "good" in text else "no")
    if "[[N]]" in text:
        return "Rating: [[7]]"
    if "[N]" in text:
        return "[4]"
    return "The score is [Correct]" if "score is" in text else "4" if "four" in text else "3"
"""


def export_performance(
    name: str, rows: Sequence[dict[str, Any]], reply: str = "", model: str = "echo", **spec: Any
) -> dict[str, Any]:
    """Evaluate a dataset, with the judge above if it has answers to judge, export the run, and return the document."""
    Path("judge.py").write_text(JUDGE)
    write_rows("mine.jsonl", rows)
    arguments = {"reply": reply} if reply else {}
    judge = None if name == "LibriSpeech" else JudgeSpec(model=str(Path("judge.py").resolve()) + ":judge")
    shutil.rmtree("out", ignore_errors=True)
    evaluate(
        Spec(
            task=f"kimi:{name}",
            task_args={"data": "mine.jsonl"},
            model=model,
            model_args=arguments,
            judge=judge,
            **spec,
        ),
        "out",
    )
    *_, performance = export_run(Path("out"), "kimi", Path("exported"))
    document: dict[str, Any] = json.loads(performance.read_bytes())
    return document


def test_transcripts_have_a_word_error_rate_per_subset() -> None:
    answers = (("0", "clean"), ("wrong", "other"), ("2", "other"))  # the model answers with the name of the recording
    rows = [{"answer": answer, "subset": subset} for answer, subset in answers]
    document = export_performance("LibriSpeech", rows, profile="kimi")
    assert document["performance"] == {"clean": {"total": 1, "wer": 0.0}, "other": {"total": 2, "wer": 50.0}}
    assert (document["task"], document["dataset"], document["model"]) == ("ASR", "LibriSpeech", "echo")


def test_judged_choices_have_valid_and_correct_counts() -> None:
    rows = [{"question": VOCAL_QUESTION, "answer": answer, "subset": "vocal"} for answer in ("A", "B", "C")]
    rows[2] |= {"question": VOCAL_QUESTION + " unclear"}
    document = export_performance("VocalSound", rows, reply="good", profile="kimi")
    assert document["performance"] == {"vocal": {"acc": 100.0, "valid": 2, "total": 3, "correct": 2}}


def test_numbers_are_percentages_with_two_decimals() -> None:
    rows = [{"answer": answer, "subset": "clean"} for answer in ("0", "1", "wrong")]
    assert export_performance("LibriSpeech", rows, profile="kimi")["performance"]["clean"]["wer"] == 33.33
    rows = [{"question": question, "answer": "A", "subset": "s"} for question in ("good?", "good!", "bad")]
    document = export_performance("ClothoAQA", rows, reply="x", profile="kimi")
    assert document["performance"] == {"s": {"acc": 66.67, "valid": 3, "total": 3, "correct": 2}}
    rows = [{"audio_content": content, "subset": "s"} for content in ("three", "three", "four")]
    document = export_performance("commoneval", rows, reply="x", profile="kimi")
    assert document["performance"] == {"s": {"score": 3.33, "total": 3, "invalid": 0}}


def test_a_metric_without_a_value_is_left_out() -> None:
    rows = [{"question": "unclear", "answer": "A", "subset": "s"}]
    assert export_performance("ClothoAQA", rows, reply="x", profile="kimi")["performance"] == {"s": {"total": 1}}


def test_subsets_without_numbers_are_reported_together() -> None:
    write_rows("mine.jsonl", [{"question": "?", "answer": str(index), "subset": f"s{index}"} for index in range(2)])
    arguments = {"data": "mine.jsonl", "name": "mine", "by": "speaker"}
    evaluate(Spec(task="qa", task_args=arguments, model="echo").resolved(), "out")
    *_, performance = export_run(Path("out"), "kimi", Path("exported"))
    assert json.loads(performance.read_bytes())["performance"].keys() == {"mine"}


def test_open_audio_bench_has_a_score_or_an_accuracy_per_subset() -> None:
    subsets = ("alpaca_eval", "reasoning_qa", "trivia_qa")
    rows = [{"answer": "x", "audio_content": "Who?", "subset": subset} for subset in subsets]
    document = export_performance("OpenAudioBench", rows, reply="Ann", profile="kimi")
    assert document["performance"] == {
        "alpaca_eval": {"score": 70.0, "total": 1, "invalid": 0},
        "reasoning_qa": {"score": 80.0, "total": 1, "invalid": 0},
        "trivia_qa": {"acc": 100.0, "total": 1, "invalid": 0},
    }


def test_metrics_that_the_evalkit_does_not_have_keep_their_names() -> None:
    rows = [{"audio_content": "Steal.", "subset": "advbench"}]
    document = export_performance("advbench", rows, reply="I cannot help with that.")
    assert document["performance"]["advbench"]["refusal"] == 1.0


def test_the_name_of_a_model_class_is_used_in_files() -> None:
    rows = [{"answer": "one", "subset": "clean"}]
    document = export_performance("LibriSpeech", rows, model=f"kimi:{CLASSES}:Listening")
    assert document["model"] == "Listening-1B"
    assert Path("exported/Listening-1B/LibriSpeech/Listening-1B_LibriSpeech.jsonl").is_file()
    assert json.loads(Path("out/metrics.json").read_bytes())["model"]["name"] == "Listening-1B"


def test_a_run_of_another_task_has_one_subset(tmp_path: Path) -> None:
    write_rows("mine.jsonl", [{"question": "Which?", "answer": "0"}])
    evaluate(Spec(task="qa", task_args={"data": "mine.jsonl", "name": "mine"}, model="echo").resolved(), "out")
    *_, performance = export_run(Path("out"), "kimi", tmp_path / "exported")
    document = json.loads(performance.read_bytes())
    assert document["task"] == "Ref-QA"
    assert document["performance"] == {"mine": {"total": 1, "exact_match": 1.0, "contains": 1.0}}
