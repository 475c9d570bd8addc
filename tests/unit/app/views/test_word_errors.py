"""Tests of the results of speech recognisers."""

from pathlib import Path

from tests.support.app_pages import count_charts, page_text
from tests.unit.app.conftest import DrawRun


def test_errors_are_counted_by_kind_and_the_worst_samples_are_aligned(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="asr-small")
    text = page_text(app)
    for part in ("Substitutions", "Mean per utterance", "<del>", "<ins>"):
        assert part in text
    assert len(app.get("audio")) == 5
    assert count_charts(app) == 2
