"""Functions of lmms-eval that ask a judge over an API are replaced by rubrics."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation, Spec, evaluate
from auricle.core.errors import SpecError, Unreadable
from auricle.core.types import Generate, Sample, Turn
from auricle.engine.spec import JudgeSpec
from auricle.frameworks.lmms.judges import DESCRIPTION_RULES, JUDGED_FUNCTIONS, make_judged_metric
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Judged
from tests.frameworks.lmms.task_files import build_lmms_task, overall_values, read_metrics

ASKING = """
import urllib.request


def {function}(doc, results, args=None):
    return {{"{metric}": urllib.request.urlopen("http://judge", data=results)}}
"""
LOCAL = """

def rate(doc, results):
    from transformers import AutoModelForCausalLM

    return {"plain": AutoModelForCausalLM.from_pretrained("judge").generate(results[0])}
"""
AIR_BENCH = ("air_bench_process_results_chat", "gpt_eval")
AIR_BENCH_DOC = {"question": "What?", "meta_info": "a dog barks", "answer_gt": "a dog"}


def judged_metric(function: str, metric: str) -> Metric:
    return make_judged_metric(metric, JUDGED_FUNCTIONS[function][metric], lambda outputs: str(text_of(outputs[0])))


def text_of(output: Any) -> str:
    assert isinstance(output, Generation)
    return output.text


def requests_of(function: str, metric: str, doc: Mapping[str, Any], answer: str) -> list[Generate]:
    judged = judged_metric(function, metric)
    assert isinstance(judged, Judged)
    build = judged.judge_requests
    return list(build(Sample(id="0", inputs={}, meta=dict(doc)), Generation(text=answer)))


def prompt_of(request: Generate) -> str:
    (turn,) = request.turns
    assert isinstance(turn, Turn)
    return str(turn.parts[0])


def value_of(function: str, metric: str, doc: Mapping[str, Any], *replies: str) -> float:
    sample = Sample(id="0", inputs={}, meta=dict(doc))
    value = judged_metric(function, metric).score(sample, Generation(text="x"), verdicts=replies)
    assert isinstance(value, float)
    return value


@pytest.fixture
def add_function(folder: Path) -> Callable[[str, str], str]:
    """Add a function that sends requests to utils.py; return the lines that use it."""

    def add(function: str, metric: str) -> str:
        with (folder / "utils.py").open("a") as file:
            file.write(ASKING.format(function=function, metric=metric))
        return f"process_results: !function utils.{function}\nmetric_list: [{{metric: {metric}, aggregation: mean}}]\n"

    return add


@pytest.mark.parametrize(
    ("function", "metric"), [(function, metric) for function, metrics in JUDGED_FUNCTIONS.items() for metric in metrics]
)
def test_every_recognised_metric_has_a_rubric_and_keeps_its_name(
    folder: Path, add_function: Callable[[str, str], str], function: str, metric: str
) -> None:
    (built,) = build_lmms_task(folder, add_function(function, metric)).metrics
    assert built.name == metric
    assert isinstance(built, Judged)
    assert isinstance(built, Bounded)
    assert ".".join(built.variant.split(".")[:1]) == "lmms"


def test_a_judge_scores_the_answers_of_a_task(folder: Path, add_function: Callable[[str, str], str]) -> None:
    with (folder / "task.yaml").open("a") as file:
        file.write(add_function("clotho_aqa_v2_process_results", "gpt_eval"))
    (folder / "model.py").write_text("def answer(text, audio) -> str:\n    return 'yes'\n")
    (folder / "judge.py").write_text(
        "def judge(text: str) -> str:\n"
        "    return 'Score: 5' if '<reference>\\nyes\\n' in text and '<answer>\\nyes\\n' in text else 'Score: 0'\n"
    )
    spec = Spec(
        task=f"lmms:{folder / 'task.yaml'}",
        model=f"{folder}/model.py:answer",
        judge=JudgeSpec(model=f"{folder}/judge.py:judge"),
    )
    evaluate(spec, out=folder / "run")
    assert overall_values(read_metrics(folder))["gpt_eval"] == 50.0  # two of four are right, on a scale of 100


def test_marks_count_as_in_the_function_they_replace() -> None:
    assert value_of("alpaca_audio_process_results", "gpt_eval", {}, "Score: 4") == 80.0
    assert value_of("wavcaps_process_results", "gpt_eval", {}, "Score: 4") == 4.0
    assert value_of("mix_evals_audio2text_process_results_freeform", "gpt_eval", {}, "Score: 1") == 0.5
    assert value_of("voicebench_process_results_open", "llm_as_judge_eval", {}, "Score: 3") == 3.0
    assert value_of("voicebench_process_results_qa", "gpt4_score", {}, "Verdict: yes") == 1.0


def test_a_reply_outside_the_scale_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="from 0 to 5"):
        value_of("wavcaps_process_results", "gpt_eval", {}, "Score: 6")


def test_two_answers_are_marked_in_both_orders_and_only_the_models_counts() -> None:
    first, second = (prompt_of(request) for request in requests_of(*AIR_BENCH, AIR_BENCH_DOC, "a cat"))
    assert first.index("a dog\n") < first.index("a cat")
    assert second.index("a cat") < second.index("a dog\n")
    assert "a dog barks" in first
    replies = [json.dumps(marks) for marks in ({"first": 9, "second": 4}, {"first": 6, "second": 10})]
    assert value_of(*AIR_BENCH, AIR_BENCH_DOC, *replies) == 5.0


def test_the_judge_gets_the_columns_and_the_temperature_of_the_function() -> None:
    doc = {"prompt": "Who?", "reference": "Ann", "other": "secret"}
    (request,) = requests_of("voicebench_process_results_qa", "gpt4_score", doc, "I think <answer> Ann </answer>.")
    prompt = prompt_of(request)
    assert request.temperature == 0.5
    assert "<question>\nWho?\n" in prompt
    assert "<reference>\nAnn\n" in prompt
    assert "<answer>\nAnn\n" in prompt
    assert "secret" not in prompt


@pytest.mark.parametrize(
    ("subset", "rule"), [*DESCRIPTION_RULES.items(), ("unknown", "Both describe similar content.")]
)
def test_descriptions_are_compared_under_the_rule_of_their_subset(subset: str, rule: str) -> None:
    doc = {"subset": subset, "task_answer": "male"}
    (request,) = requests_of("semantic_match_aggregate", "semantic_match", doc, "a man")
    assert rule in prompt_of(request)


def test_an_aggregation_that_asks_the_judge_is_recognised_too(
    folder: Path, add_function: Callable[[str, str], str]
) -> None:
    add_function("semantic_match_aggregate", "semantic_match")
    added = "metric_list: [{metric: semantic_match, aggregation: !function utils.semantic_match_aggregate}]\n"
    (metric,) = build_lmms_task(folder, added).metrics
    assert isinstance(metric, Judged)


def test_other_metrics_of_a_judged_function_are_left_out_with_a_note(
    folder: Path, add_function: Callable[[str, str], str]
) -> None:
    lines = add_function("voicebench_process_results_qa", "gpt4_score").replace("[{", "[{metric: pedant_score}, {")
    task = build_lmms_task(folder, lines)
    assert [metric.name for metric in task.metrics] == ["gpt4_score"]
    assert task.notes("m", {})[0].startswith(
        "pedant_score is left out: utils.voicebench_process_results_qa uses urllib"
    )


def test_a_function_of_the_same_name_that_only_computes_is_run_itself(folder: Path) -> None:
    (folder / "utils.py").write_text(
        (folder / "utils.py").read_text()
        + "\n\ndef wavcaps_process_results(doc, results):\n    return {'gpt_eval': 1.0}\n"
    )
    added = "process_results: !function utils.wavcaps_process_results\nmetric_list: [{metric: gpt_eval}]\n"
    (metric,) = build_lmms_task(folder, added).metrics
    assert not isinstance(metric, Judged)


def test_a_judge_loaded_on_this_machine_is_refused_by_name(folder: Path) -> None:
    (folder / "utils.py").write_text((folder / "utils.py").read_text() + LOCAL)
    with pytest.raises(SpecError, match=r"utils\.rate loads a model on this machine with AutoModelForCausalLM"):
        build_lmms_task(folder, "process_results: !function utils.rate\nmetric_list: [{metric: plain}]\n")


def test_a_judge_of_videos_is_refused_by_name(folder: Path, add_function: Callable[[str, str], str]) -> None:
    lines = add_function("gpt_score_process", "videott_open_ended_score")
    with pytest.raises(SpecError, match=r"utils\.gpt_score_process has a judge mark answers about videos"):
        build_lmms_task(folder, lines)
