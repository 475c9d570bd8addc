"""Margins in percentage points, per cent and the unit of a metric."""

import math

import pytest

from auricle.core.errors import SpecError
from auricle.scoring.gate.margins import Margin, choose_margin
from tests.support.gates import make_row


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("0.5", "share", 0.005),
        ("0.5pp", "share", 0.005),
        (" wer = .5 pp ", "share", 0.005),
        ("10%", "share", 0.02),
        ("0.5", "", 0.5),
        ("10%", "s", 0.02),
    ],
)
def test_a_margin_is_in_the_unit_of_the_metric(text: str, unit: str, amount: float) -> None:
    assert Margin.parse(text).amount_for(make_row(0.0, unit=unit)) == pytest.approx(amount)


@pytest.mark.parametrize("text", ["", "wer", "wer=", "wer=-1", "-0.5", "0.5 px", "wer=0.5pp,cer=1pp"])
def test_a_malformed_margin_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match=r"expected an amount such as 0\.5"):
        Margin.parse(text)


def test_percentage_points_are_for_shares() -> None:
    with pytest.raises(SpecError, match="wer is not a share"):
        Margin.parse("1pp").amount_for(make_row(0.0, unit="s"))


def test_the_margin_of_a_metric_precedes_the_general_one() -> None:
    margins = [Margin.parse("2"), Margin.parse("wer=1")]
    assert choose_margin(margins, make_row(0.0)) == 0.01
    assert choose_margin(margins, make_row(0.0, metric="cer")) == 0.02
    assert choose_margin([], make_row(0.0)) == 0.0
    assert choose_margin([Margin.parse("5%")], make_row(0.0, value_a=math.nan)) == 0.0
