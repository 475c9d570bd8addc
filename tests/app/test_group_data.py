"""Tests of groups in the app: slices by signal and gaps between groups."""

from pathlib import Path

from auricle.app import group_data
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


def test_groups_are_compared_with_the_others(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="asr-small")
    text = page_text(app)
    assert "Difference to the others" in text
    assert "Detectable" in text


def test_numbers_are_broken_down_by_signal(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="asr-small")
    field = next(box for box in app.selectbox if box.label == "Field")
    assert "signal-to-noise ratio" in field.options
    field.set_value("duration").run()
    assert not app.exception
    assert "click one for its samples" not in page_text(app)


def test_metric_or_field_that_the_run_does_not_have_has_no_gaps(runs: Path) -> None:
    assert group_data.load_gaps(runs / "asr-small", "bleu", "accent") == {}
    assert group_data.load_gaps(runs / "asr-small", "wer", "colour") == {}
