"""The index of a site, and the page of a column."""

import math
from typing import Any

from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, Usage
from auricle.studies.leaderboards.site_names import name_column
from auricle.studies.leaderboards.site_pages import FencedScale, SiteView, find_fences, render_index, render_task
from auricle.studies.leaderboards.table import build_leaderboard
from tests.support.app_runs import make_number
from tests.support.report_pages import EVIL, read_page, visible_text

SIGNATURE = "asr:1|data@1|Respond#1|wer:1.basic:1|m|auricle 1"


def make_metrics(name: str, value: float = 0.1, **fields: Any) -> Metrics:
    common: Any = {"signature": SIGNATURE, "higher_is_better": False, "scored": 9, "total": 10, "failed": 1}
    groups = {"clean": value / 2, "noisy": 2 * value}
    numbers = [make_number("wer", value=value, low=value / 2, high=2 * value, **common)]
    numbers += [make_number("wer", value=part, field="subset", group=group, **common) for group, part in groups.items()]
    return Metrics(
        **{
            "task": TaskFacts("asr"),
            "model": ModelFacts(name),
            "numbers": tuple(numbers),
            "complete": True,
            "created": "2026-01-01T10:00",
            **fields,
        }
    )


def build_view(*models: Metrics, **options: Any) -> SiteView:
    board = build_leaderboard(((f"runs/{at}.html", metrics) for at, metrics in enumerate(models)), **options)
    return SiteView(
        title="Mine",
        board=board,
        pages={column: name_column(column) for column in board.columns},
        samples={},
        other_runs=(),
        run_count=len(models),
        split_by_prompt=True,
        created="2026-01-01",
        version="1",
    )


def render_only_task(*models: Metrics) -> str:
    view = build_view(*models)
    return render_task(view, view.board.columns[0])


def test_the_index_shows_values_intervals_and_ranks() -> None:
    text = visible_text(render_index(build_view(make_metrics("a"), make_metrics("b", 0.3))))
    assert "10.00 % 5.00 – 20.00 % 90.0 % covered place 1 of 2" in text
    assert "Models 2 Columns 1 Runs 2" in text


def test_the_best_value_is_bold_but_never_that_of_an_unfinished_run() -> None:
    page = render_index(build_view(make_metrics("a", 0.2), make_metrics("b", 0.1, complete=False)))
    assert page.count('class="number best"') == 1
    assert '<td class="number best" data-value="0.2">' in page
    assert "1 run shown here is not finished and not ranked." in page


def test_older_runs_are_counted() -> None:
    text = visible_text(render_index(build_view(make_metrics("a", created="2025"), make_metrics("a"))))
    assert "only the newest is shown; 1 older result left out." in text


def test_columns_can_be_sorted_by_stable_names() -> None:
    view = build_view(make_metrics("a"))
    (name,) = view.pages.values()
    attributes = read_page(render_index(view)).attributes
    assert ("data-key", name) in attributes
    assert ("data-better", "lower") in attributes
    assert name.startswith("asr-wer-")


def test_names_of_models_are_escaped() -> None:
    evil = make_metrics(EVIL, model=ModelFacts(EVIL, {"key": EVIL}), task=TaskFacts(EVIL))
    view = build_view(evil)
    for page in (render_index(view), render_task(view, view.board.columns[0])):
        assert "alert('x')</script>" not in page
        assert EVIL in visible_text(page)


def test_a_task_is_shown_best_first_with_ties() -> None:
    page = render_only_task(make_metrics("b", 0.2), make_metrics("c", 0.2), make_metrics("a", 0.1))
    text = visible_text(page)
    assert text.index("1 of 3") < text.index("=2 of 3")
    assert text.count("=2 of 3") == 2


def test_a_task_shows_costs_where_they_are_known() -> None:
    priced = make_metrics("a", usage=Usage(cost=1.5, currency="USD", samples_without_cost=0))
    assert "1.50 USD" in visible_text(render_only_task(priced, make_metrics("b")))
    assert "Cost" not in visible_text(render_only_task(make_metrics("b")))


def test_a_task_shows_groups_of_samples_with_the_best_of_each() -> None:
    page = render_only_task(make_metrics("a", 0.1), make_metrics("b", 0.2))
    assert "By subset" in visible_text(page)
    assert '<td class="number heat0 best" data-value="0.05"><span>5.00' in page
    assert '<td class="number heat8" data-value="0.4"><span>40.00' in page
    assert ("data-key", "subset=noisy") in read_page(page).attributes


def test_many_groups_are_collapsed() -> None:
    numbers = [
        make_number("wer", value=0.1, signature=SIGNATURE, field=field, group=group)
        for field, group in [("", "all"), *(("speaker", str(at)) for at in range(13))]
    ]
    page = render_only_task(make_metrics("a", numbers=tuple(numbers)))
    assert "<summary>By speaker (13 groups)</summary>" in page


def test_prompts_that_may_differ_are_mentioned() -> None:
    view = build_view(make_metrics("a"), split_by_prompt=False)
    assert "prompts may differ" in visible_text(render_task(view, view.board.columns[0]))
    assert "and the same prompt" in visible_text(render_only_task(make_metrics("a")))


def test_a_result_that_is_not_ranked_is_marked_and_comes_last() -> None:
    view = build_view(make_metrics("done", 0.4), make_metrics("running", 0.1, complete=False))
    assert [row.model for row in view.board.rows] == ["done", "running"]
    assert render_index(view).count(" data-unranked>") == 1
    assert " data-unranked>" not in render_index(build_view(make_metrics("done")))


def test_a_value_far_from_the_others_does_not_squeeze_them_together() -> None:
    models = [make_metrics(f"m{place}", 0.1 + 0.02 * place) for place in range(6)]
    view = build_view(*models, make_metrics("repeats itself", 8.0))
    (column,) = view.pages
    scale = FencedScale.around(view.board.list_cells(column))
    assert scale.is_clipped
    assert scale.high <= 0.5
    assert scale.width(7.9, 8.1) == "0.00%"
    assert "Values far from the others are drawn at the end of the scale." in visible_text(render_index(view))
    assert "far from the others" not in visible_text(render_index(build_view(*models)))


def test_few_or_equal_values_are_never_far_from_each_other() -> None:
    assert find_fences([1.0, 2.0, 900.0]) == (-math.inf, math.inf)
    assert find_fences([1.0] * 8 + [2.0]) == (-math.inf, math.inf)
    assert find_fences([math.nan] * 9) == (-math.inf, math.inf)
