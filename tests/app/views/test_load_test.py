"""Tests of the results of a load test."""

import json
import shutil
from pathlib import Path

import pytest

from auricle.app.views.load_test import load_summary
from auricle.core.errors import DataError
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import count_charts, page_text


def test_load_test_shows_validity_first(draw: DrawRun, load_test: Path) -> None:
    app = draw("performance", load_test.parent)
    assert "valid" in [*app.success, *app.error][0].value
    assert "latency_s" in page_text(app)
    assert count_charts(app) == 5


def test_reasons_of_invalid_load_points_are_listed(draw: DrawRun, load_test: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(load_test, tmp_path / "load"))
    summary = json.loads((run / "summary.json").read_text())
    summary["points"][0]["validity"]["reasons"] = ["too few *requests*"]
    (run / "summary.json").write_text(json.dumps(summary))
    message = draw("performance", tmp_path).error[0].value
    assert message.startswith("Some load points are not valid:")
    assert r"too few \*requests\*" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no load point was completed"), ("{", r"is not valid JSON"), ("{}", "task: the field is missing")],
)
def test_unusable_summary_is_reported(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "summary.json").write_text(content)
    with pytest.raises(DataError, match=message):
        load_summary(tmp_path)
