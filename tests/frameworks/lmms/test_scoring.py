from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generation
from tests.frameworks.lmms.task_files import build_lmms_task, overall_values, read_metrics, run_task


def test_a_metric_without_values_is_reported(folder: Path) -> None:
    build_lmms_task(folder, "metric_list: [{metric: never, aggregation: mean}]\n")
    document = run_task(folder, "'no'")
    assert document["not_computed"] == {"never": "it applies to none of the samples"}


def test_functions_of_the_file_compute_the_scores(folder: Path) -> None:
    document = run_task(folder, "'yes' if 'Q1' in text or 'Q2' in text else 'no'")
    assert overall_values(document) == {"accuracy": 50.0, "plain": 0.5}


def test_an_answer_that_would_be_guessed_is_unreadable(folder: Path) -> None:
    document = run_task(folder, "'' if 'Q0' in text else 'yes'")
    (number,) = [candidate for candidate in document["numbers"] if candidate["metric"] == "plain"][:1]
    assert (number["scored"], number["unreadable"]) == (3, 1)
    scores = (folder / "run" / "scores.jsonl").read_text()
    assert "random.choice would have guessed one" in scores


def test_a_sample_without_a_value_is_not_scored(folder: Path) -> None:
    task = build_lmms_task(folder, "metric_list: [{metric: sometimes, aggregation: mean}]\n")
    (metric,), samples = task.metrics, list(task.samples)
    assert metric.score(samples[0], Generation(text="no")) is None
    assert metric.score(samples[2], Generation(text="no")) == 1.0


def test_metrics_of_auricle_replace_those_of_the_file(folder: Path) -> None:
    task = build_lmms_task(
        folder, "process_results: !function utils.judged\n", options={"metrics": "exact_match,contains"}
    )
    assert [metric.name for metric in task.metrics] == ["exact_match", "contains"]


def test_filters_are_applied_before_metrics(folder: Path) -> None:
    task = build_lmms_task(
        folder,
        r"""
process_results: null
metric_list: [{metric: exact_match}]
filter_list:
  - name: strict
    filter: [{function: regex, regex_pattern: "is (\\w+)"}, {function: take_first}]
  - name: low
    filter: [{function: lowercase}]
""",
    )
    sample = next(iter(task.samples))
    scores = {metric.name: metric.score(sample, Generation(text="It is no")) for metric in task.metrics}
    assert scores == {"exact_match-strict": 1.0, "exact_match-low": 0.0}


@pytest.mark.slow
def test_a_run_is_scored_again_without_its_data(folder: Path, auricle: Any) -> None:
    run_task(folder, "'no'")
    before = overall_values(read_metrics(folder))
    (folder / "rows.jsonl").unlink()
    result = auricle("score", "run")
    assert result.returncode == 0, result.stderr
    assert overall_values(read_metrics(folder)) == before


def test_an_aggregation_that_writes_files_is_left_out_with_a_note(folder: Path) -> None:
    added = "metric_list: [{metric: all, aggregation: !function utils.submit}, {metric: plain}]\n"
    task = build_lmms_task(folder, added)
    assert [metric.name for metric in task.metrics] == ["plain"]
    assert task.notes("m", {}) == ["all is left out: utils.submit uses open, so it does more than compute a score."]


@pytest.mark.parametrize(
    ("name", "uses"), [("judged", "urllib"), ("judged_within", "openai"), ("judged_by_class", "server")]
)
def test_a_function_that_uses_the_network_is_rejected(folder: Path, name: str, uses: str) -> None:
    with pytest.raises(SpecError, match=f"utils.{name} uses {uses}, so it does more than compute"):
        build_lmms_task(folder, f"process_results: !function utils.{name}\n")


ELSEWHERE = """
import urllib.request


class Evaluator:
    def rate(self, text):
        return urllib.request.urlopen("http://judge", data=text)


class Client:
    opener = urllib.request.build_opener()

    def rate(self, text):
        return self.opener.open("http://judge", text)


def load_words():
    with open("words.txt") as file:
        return file.read().split()
"""


def add_scorer(folder: Path, imports: str, expression: str) -> str:
    """Add a function that uses elsewhere.py to utils.py; return the lines that use it."""
    utils = folder / "utils.py"
    utils.write_text(
        f"import sys\n\nsys.path.insert(0, {str(folder)!r})\n{imports}\nsys.path.pop(0)\n"
        f"del sys.modules['elsewhere']\n{utils.read_text()}\n\n"
        f"def rate(doc, results):\n    return {{'plain': {expression}}}\n"
    )
    return "process_results: !function utils.rate\nmetric_list: [{metric: plain}]\n"


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        ("evaluator.rate", "urllib"),
        ("elsewhere.Evaluator().rate", "urllib"),
        ("elsewhere.evaluator.rate", "urllib"),
        ("client.rate", "opener"),
    ],
)
def test_requests_sent_by_another_file_of_the_task_are_noticed(folder: Path, use: str, reason: str) -> None:
    (folder / "elsewhere.py").write_text(f"{ELSEWHERE}\n\nevaluator, client = Evaluator(), Client()\n")
    added = add_scorer(folder, "import elsewhere\nfrom elsewhere import client, evaluator", f"{use}(results[0])")
    with pytest.raises(SpecError, match=rf"utils\.rate uses {reason}"):
        build_lmms_task(folder, added)


def test_another_file_of_the_task_may_read_files(folder: Path) -> None:
    (folder / "elsewhere.py").write_text(ELSEWHERE)
    added = add_scorer(folder, "from elsewhere import load_words", "float(results[0] in load_words())")
    assert [metric.name for metric in build_lmms_task(folder, added).metrics] == ["plain"]


LOW = "filter_list: [{name: none, filter: [{function: lowercase}]}]\n"


@pytest.mark.parametrize(
    ("added", "answer", "expected"),
    [
        ("", "<think>yes?</think> no", 1.0),
        ("", "<think>a</think><analysis>b\nc</analysis>no", 1.0),
        ("", "the prompt began the reasoning</think>no", 1.0),
        ("", "<think>no", 0.0),
        ("", "<thinking>yes?</thinking>no", 0.0),
        ("reasoning_tags: none\n", "<think>yes?</think>no", 0.0),
        ("reasoning_tags: [['<r>', '</r>']]\n", "<r>yes?</r>no", 1.0),
        ('reasoning_tags: \'[["<r>", "</r>"]]\'\n', "<r>yes?</r>no", 1.0),
        ("reasoning_tags: none\nauto_strip_thinking: true\n", "<thinking>yes?</thinking>no", 1.0),
        ("auto_strip_thinking: true\n", "<thinking>yes?</thinking>no", 0.0),  # as there, the tags take precedence
        (LOW, "<THINK>yes?</THINK>NO", 1.0),  # tags are removed after the filters
        (LOW.replace("lowercase", "strip_thinking"), "<thinking>yes?</thinking>no", 1.0),
    ],
)
def test_reasoning_is_removed_as_in_lmms_eval(folder: Path, added: str, answer: str, expected: float) -> None:
    (metric,) = build_lmms_task(folder, f"process_results: null\nmetric_list: null\n{added}").metrics
    sample = next(sample for sample in build_lmms_task(folder).samples if sample.target == "no")
    assert metric.score(sample, Generation(text=answer)) == expected


def test_tags_of_reasoning_that_are_no_pairs_are_refused(folder: Path) -> None:
    with pytest.raises(SpecError, match="reasoning_tags should be a list of pairs of tags, not 'think'"):
        build_lmms_task(folder, "reasoning_tags: think\n")


def test_the_cluster_of_a_file_is_that_of_its_intervals_and_its_alias_is_not_the_name(folder: Path) -> None:
    task = build_lmms_task(folder, "cluster_key: task\ntask_alias: Music and sound\n")
    assert (task.cluster, task.name) == ("task", build_lmms_task(folder).name)
    assert "task_alias='Music and sound' is not shown" in task.notes("m", {})[0]
