"""The page of a sample."""

from dataclasses import replace

from auricle.report.sample_view import SampleView
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.studies.leaderboards.sample_comparison import Answer, ComparedSample
from auricle.studies.leaderboards.site_samples import SampleLink, SamplePages
from auricle.studies.leaderboards.table import Column, Leaderboard, Row, build_leaderboard
from tests.support.app_runs import make_number
from tests.support.report_pages import EVIL, assert_policy_admits_only_the_page, visible_text

SIGNATURE = "asr:1|data@1|Respond#1|wer:1.basic:1|m|auricle 1"


def build_board() -> tuple[Leaderboard, Column]:
    number = make_number("wer", value=0.1, signature=SIGNATURE, higher_is_better=False, unit="share")
    metrics = Metrics(task=TaskFacts("asr"), model=ModelFacts("m"), numbers=(number,), complete=True)
    board = build_leaderboard([("runs/m.html", metrics)])
    return replace(board, rows=(*board.rows, Row(EVIL, "size=1", {}))), board.columns[0]


def make_sample(sample_id: str, *values: float | None) -> ComparedSample:
    view = SampleView(id=sample_id, target=f"reference {EVIL}", question="What is heard?")
    answers = [
        Answer(place, f"runs/{place}.html", replace(view, answer=f"answer {place} {EVIL}", score="50 %"), value)
        for place, value in enumerate(values)
    ]
    return ComparedSample(view, tuple(answers))


def render_samples(*samples: ComparedSample) -> dict[str, str]:
    board, column = build_board()
    return dict(SamplePages(board, column, "asr WER ↓", "asr-wer", "1").render_all(samples))


def test_a_page_has_the_reference_and_every_answer_with_its_score() -> None:
    (page,) = render_samples(make_sample("u1", 0.25, 0.75)).values()
    text = visible_text(page)
    assert f"reference {EVIL}" in text
    assert f"answer 0 {EVIL}" in text
    assert f"answer 1 {EVIL}" in text
    assert "Mean wer 50.00 %" in text
    assert 'data-value="0.75"' in page
    assert_policy_admits_only_the_page(page)


def test_pages_lead_to_the_previous_and_the_next_sample() -> None:
    pages = render_samples(*(make_sample(name, 0.5) for name in "abc"))
    names = list(pages)
    assert f'href="{names[0]}.html" rel="prev"' in pages[names[1]]
    assert f'href="{names[2]}.html" rel="next"' in pages[names[1]]
    assert 'rel="prev"' not in pages[names[0]]
    assert 'rel="next"' not in pages[names[2]]


def test_a_sample_is_summarised_by_its_scored_answers() -> None:
    link = SampleLink.to(make_sample("u1", 0.25, None, 0.75))
    assert (link.scored, link.low, link.mean, link.high, link.has_sound) == (2, 0.25, 0.5, 0.75, False)
    unscored = SampleLink.to(make_sample("u1", None))
    assert (unscored.scored, unscored.low, unscored.mean) == (0, None, None)
