"""Numbers and scales in HTML."""

from typing import Any

import pytest

from auricle.core.types import Generation
from auricle.metrics.base import metric
from auricle.report.html_format import Scale, mark_breaks, typeset_decimal
from auricle.report.run_html import render_report
from auricle.tasks.asr import error_rates
from tests.support.report_pages import build_run_metrics, make_record, visible_text


def test_an_undefined_value_is_a_dash() -> None:
    page = visible_text(
        render_report(build_run_metrics([make_record(0, Generation(text="x"), target="")], [error_rates.wer]), [])
    )
    assert "nan" not in page.lower().split()
    assert "no interval" in page


def test_large_speeds_have_commas_between_thousands() -> None:
    assert [typeset_decimal(value, 1) for value in (84918.04, 8.0, None)] == ["84,918.0", "8.0", "–"]


def test_a_custom_metric_keeps_its_unit() -> None:
    @metric()
    def loudness(sample: Any, output: Any) -> Any:
        return 0.5

    page = visible_text(render_report(build_run_metrics([make_record(0, Generation(text="x"))], [loudness]), []))
    assert "0.5000" in page
    assert "50.00 %" not in page


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.12, 0.31], (0.0, 0.4)),
        ([0.91, 0.95], (0.91, 0.95)),
        ([0.5], (0.4, 0.6)),
        ([-3.0, 2.0], (-4.0, 2.0)),
        ([], (0.0, 1.0)),
        ([None, float("nan"), float("inf")], (0.0, 1.0)),
        ([0.0], (0.0, 0.5)),
    ],
)
def test_a_scale_has_round_ends_around_its_values(values: Any, ends: Any) -> None:
    scale = Scale.fit(values)
    assert (scale.low, scale.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("openai/whisper-large-v3", ["openai/", "whisper-", "large-", "v3"]),
        ("my_recogniser:AudioModel", ["my_", "recogniser:", "Audio", "Model"]),
        ("GPT4o v1.5", ["GPT4o v1.5"]),
        ("a<b>-c", ["a&lt;b&gt;-", "c"]),
        ("", [""]),
    ],
)
def test_names_break_between_their_words(name: str, pieces: list[str]) -> None:
    assert mark_breaks(name) == "<wbr>".join(pieces)
