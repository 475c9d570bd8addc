import re

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS
from auricle.perf.report.markdown import render_markdown
from auricle.runs.perf_files import LoadPointSummary
from tests.unit.perf.report.conftest import build_summary


def test_rows_of_a_table_have_the_same_number_of_cells(summaries: list[LoadPointSummary]) -> None:
    for block in render_markdown(build_summary(summaries)).split("\n\n"):
        if block.startswith("|"):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1


def test_markup_in_names_is_escaped(summaries: list[LoadPointSummary]) -> None:
    text = render_markdown(build_summary(summaries))
    assert "<b>" not in text
    assert "- Inferencer: a\\|b" in text


def test_only_measures_with_values_are_defined(summaries: list[LoadPointSummary]) -> None:
    text = render_markdown(build_summary(summaries))
    assert "## constant:10" in text
    assert REQUEST_DEFINITIONS["tpot_s"].text in text
    assert "ttfa_s |" not in text
