"""Names of methods and units, and the mark of numbers with few units."""

from dataclasses import dataclass

import pytest

from auricle.metrics.reference import INTERVAL_METHODS
from auricle.report.methods import (
    METHODS,
    describe_method,
    explain_few_units,
    format_method,
    mark_few_units,
    name_units,
)
from tests.support import paths


@dataclass(frozen=True)
class FakeNumber:
    units: int
    cluster: str = ""


@pytest.mark.parametrize(
    ("cluster", "count", "expected"),
    [
        ("speaker", 12, "12 speakers"),
        ("speaker_id", 1, "1 speaker"),
        ("spk", 2, "2 speakers"),
        ("Session", 3000, "3,000 sessions"),
        ("story", 2, "2 stories"),
        ("news", 2, "2 news"),
        ("", 5, "5 samples"),
        ("speaker / sample", 30, "30 speakers / samples"),
    ],
)
def test_units_are_named_after_their_field(cluster: str, count: int, expected: str) -> None:
    assert name_units(cluster, count) == expected


def test_a_range_of_units_is_named_once() -> None:
    assert name_units("speaker", 1, 6) == "1 to 6 speakers"
    assert name_units("", 4, 4, sample="pair") == "4 pairs"


def test_a_method_names_its_units_only_if_they_are_not_samples() -> None:
    assert format_method("cluster-gamma", FakeNumber(12, "speaker")) == "gamma, 12 speakers"
    assert format_method("mid-p", FakeNumber(12)) == "mid-P"
    assert format_method("cluster-paired-t", FakeNumber(12, "speaker")) == "paired t, 12 speakers"
    assert format_method("unknown", FakeNumber(12)) == "unknown"


def test_every_method_is_in_the_documentation() -> None:
    page = (paths.DOCS / "statistics.md").read_text(encoding="utf-8")
    assert not [name for name in METHODS if name != "none" and f"| `{name}` |" not in page.replace("`, `", "` | `")]
    assert {*INTERVAL_METHODS} <= {*METHODS}


def test_a_method_is_described_with_its_units() -> None:
    assert describe_method("wilson") == METHODS["wilson"][1]
    assert describe_method("cluster-gamma") == f"{METHODS['gamma'][1]}; clusters are the units"
    assert describe_method("unknown") == "unknown"


@pytest.mark.parametrize(("units", "mark"), [(0, ""), (1, "†"), (9, "†"), (10, "")])
def test_numbers_with_fewer_than_ten_units_are_marked(units: int, mark: str) -> None:
    assert mark_few_units(FakeNumber(units)) == mark


def test_one_line_explains_all_marks_of_a_table() -> None:
    assert explain_few_units([FakeNumber(10), FakeNumber(0)]) == ""
    assert explain_few_units([FakeNumber(6, "speaker")]) == "† only 6 speakers: the interval is approximate"
    numbers = [FakeNumber(6, "speaker"), FakeNumber(50), FakeNumber(3, "speaker"), FakeNumber(4)]
    assert explain_few_units(numbers, sample="pair") == "† only 3 to 6 speakers, 4 pairs: intervals are approximate"
