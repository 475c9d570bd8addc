"""Numbers, samples and comparisons as data frames."""

import json
from pathlib import Path

import pytest

import auricle
from auricle import Settings, Spec
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
    assert list(frame.answer) == ["q1"] * 3
    assert list(frame["meta.speaker"]) == ["a", "b", "a"]
    assert list(frame["score.exact_match"]) == [0.0, 1.0, 0.0]
    assert set(frame.outcome) == {"answered"}


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
    assert {"score.exact_match", "score.exact_match@none"} <= {*auricle.samples(runs[1]).columns}
