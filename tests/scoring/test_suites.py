"""The combined numbers of a suite: values, intervals, bounds, what is missing, and what is written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate, evaluate_suite, numbers, score
from auricle.api import load_metrics
from auricle.core.errors import SpecError
from auricle.runs.metrics import Metrics
from auricle.runs.suites import read_suite_run, write_suite_run
from auricle.scoring.compare.loading import load_compared_run
from auricle.studies.leaderboards.table import build_leaderboard
from tests.support.extras import require_extra
from tests.support.suites import SUITE, write_suite


@pytest.fixture(scope="module")
def suite_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a suite of two parts, of which the second has twice the weight."""
    folder = tmp_path_factory.mktemp("suite")
    evaluate_suite(write_suite(folder), "echo", folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def metrics(suite_folder: Path) -> Metrics:
    return load_metrics(suite_folder)


def part_value(metrics: Metrics, metric: str, part: str) -> float:
    (value,) = [number.value for number in metrics.numbers if (number.metric, number.group) == (metric, part)]
    assert value is not None
    return value


def test_combined_number_is_the_weighted_mean_of_the_parts(metrics: Metrics, suite_folder: Path) -> None:
    english, german = (load_metrics(suite_folder / part)["wer"] for part in ("english", "german"))
    combined = metrics["wer"]
    assert english.value is not None
    assert german.value is not None
    assert combined.value == pytest.approx(english.value / 3 + 2 * german.value / 3)
    assert (combined.scored, combined.total) == (21, 21)
    assert combined.value is not None
    assert combined.low is not None
    assert combined.high is not None
    assert combined.low < combined.value < combined.high
    assert (combined.interval, metrics["exact_match"].interval) == ("mover", "price-bonett")
    assert part_value(metrics, "wer", "english") == english.value
    assert part_value(metrics, "wer", "en") == english.value


def test_parts_are_described_with_their_shares(metrics: Metrics) -> None:
    described = [(part.name, part.folder, part.language, part.complete, part.problem) for part in metrics.parts]
    assert described == [("english", "english", "en", True, ""), ("german", "german", "de", True, "")]
    assert [part.share for part in metrics.parts] == pytest.approx([1 / 3, 2 / 3])
    assert metrics.complete
    assert (metrics.outcomes.answered, metrics.usage.requests, metrics.journal.total) == (21, 21, 21)
    assert metrics.task.languages == ("en", "de")


def test_interval_does_not_depend_on_the_order_of_the_answers(suite_folder: Path, metrics: Metrics) -> None:
    journal = suite_folder / "german" / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(reversed(lines)))
    again = load_metrics(suite_folder)
    assert [(number.low, number.high) for number in again.overall] == [
        (number.low, number.high) for number in metrics.overall
    ]


def test_files_of_a_suite_have_the_combined_numbers(suite_folder: Path) -> None:
    page = (suite_folder / "report.html").read_text()
    assert 'href="english/report.html"' in page
    assert "33.33" in page
    assert "Price and Bonett" in page
    summary = (suite_folder / "metrics_summary.csv").read_text().splitlines()
    assert len(summary) == 3
    assert summary[1].startswith("suite,echo,wer,")
    document = json.loads((suite_folder / "metrics.json").read_text())
    assert document["parts"][1]["name"] == "german"


def test_numbers_of_a_suite_are_a_frame(suite_folder: Path) -> None:
    require_extra("pandas")
    frame = numbers(suite_folder)
    assert set(frame["field"]) == {"", "part", "language"}


def test_average_over_languages(tmp_path: Path) -> None:
    names = ("english", "german", "austrian")
    text = "suite: [english.yaml, german.yaml, austrian.yaml]\naverage: languages\nmetric: wer\n"
    metrics = evaluate_suite(write_suite(tmp_path, text, *names), "echo", tmp_path / "run")
    english, german, austrian = (part_value(metrics, "wer", part) for part in names)
    assert metrics["wer"].value == pytest.approx(english / 2 + (german + austrian) / 4)
    assert part_value(metrics, "wer", "de") == pytest.approx((german + austrian) / 2)
    assert [number.metric for number in metrics.overall] == ["wer"]


def test_readings_are_added_up_and_bounds_of_unread_answers_are_means(tmp_path: Path) -> None:
    replies = {"first": ["A", "A", "The answer is B.", "hm"], "second": ["A", "B"]}
    for name, texts in replies.items():
        rows = [{"question": text, "choices": ["x", "y"], "answer": "A"} for text in texts]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (tmp_path / f"{name}.yaml").write_text(f"kind: mcq\ndata: {name}.jsonl\n")
    (tmp_path / "suite.yaml").write_text("suite: [first.yaml, second.yaml]\n")
    (tmp_path / "model.py").write_text("def reply(question):\n    return question\n")
    metrics = evaluate_suite(tmp_path / "suite.yaml", f"{tmp_path}/model.py:reply", tmp_path / "run")
    number = metrics["option_accuracy"]
    assert (number.value, number.unread_wrong, number.unread_right) == (0.5, 0.5, 0.625)
    assert (number.readings["whole_reply"], number.readings["marker"], number.readings["unread"]) == (4, 1, 1)
    assert (number.coverage, metrics.outcomes.unreadable) == (5 / 6, 1)


def test_missing_part_is_reported_and_nothing_is_combined(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    evaluate_suite(write_suite(tmp_path), "echo", folder)
    (folder / "german").rename(tmp_path / "elsewhere")
    metrics = load_metrics(folder)
    assert not metrics.overall
    assert not metrics.complete
    assert (
        metrics.not_computed["wer"] == "not combined, because a part is missing: part german: it has not been run yet."
    )
    assert part_value(metrics, "wer", "english") > 0
    assert [(part.share, part.problem) for part in metrics.parts][1] == (None, "it has not been run yet")
    assert "it has not been run yet" in (folder / "report.html").read_text()
    (tmp_path / "elsewhere").rename(folder / "german")
    assert load_metrics(folder).overall


def test_part_without_answers_is_not_combined(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "def answer(text):\n    if 'german' in text:\n        raise ValueError('no German')\n    return text\n"
    )
    metrics = evaluate_suite(write_suite(tmp_path), f"{tmp_path / 'model.py'}:answer", tmp_path / "run")
    assert not metrics.overall
    assert "part german: none of its samples was scored" in metrics.not_computed["wer"]
    assert metrics.outcomes.failed == 9
    assert metrics.failures[0].kind.startswith("german: ")


def test_failed_samples_bound_the_combined_number(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "def answer(text):\n    if 'german 4' in text:\n        raise ValueError('no four')\n    return text\n"
    )
    folder = tmp_path / "run"
    metrics = evaluate_suite(write_suite(tmp_path), f"{tmp_path / 'model.py'}:answer", folder)
    english, german = (load_metrics(folder / part)["exact_match"] for part in ("english", "german"))
    combined = metrics["exact_match"]
    assert (combined.failed, combined.scored, combined.total) == (1, 20, 21)
    assert english.worst is not None
    assert german.worst is not None
    assert combined.worst == pytest.approx(english.worst / 3 + 2 * german.worst / 3)
    assert combined.worst is not None
    assert combined.best is not None
    assert combined.worst < combined.best


def test_suite_is_combined_again_if_a_part_is_scored_again(suite_folder: Path) -> None:
    before = load_metrics(suite_folder)["wer"]
    score(suite_folder / "german", "none")
    after = load_metrics(suite_folder)
    assert after["wer"].signature != before.signature
    assert any("wer is computed differently in the parts" in note for note in after.notes)
    score(suite_folder / "german")
    assert load_metrics(suite_folder)["wer"].signature == before.signature


def test_new_weights_need_no_new_answers(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = evaluate_suite(write_suite(tmp_path), "echo", folder)
    journals = {path: path.stat().st_mtime_ns for path in folder.glob("*/outputs.jsonl")}
    suite = read_suite_run(folder)
    write_suite_run(folder, replace(suite, parts=tuple(replace(part, weight=1.0) for part in suite.parts)))
    second = load_metrics(folder)
    assert second["wer"].value != first["wer"].value
    assert second["wer"].signature.metric != first["wer"].signature.metric
    assert {path: path.stat().st_mtime_ns for path in journals} == journals


def test_suites_share_a_column_of_a_leaderboard_only_if_they_are_the_same(tmp_path: Path) -> None:
    path = write_suite(tmp_path, f"version: 1\n{SUITE}")
    first = evaluate_suite(path, "echo", tmp_path / "a")
    (tmp_path / "model.py").write_text("def last(text):\n    return text.split()[-1]\n")
    other = evaluate_suite(path, f"{tmp_path / 'model.py'}:last", tmp_path / "b")
    table = build_leaderboard([("a", first), ("b", other)])
    assert [column.title for column in table.columns] == ["suite WER"]
    path.write_text(f"version: 2\n{SUITE}")
    newer = evaluate_suite(path, "echo", tmp_path / "a")
    assert len(build_leaderboard([("a", newer), ("b", other)]).columns) == 2


def test_single_task_is_not_a_suite(tmp_path: Path) -> None:
    write_suite(tmp_path)
    with pytest.raises(SpecError, match=r"english\.yaml is not a suite"):
        evaluate_suite(tmp_path / "english.yaml", "echo", tmp_path / "run")


def test_clusters_of_parts_are_kept(manifest: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        rows = [
            {"id": str(i), "question": f"q {i}", "answer": f"q {i}" if i % 2 else "x", "speaker": i % 3}
            for i in range(9)
        ]
        manifest(rows, f"{name}.jsonl")
        (tmp_path / f"{name}.yaml").write_text(
            f"kind: qa\ndata: {name}.jsonl\ncluster: speaker\nmetrics: [exact_match]\nprompt: '{{question}}'\n"
        )
    (tmp_path / "suite.yaml").write_text("suite: [a.yaml, b.yaml]\n")
    metrics = evaluate_suite(tmp_path / "suite.yaml", "echo", tmp_path / "run")
    assert metrics["exact_match"].interval == "mover"


def test_part_of_a_suite_is_an_ordinary_run(suite_folder: Path, tmp_path: Path) -> None:
    spec = Spec.model_validate(json.loads((suite_folder / "english" / "spec.json").read_text())["spec"])
    result = evaluate(spec, suite_folder / "english")
    assert result.outcomes.answered == 12
    assert result.complete


def test_samples_in_several_parts_are_noted(tmp_path: Path) -> None:
    path = write_suite(tmp_path, "suite:\n  - english.yaml\n  - {task: english.yaml, name: again}\n")
    (note,) = evaluate_suite(path, "echo", tmp_path / "run").notes
    assert note == (
        "12 samples occur in several parts. Intervals of combined numbers treat the parts as independent, so they are "
        "too narrow."
    )


def test_samples_are_read_once_for_all_metrics(suite_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Path] = []

    def count_loads(path: Path, *arguments: Any) -> Any:
        loaded.append(path)
        return load_compared_run(path, *arguments)

    monkeypatch.setattr("auricle.scoring.suites.load_compared_run", count_loads)
    (suite_folder / "metrics.json").unlink()
    load_metrics(suite_folder)
    assert loaded == [suite_folder / "english", suite_folder / "german"]
