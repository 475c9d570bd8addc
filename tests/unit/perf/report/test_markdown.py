import re

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS
from auricle.perf.report.markdown import render_markdown
from tests.unit.perf.report.conftest import ABOUT, Summary


def test_rows_of_a_table_have_the_same_number_of_cells(summaries: list[Summary]) -> None:
    for block in render_markdown(ABOUT, summaries).split("\n\n"):
        if block.startswith("|"):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1


def test_markup_in_names_is_escaped(summaries: list[Summary]) -> None:
    text = render_markdown(ABOUT, summaries)
    assert "<b>" not in text
    assert "- Host: a\\|b" in text


def test_only_measures_with_values_are_defined(summaries: list[Summary]) -> None:
    text = render_markdown(ABOUT, summaries)
    assert "## constant:10" in text
    assert REQUEST_DEFINITIONS["tpot_s"].text in text
    assert "ttfa_s |" not in text
