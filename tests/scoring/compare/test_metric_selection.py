"""Which metrics can be compared."""

from typing import Any

import pytest

from auricle import SpecError, compare, score

pytestmark = pytest.mark.slow


def test_metrics_computed_differently_name_the_command_that_helps(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer"), run("b", data, metrics="wer")
    score(b, "whisper-en")
    comparison = compare(a, b)
    assert comparison.rows == ()
    assert "wer:1.pooled.basic" in comparison.refused["wer"]
    assert f"auricle score {b} --profile basic" in comparison.refused["wer"]
    score(a, "whisper-en")
    again = compare(a, b)
    assert again.refused == {}
    assert "whisper-en" in again.rows[0].signature


def test_a_metric_that_one_run_lacks_is_explained(run: Any, quiz: Any) -> None:
    data = quiz()
    comparison = compare(run("a", data, metrics="wer,cer"), run("b", data, metrics="wer"))
    assert [row.metric for row in comparison.rows] == ["wer"]
    assert "B does not have this metric; it has wer" in comparison.refused["cer"]


def test_a_metric_that_neither_run_has_is_an_error(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    with pytest.raises(SpecError, match=r"Neither run has the metric 'bleu'\. Available: exact_match"):
        compare(a, a, metrics=["bleu"])


def test_only_the_named_metrics_are_compared(run: Any, quiz: Any) -> None:
    a = run("a", quiz(), metrics="wer,cer,exact_match")
    assert [row.metric for row in compare(a, a, metrics=["cer"]).rows] == ["cer"]


def test_a_metric_of_ones_own_that_both_runs_were_scored_with_is_compared(run: Any, quiz: Any, tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text("def length(sample, output):\n    return len(output.text)\n")
    data = quiz()
    a, b = run("a", data), run("b", data)
    for path in (a, b):
        score(path, task_args={"metrics": f"{tmp_path / 'mine.py'}:length"})
    assert [row.metric for row in compare(a, b).rows] == ["length"]


def test_a_run_without_a_further_profile_is_reported_with_the_command_that_adds_it(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer"), run("b", data, metrics="wer")
    score(a, ["basic", "whisper-en"])
    comparison = compare(a, b)
    assert [row.metric for row in comparison.rows] == ["wer"]
    assert f"auricle score {b} --profile basic --profile whisper-en" in comparison.refused["wer@whisper-en"]
    score(b, ["basic", "whisper-en"])
    assert [row.metric for row in compare(a, b).rows] == ["wer", "wer@whisper-en"]


def test_numbers_of_each_judge_are_compared_beside_the_combined_one(run: Any, quiz: Any, tmp_path: Any) -> None:
    code = "def {name}(text):\n    return 'Verdict: {verdict}'\n"
    judges = [("kind", "yes"), ("strict", "no")]
    (tmp_path / "judges.py").write_text("".join(code.format(name=name, verdict=verdict) for name, verdict in judges))
    data = quiz()
    a, b = run("a", data, metrics="judge-reference"), run("b", data, metrics="judge-reference")
    for path in (a, b):
        score(path, judge=[f"{tmp_path / 'judges.py'}:{name}" for name, _ in judges])
    rows = compare(a, b).rows
    assert [row.metric for row in rows] == [
        *("judge-reference", "judge-reference.by-judges.py:kind", "judge-reference.by-judges.py:strict")
    ]
