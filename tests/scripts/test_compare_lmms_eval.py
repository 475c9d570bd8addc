"""The comparison with lmms-eval: Auricle's side, without a checkout."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripts.compare_lmms_eval import (
    choose_marks,
    compare_groups,
    describe_sample,
    make_outputs,
    place_media,
    score_metric,
    write_verdicts,
)
from scripts.comparison import Comparison

from auricle import Generation, Sample
from auricle.core.types import Likelihood, Turn
from auricle.frameworks.lmms.config_reader import read_config
from auricle.frameworks.lmms.judges import JUDGED_FUNCTIONS, make_judged_metric

SAMPLE = Sample(id="0", inputs={"turns": [Turn("user", ("What?",))], "choices": ["a", "b"]}, target="a", meta={})


def judged(function: str, metric: str) -> Any:
    return make_judged_metric(metric, JUDGED_FUNCTIONS[function][metric], lambda outputs: "x")


def test_a_sample_is_described_by_texts_target_and_choices() -> None:
    described = describe_sample(SAMPLE, has_media=True)
    assert described == {"target": "a", "texts": ["What?"], "choices": ["a", "b"], "media": 0}


def test_marks_of_media_become_files() -> None:
    row = place_media({"a": {"media": "audio"}, "b": [{"media": "image"}], "c": {"media": "x", "d": 1}})
    assert row["a"] == {"bytes": None, "path": "0.wav"}
    assert row["b"] == [{"bytes": None, "path": "0.png"}]
    assert row["c"] == {"media": "x", "d": 1}


def test_losses_become_log_probabilities() -> None:
    outputs = make_outputs(SAMPLE, [1.5, 0.5])
    assert [output.logprobs for output in outputs] == [(-1.5,), (-0.5,)]
    assert all(isinstance(output, Likelihood) for output in outputs)
    assert make_outputs(SAMPLE, "a") == [Generation(text="a")]


@pytest.mark.parametrize(
    ("function", "metric", "marks", "value"),
    [
        ("wavcaps_process_results", "gpt_eval", [4, 0], 4.0),
        ("voicebench_process_results_qa", "gpt4_score", [1, 0], 1.0),
        ("air_bench_process_results_chat", "gpt_eval", [4, 6], 5.0),
    ],
)
def test_verdicts_are_written_for_the_rubric_and_rows_with_guesses_are_left_out(
    function: str, metric: str, marks: list[int], value: float
) -> None:
    result = {"guessed": [1], "predictions": ["x", "y"]}
    built = judged(function, metric)
    assert score_metric(built, [SAMPLE, SAMPLE], result, [marks, [0, 0]]) == value
    assert len(write_verdicts(built, marks)) == (2 if "air_bench" in function else 1)


def test_marks_fit_the_scale_of_the_rubric(tmp_path: Path) -> None:
    function = "utils.mix_evals_audio2text_process_results_freeform"
    (tmp_path / "task.yaml").write_text(
        f"task: t\nprocess_results: !function {function}\nmetric_list: [{{metric: gpt_eval}}]\n"
    )
    marks = choose_marks(read_config(tmp_path / "task.yaml"))
    assert {mark for row in marks for mark in row} == {0, 1, 2}


def test_groups_are_compared_by_the_names_of_their_tasks(tmp_path: Path) -> None:
    (tmp_path / "g.yaml").write_text("group: g\ntask: [t]\n")
    (tmp_path / "t.yaml").write_text("task: t\n")
    (tmp_path / "h.yaml").write_text("group: h\ntask: [missing]\n")
    comparison = Comparison("lmms-eval")
    compare_groups(comparison, {"g.yaml": ["t"], "h.yaml": ["missing: missing"]}, tmp_path)
    assert json.loads(json.dumps(comparison.counts["groups"])) == {"equal": 1, "refused": 1}
