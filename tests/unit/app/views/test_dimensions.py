"""Tests of the results of models that predict dimensions."""

from pathlib import Path

import pytest

from tests.support.app_pages import count_charts, page_text
from tests.unit.app.conftest import DrawRun

pytestmark = pytest.mark.slow


def test_dimensions_have_violins_and_statistics_but_no_matrix(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="dimensions-first")
    assert "Confusions" not in [subheader.value for subheader in app.subheader]
    assert "arousal, mean ± sd" in page_text(app)
    assert "arousal: labels explain" in page_text(app)
    assert count_charts(app) >= 4
