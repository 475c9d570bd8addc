"""Evaluators of AISBench are metrics; those that are not reproduced are rejected by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Sample
from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.evaluators import check_metric, list_metric_names, resolve_metric
from auricle.metrics.capabilities import ReadsAnswer
from auricle.metrics.catalogue import METRICS


def score(name: str, reply: str, target: Any) -> Any:
    return resolve_metric(name).score(Sample(id="1", inputs={}, target=target), Generation(text=reply))


def test_a_metric_applies_the_post_processors_of_both_sides() -> None:
    name = "Gsm8kEvaluator?pred=gsm8k_postprocess&gold=gsm8k_dataset_postprocess"
    assert score(name, "So it is 1234.", "steps #### 1,234") == 1.0
    metric = resolve_metric(name)
    assert metric.signature == "Gsm8kEvaluator:1.pred=gsm8k_postprocess&gold=gsm8k_dataset_postprocess"
    assert isinstance(metric, ReadsAnswer)
    assert metric.read_answer(Sample(id="1", inputs={}), Generation(text="12 or 7")) == "7"


def test_options_survive_the_name_of_a_metric() -> None:
    options = {"pred": "match_answer_pattern", "pred.answer_pattern": "100%,=&答案([A-D])"}
    (name,) = list_metric_names("AccEvaluator", options)
    assert "," not in name
    assert score(name.removeprefix("aisbench:"), "100%,=&答案C", "C") == 1.0


def test_an_evaluator_with_several_numbers_has_a_metric_for_each() -> None:
    assert list_metric_names("RougeEvaluator", {}) == [
        f"aisbench:RougeEvaluator.{kind}" for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum")
    ]


def test_bleu_is_auricles_own() -> None:
    metric = resolve_metric("BleuEvaluator?pred=extract_non_reasoning_content")
    stats = [
        metric.score(
            Sample(id="1", inputs={}, target="the cat sat on it"), Generation(text="<think>x</think> the cat sat on it")
        )
    ]
    assert metric.aggregate(stats) == pytest.approx(100)


def test_a_metric_is_found_by_its_prefix() -> None:
    assert METRICS.get("aisbench:AccEvaluator").name == "AccEvaluator"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("HumanEvalEvaluator?pred=humaneval_postprocess_v2", "HumanEvalEvaluator is not reproduced: it runs code"),
        ("LLMJudgeCorrectEvaluator", "asks a judge model"),
        (
            "BBHEvaluator",
            "BBHEvaluator is not reproduced: it belongs to one benchmark of text, and Auricle evaluates audio",
        ),
        ("AccEvaluator?pred=bbh-mcq", "post-processor bbh-mcq is not reproduced: it belongs to one benchmark of text"),
        ("MyEvaluator", "AISBench's MyEvaluator is not reproduced. Choose a metric"),
        ("AccEvaluator?pred=mine", "post-processor mine is not reproduced"),
        ("AccEvaluator?threshold=1", "The option threshold of AISBench's AccEvaluator is not reproduced"),
        ("AccEvaluator?model=x", "The option model of"),
        ("AccEvaluator?pred=first_option_postprocess", "needs the option options"),
        ("AccEvaluator?pred", "should be key=value"),
    ],
)
def test_what_is_not_reproduced_is_rejected_by_name(name: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        resolve_metric(name)
    assert message.partition(".")[0] in check_metric(f"aisbench:{name}")


def test_other_metrics_and_reproduced_evaluators_have_no_problem() -> None:
    assert check_metric("exact_match") == check_metric("aisbench:VocalSoundEvaluator") == ""


@pytest.mark.slow
def test_a_task_with_an_evaluator_runs_and_one_without_is_refused(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    manifest([{"question": "1 + 6?", "answer": "#### 7"}, {"question": "1 + 1?", "answer": "#### 2"}], "rows.jsonl")
    name = "aisbench:Gsm8kEvaluator?pred=gsm8k_postprocess&gold=gsm8k_dataset_postprocess"
    result = auricle(
        "run", "rows.jsonl", "--as", "qa", "-m", "echo", "-M", "reply=It is 7.", "-T", f"metrics={name}", "--json"
    )
    assert result.returncode == 0, result.stderr
    assert '"value": 0.5' in result.stdout.replace("0.5000", "0.5")
    result = auricle("run", "rows.jsonl", "--as", "qa", "-m", "echo", "-T", "metrics=aisbench:HumanEvalEvaluator")
    assert result.returncode == 2
    assert "AISBench's HumanEvalEvaluator is not reproduced: it runs code that the model wrote." in result.stderr
