"""The numbers of each run by itself."""

from pathlib import Path
from typing import Any

from auricle import compare
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.report.comparison_text import format_comparison, format_own_number, name_metric
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from auricle.scoring.compare.loading import load_compared_run
from auricle.scoring.compare.own_numbers import (
    compute_group_numbers,
    has_other_own_numbers,
    list_run_numbers,
    pair_own_numbers,
)
from auricle.scoring.compare.unpaired import SampleGroup
from tests.support.app_runs import make_number
from tests.support.report_pages import visible_text


def test_a_comparison_of_some_samples_has_the_numbers_of_both_runs_over_all(
    run: Any, quiz: Any, tmp_path: Path
) -> None:
    data = quiz()
    comparison = compare(run("a", data, limit=30), run("b", data, wrong=0.5))
    assert has_other_own_numbers(comparison)
    (exact, *_) = pair_own_numbers(comparison)
    assert [number.scored for number in exact if number] == [30, 40]
    assert name_metric(exact) == "exact_match ↑"
    lines = list(format_comparison(comparison))
    table = lines[lines.index("Each run by itself, over all its samples") :]
    assert table[3].startswith("exact_match ↑  100.00 %")
    comparison.write_html(tmp_path / "page.html")
    assert "Each run by itself" in visible_text((tmp_path / "page.html").read_text())


def test_the_terminal_does_not_repeat_the_numbers_of_pairs_of_all_samples(run: Any, quiz: Any) -> None:
    comparison = compare(run("a", quiz()), run("b", quiz(), wrong=0.5))
    assert not has_other_own_numbers(comparison)
    assert "Each run by itself, over all its samples" not in list(format_comparison(comparison))


def test_numbers_that_cannot_be_compared_are_shown(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz(), profile="none")
    comparison = compare(a, b)
    assert not comparison.rows
    assert [name_metric(pair) for pair in pair_own_numbers(comparison)] == ["exact_match ↑", "contains ↑"]
    assert has_other_own_numbers(comparison)


def test_only_requested_metrics_are_shown(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz())
    assert [number.metric for number in compare(a, b, ["contains"]).a.numbers] == ["contains"]


def test_groups_have_their_own_numbers_and_names(run: Any, quiz: Any) -> None:
    a = run("a", quiz(), wrong=0.3)
    comparison = compare(a, a, unpaired="voice=s0,s1")
    assert [side.numbers[0].scored for side in (comparison.a, comparison.b)] == [5, 5]
    assert [side.name for side in (comparison.a, comparison.b)] == ["s0", "s1"]


def test_numbers_computed_for_a_group_equal_those_of_the_run(run: Any, quiz: Any) -> None:
    path = run("a", quiz(), wrong=0.3)
    results = read_metrics(path)
    metrics = build_task(Spec.as_scored(Run.load(path))).metrics
    side = load_compared_run(path, results, metrics, ["voice"])
    for number, stored in zip(
        compute_group_numbers(SampleGroup.select(side, "voice", "s0"), metrics, ""),
        list_run_numbers(results, "voice", "s0"),
        strict=True,
    ):
        assert (number.value, number.low, number.high) == (stored.value, stored.low, stored.high)
        assert (number.scored, number.total, number.units) == (stored.scored, stored.total, stored.units)


def test_a_number_is_shown_with_its_interval_and_its_size() -> None:
    number = make_number("wer", value=0.25, low=0.1, high=0.4, scored=9, total=12, units=9)
    assert format_own_number(number) == ("25.00 %†", "10.00 % … 40.00 %", "9 of 12")
    assert format_own_number(make_number("wer", value=0.25, scored=30, total=30, units=30)) == ("25.00 %", "–", "30")
    assert format_own_number(None) == ("–", "–", "–")
