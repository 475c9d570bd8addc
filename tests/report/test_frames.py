"""Numbers, samples and comparisons as data frames."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

import auricle
from auricle import Settings, Spec
from auricle.core.result_table import MAX_SHOWN_ROWS
from auricle.metrics import compute_interval, mean
from tests.support import paths
from tests.support.extras import require_extra

require_extra("pandas")

import pandas as pd


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs over the same three questions."""
    speakers = "aba"
    rows = [{"id": str(n), "question": f"q{n}", "answer": f"q{n}", "speaker": speakers[n]} for n in range(3)]
    (tmp_path / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))
    paths = []
    for name, arguments in (("a", {}), ("b", {"reply": "q1"})):
        spec = Spec(task="qa", task_args={"data": str(tmp_path / "quiz.jsonl")}, model="echo", model_args=arguments)
        auricle.evaluate(spec, tmp_path / name, settings=Settings())
        paths.append(tmp_path / name)
    return paths


def test_numbers_of_several_runs_are_one_frame(runs: list[Path]) -> None:
    frame = auricle.numbers(runs)
    overall = frame[(frame.metric == "exact_match") & (frame.group == "all")]
    assert list(overall.run) == [str(path) for path in runs]
    assert list(overall.value.round(4)) == [1.0, 0.3333]
    assert {"task", "model", "low", "high", "scored", "coverage", "signature"} <= {*frame.columns}
    assert set(frame.group) == {"all", "a", "b"}


def test_samples_have_answers_metadata_and_scores(runs: list[Path]) -> None:
    frame = auricle.samples(str(runs[1]))
    assert list(frame.id) == ["0", "1", "2"]
    assert list(frame.text) == ["q1"] * 3
    assert list(frame["meta.speaker"]) == ["a", "b", "a"]
    assert list(frame.exact_match) == [0.0, 1.0, 0.0]
    assert set(frame.outcome) == {"answered"}


def test_every_cell_of_samples_is_a_scalar(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "one two", "answer": "one two", "tags": ["x", "y"], "age": {"years": 3}},
        {"id": "2", "question": "one two", "answer": "one four", "tags": ["z"], "age": {"years": 4}},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = {"data": str(tmp_path / "rows.jsonl"), "metrics": "wer,contains"}
    frame = auricle.samples(auricle.evaluate(Spec(task="qa", task_args=data, model="echo"), tmp_path / "run").path)
    assert list(frame.wer) == [0.0, 0.5]
    assert frame.errors.sum() / frame.reference_words.sum() == 0.25
    assert list(frame["wer.substitutions"]) == [0, 1]
    assert list(frame["meta.age.years"]) == [3, 4]
    assert not any(isinstance(cell, (list, dict, tuple)) for cell in frame.to_numpy().ravel())


def test_labels_and_class_scores_are_columns(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("question,label\nx,a\ny,b\n")

    def lean_to_a(question: str) -> dict[str, float]:
        return {"a": 0.8, "b": 0.2}

    spec = Spec(task="classify", task_args={"data": str(tmp_path / "rows.csv")}, model=cast(Any, lean_to_a))
    frame = auricle.samples(auricle.evaluate(spec, tmp_path / "run").path)
    assert list(frame.predicted) == ["a"] * 2
    assert list(frame.true) == ["a", "b"]
    assert list(frame["output.b"]) == [0.2, 0.2]
    assert list(frame.accuracy) == [1.0, 0.0]


def test_results_print_as_short_tables_and_become_frames(runs: list[Path]) -> None:
    results = [
        auricle.score(runs[0]),
        auricle.score(runs[0])["exact_match"],
        auricle.summary(runs[0]),
        auricle.compare(runs[0], runs[1]),
        auricle.gate(runs[0], runs[1]),
        auricle.plan("5pp", rate="20%", correlation=0.5),
        compute_interval([0.0, 1.0, 1.0], mean),
    ]
    for result in results:
        assert len(repr(result).splitlines()) <= 20
        assert max(map(len, repr(result).splitlines()[1:]), default=0) < 140
        frame = result.to_frame()
        assert len(frame) >= 1
        assert result._repr_html_().count("<tr>") == min(len(result.list_shown_rows()), MAX_SHOWN_ROWS) + 1


def test_a_comparison_is_a_frame(runs: list[Path]) -> None:
    frame = auricle.compare(runs[0], runs[1]).to_frame()
    row = frame[frame.metric == "exact_match"].iloc[0]
    assert row.difference == pytest.approx(-2 / 3)
    assert (row.n, row.worse) == (3, 2)


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((paths.EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    scope: dict[str, object] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "notebook", "exec"), scope)
    numbers = scope["numbers"]
    assert isinstance(numbers, pd.DataFrame)
    assert list(numbers[(numbers.group == "all") & (numbers.metric == "exact_match")].value) == [1.0, 0.9]
    assert not any(cell.get("outputs") for cell in notebook["cells"])


def test_numbers_under_several_profiles_have_rows_of_their_own(runs: list[Path]) -> None:
    auricle.score(runs[1], ["basic", "none"])
    frame = auricle.numbers(runs[1])
    names = list(frame[frame.group == "all"].metric)
    assert names == ["exact_match", "contains", "exact_match@none", "contains@none"]
    assert {"exact_match", "exact_match@none"} <= {*auricle.samples(runs[1]).columns}
