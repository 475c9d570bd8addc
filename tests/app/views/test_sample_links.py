"""Tests of links to samples."""

from pathlib import Path
from typing import Any

import pytest

from auricle.app.views.sample_links import equals, get_clicked, metadata_equals, select_samples
from auricle.runs.filter_terms import Term
from tests.support.app_pages import draw_view


@pytest.mark.parametrize(("state", "fields"), [(None, {}), ({"selection": {}}, {}), ({"selection": {"x": []}}, {}),
                                               ({"selection": {"x": [{"r": 1}]}}, {"r": 1})])  # fmt: skip
def test_fields_of_the_clicked_mark_are_returned(state: Any, fields: dict[str, Any]) -> None:
    assert get_clicked(state, "x") == fields


def test_samples_without_the_field_do_not_match(runs: Path) -> None:
    assert select_samples(runs / "asr-small", equals("label", "happy")).empty
    assert len(select_samples(runs / "asr-small", metadata_equals("speaker", "s1"))) == 3
    assert len(select_samples(runs / "emotion-first", Term("correct", ":", "yes"), metric="accuracy")) > 0


def test_clicked_group_has_a_link_to_all_of_its_samples(runs: Path) -> None:
    app = draw_view(
        "auricle.app.views.sample_links:"
        "from pathlib import Path\n"
        "state = {'selection': {'group': [{'group': 'south'}]}}\n"
        f"draw_group_link(Path({str(runs / 'asr-small')!r}), state, 'accent', {{'south': 'south', 'all': None}})"
    )
    (link,) = app.get("page_link")
    assert link.proto.label == "Show all 8 samples"
    assert "filter=meta.accent%3Dsouth" in link.proto.query_string
