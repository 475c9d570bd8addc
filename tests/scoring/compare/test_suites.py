"""Comparisons of two suites."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from auricle import compare, evaluate_suite
from auricle.core.errors import SpecError
from auricle.report.shown_comparison import ShownComparison
from auricle.runs.suites import read_suite_run, write_suite_run
from tests.support.suites import write_suite

MODEL = "def answer(text):\n    return text.upper() if len(text) % 2 else text + ' and more'\n"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Run two models on a suite of three parts in two languages."""
    folder = tmp_path_factory.mktemp("suites")
    text = "suite: [english.yaml, {task: german.yaml, weight: 2}, austrian.yaml]\n"
    path = write_suite(folder, text, "english", "german", "austrian")
    (folder / "model.py").write_text(MODEL)
    evaluate_suite(path, "echo", folder / "a")
    evaluate_suite(path, f"{folder / 'model.py'}:answer", folder / "b")
    return folder / "a", folder / "b"


@pytest.fixture(scope="module")
def comparison(folders: tuple[Path, Path]) -> ShownComparison:
    return compare(*folders)


def test_combined_difference_is_the_weighted_difference_of_the_parts(comparison: ShownComparison) -> None:
    (whole,) = [row for row in comparison.overall if row.metric == "wer"]
    parts = {row.group: row for row in comparison.rows if row.field == "part" and row.metric == "wer"}
    shares = {"english": 0.25, "german": 0.5, "austrian": 0.25}
    assert whole.difference == pytest.approx(sum(shares[part] * row.difference for part, row in parts.items()))
    assert whole.low < whole.difference < whole.high
    assert (whole.n, whole.better, whole.worse) == (
        sum(row.n for row in parts.values()),
        sum(row.better for row in parts.values()),
        sum(row.worse for row in parts.values()),
    )
    assert whole.method == "stratified-t"
    assert 0 < whole.p < 0.05


def test_shares_are_compared_with_one_procedure(comparison: ShownComparison) -> None:
    (row,) = [row for row in comparison.overall if row.metric == "exact_match"]
    assert row.method == "stratified-bonett-price"
    assert (row.p < 0.05) == (not row.low <= 0 <= row.high)


def test_languages_with_several_parts_are_compared(comparison: ShownComparison) -> None:
    languages = {row.group: row for row in comparison.rows if row.field == "language" and row.metric == "wer"}
    parts = {row.group: row for row in comparison.rows if row.field == "part" and row.metric == "wer"}
    assert set(languages) == {"en", "de"}
    german = 2 / 3 * parts["german"].difference + parts["austrian"].difference / 3
    assert languages["de"].difference == pytest.approx(german)


def test_pairs_of_all_parts_are_counted(comparison: ShownComparison) -> None:
    assert (comparison.pairs.count, comparison.pairs.coverage) == (27, 1.0)
    assert comparison.a.task.name == "suite"
    assert any("compare the folders of a part" in note for note in comparison.notes)


def test_page_has_a_table_for_parts_and_one_for_languages(comparison: ShownComparison, tmp_path: Path) -> None:
    comparison.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "By part" in page
    assert "By language" in page
    assert "variance of each part" in page


def test_comparison_by_one_metric(folders: tuple[Path, Path]) -> None:
    assert {row.metric for row in compare(*folders, metrics=["wer"]).rows} == {"wer"}
    with pytest.raises(SpecError, match=r"There is no combined number 'cer'\. Available: wer, exact_match\."):
        compare(*folders, metrics=["cer"])


def test_different_weights_are_not_compared(folders: tuple[Path, Path]) -> None:
    suite = read_suite_run(folders[1])
    write_suite_run(folders[1], replace(suite, parts=tuple(replace(part, weight=1.0) for part in suite.parts)))
    comparison = compare(*folders)
    write_suite_run(folders[1], suite)
    assert not comparison.overall
    assert "combine their parts differently" in comparison.refused["wer"]
    assert {row.field for row in comparison.rows} == {"part", "language"}


def test_missing_part_is_named(folders: tuple[Path, Path]) -> None:
    part = folders[1] / "german"
    part.rename(folders[1] / "aside")
    comparison = compare(*folders)
    (folders[1] / "aside").rename(part)
    assert comparison.refused["wer"] == "part german was not run or scored in both."
    assert {row.group for row in comparison.rows if row.field == "part"} == {"english", "austrian"}


def test_different_parts_are_named(folders: tuple[Path, Path]) -> None:
    suite = read_suite_run(folders[1])
    write_suite_run(folders[1], replace(suite, parts=suite.parts[:2]))
    comparison = compare(*folders)
    write_suite_run(folders[1], suite)
    assert (
        "the suites have different parts: english, german, austrian in A, english, german in B."
        in (comparison.refused["wer"])
    )


def test_failed_samples_bound_the_combined_difference(folders: tuple[Path, Path], tmp_path: Path) -> None:
    path = folders[0].parent / "suite.yaml"
    (tmp_path / "model.py").write_text(
        "def answer(text):\n    if 'german 4' in text:\n        raise ValueError('no')\n    return text\n"
    )
    evaluate_suite(path, f"{tmp_path / 'model.py'}:answer", tmp_path / "b")
    row = next(row for row in compare(folders[0], tmp_path / "b").overall if row.metric == "exact_match")
    assert row.worst < row.best
    assert not math.isnan(row.worst)


def test_suite_is_compared_with_a_suite_alone(folders: tuple[Path, Path]) -> None:
    with pytest.raises(SpecError, match=r"contains a suite, but .*english does not"):
        compare(folders[0], folders[1] / "english")
    with pytest.raises(SpecError, match="without --by"):
        compare(*folders, by="subset")
