"""The page of a comparison."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auricle import compare
from tests.support import app_runs
from tests.support.report_pages import assert_policy_admits_only_the_page, read_page, visible_text

pytestmark = pytest.mark.slow


def test_the_page_shows_the_difference_and_both_answers(run: Any, quiz: Any, tmp_path: Path) -> None:
    comparison = compare(run("a", quiz()), run("b", quiz(), wrong=0.4))
    comparison.write_html(tmp_path / "pages" / "page.html")
    page = (tmp_path / "pages" / "page.html").read_text(encoding="utf-8")
    assert_policy_admits_only_the_page(page)
    text = visible_text(page)
    assert "Skip to the results" in text
    assert "B is worse by" in text
    assert "Right in A, wrong in B" in text
    assert read_page(page).tags.count("article") == len(comparison.flips["exact_match"])


def test_the_page_of_equal_runs_has_no_changed_samples(run: Any, quiz: Any, tmp_path: Path) -> None:
    compare(run("a", quiz()), run("b", quiz())).write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "all pairs score the same" in visible_text(page)
    assert "article" not in read_page(page).tags


def test_labels_of_one_model_and_recalls_are_listed(run: Any, moods: Any, tmp_path: Path) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="anger,happy,neutral,sadness,other")
    compare(a, b).write_html(tmp_path / "page.html")
    text = visible_text((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "Not in A’s label set, and counted there as never predicted: other" in text
    assert "Recall of each class" in text
    assert "Treated as the same label" in text


def test_pairs_by_id_have_a_player_for_each_recording(tmp_path: Path) -> None:
    for name, accuracy, seconds in (("human", 1.0, 0.2), ("generated", 0.2, 0.3)):
        (tmp_path / name).mkdir()
        data = app_runs.write_emotion_data(tmp_path / name, 8)
        for index, row in enumerate(map(json.loads, data.read_text().splitlines())):
            app_runs.write_tone(tmp_path / name / row["audio"], 300 + index, seconds)
        task_args = {"metrics": "accuracy"}
        app_runs.make_run(tmp_path / f"{name}-run", "classify", data, "Emotions", task_args, accuracy=accuracy)
    comparison = compare(tmp_path / "human-run", tmp_path / "generated-run")
    assert comparison.pairing == "id"
    comparison.write_html(tmp_path / "page.html")
    tags = read_page((tmp_path / "page.html").read_text(encoding="utf-8")).tags
    assert tags.count("audio") == 2 * tags.count("article") > 0


def test_both_matrices_and_their_difference_come_first_and_fit_beside_each_other(
    run: Any, moods: Any, tmp_path: Path
) -> None:
    sides = (run(name, moods, "fake-labels", "classify") for name in "ab")
    compare(*sides).write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index('<section id="matrix"') < page.index('<section id="metrics"')
    row = page.partition('<div class="fields three">')[2].partition("</div>\n<p")[0]
    widths = [int(width) for width in re.findall(r'<svg class="plot" role="img" width="(\d+)"', row)]
    assert len(widths) == 3
    assert sum(widths) <= 1160
