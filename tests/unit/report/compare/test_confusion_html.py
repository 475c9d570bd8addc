"""The confusion matrix difference on the page."""

from typing import Any

import pytest

from auricle import compare
from auricle.report.compare.html import render_page
from tests.support.report_pages import visible_text

pytestmark = pytest.mark.slow


def test_labels_of_one_model_and_recalls_are_listed(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="anger,happy,neutral,sadness,other")
    text = visible_text(render_page(compare(a, b)))
    assert "Not in A’s label set, and counted there as never predicted: other" in text
    assert "Recall of each class" in text
    assert "Treated as the same label" in text
