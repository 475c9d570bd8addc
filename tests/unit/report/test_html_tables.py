"""Tables of the report."""

from auricle.core.types import Generation
from auricle.metrics import error_rates
from auricle.report.run_html import render_report
from tests.support.report_pages import build_run_metrics, make_record, make_transcripts, visible_text


def test_error_kinds_are_shown_with_the_rate() -> None:
    page = visible_text(render_report(make_transcripts(4)[0], []))
    assert "Substitutions" in page
    assert "Utterance mean" in page


def test_groups_of_a_field_share_a_table_and_subsets_come_first() -> None:
    page = visible_text(render_report(make_transcripts(12)[0], []))
    assert page.index("By subset") < page.index("By snr")


def test_a_field_with_one_value_gets_a_line() -> None:
    records = [make_record(at, Generation(text="one"), meta={"subset": "only"}) for at in range(3)]
    page = visible_text(render_report(build_run_metrics(records, [error_rates.wer]), []))
    assert "Every scored sample has subset only" in page
    assert "By subset" not in page


def test_a_long_breakdown_is_collapsed() -> None:
    records = [make_record(at, Generation(text="one"), meta={"speaker": at % 20}) for at in range(60)]
    page = render_report(build_run_metrics(records, [error_rates.wer]), [])
    assert "<summary>speaker: 20 groups</summary>" in page
