"""Counting equal, different and refused cases."""

from pathlib import Path

import pytest
from scripts.comparison import Comparison, checkout_argument


def test_numbers_are_equal_within_the_tolerance_at_every_depth() -> None:
    comparison = Comparison("other")
    comparison.add("values", "a", {"x": [1.0, float("nan")]}, {"x": [1.0 + 1e-12, float("nan")]})
    assert comparison.counts["values"] == {"equal": 1}
    assert comparison.exit_code == 0


@pytest.mark.parametrize(
    ("ours", "theirs"), [(1.0, 1.001), ("a", "b"), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (1.0, None), (None, 1.0)]
)
def test_a_difference_is_counted_and_named(ours: object, theirs: object) -> None:
    comparison = Comparison("other")
    comparison.add("values", "row 3", ours, theirs)
    assert comparison.counts["values"] == {"different": 1}
    assert comparison.exit_code == 1
    assert f"different  values: row 3: ours {ours!r}, theirs {theirs!r}" in comparison.format()


def test_a_refusal_is_no_difference() -> None:
    comparison = Comparison("other")
    comparison.refuse("configs", "a.py", "runs code")
    comparison.add("prompts", "b", "x", "x")
    assert comparison.exit_code == 0
    last = comparison.format().splitlines()[-1]
    assert last.split() == ["total", "1", "equal", "0", "different", "1", "refused"]


def test_the_checkout_must_be_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checkout_argument(None, [str(tmp_path)]) == tmp_path
    with pytest.raises(SystemExit):
        checkout_argument(None, [str(tmp_path / "none")])
    assert "is not a folder" in capsys.readouterr().err
