"""Numbers as plain text."""

import pytest

from auricle.core.types import Likelihood
from auricle.report.text_format import format_coverage, format_likelihood, format_number


@pytest.mark.parametrize(("value", "unit", "expected"), [(0.1234, "share", "12.34 %"), (3.0, "points", "3")])
def test_a_number_is_formatted_in_its_unit(value: float, unit: str, expected: str) -> None:
    assert format_number(value, unit) == expected


def test_only_complete_coverage_is_one_hundred_percent() -> None:
    assert format_coverage({"scored": 9_999, "total": 10_000}) == "99.9 %"
    assert format_coverage({"scored": 10, "total": 10}) == "100 %"


def test_a_likelihood_names_its_text_and_tokens() -> None:
    likelihood = Likelihood(logprobs=(-3.0, -0.1), text="a cat")
    assert format_likelihood(likelihood, "a cat").startswith("a cat: log-likelihood -3.100 over 2 tokens")
