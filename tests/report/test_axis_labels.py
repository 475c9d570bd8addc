"""Labels of axes differ, whatever the names and the range of the values."""

import pytest

from auricle.report.axis_labels import MAX_LABEL_LENGTH, format_ticks, label_width, measure_text, shorten_labels
from auricle.report.plots import fit_axis


@pytest.mark.parametrize(
    "values",
    [
        (0.0, 1.0), (0.50001, 0.50002), (1000.1, 1000.5), (123456.0, 123457.0), (0.0, 0.0), (3.0, 3.0), (-2.0, 3.0),
        (1e-9, 2e-9), (0.0, 4_000_000.0), (-1e-4, -1e-5), (100.0, 100.0001),
    ],
)  # fmt: skip
def test_ticks_are_distinct_and_exact(values: tuple[float, float]) -> None:
    axis = fit_axis(values)
    labels = format_ticks(axis.ticks)
    assert len(set(labels)) == len(labels) >= 2
    step = axis.ticks[1] - axis.ticks[0]
    read_back = [float(label.replace("−", "-").replace(",", "")) for label in labels]
    assert read_back == pytest.approx(axis.ticks, abs=1e-3 * step, rel=0)


def test_ticks_have_a_true_minus_and_separators() -> None:
    assert format_ticks([-2000.0, 0.0, 2000.0]) == ["−2,000", "0", "2,000"]
    assert format_ticks([5.0]) == ["5"]


def test_long_labels_stay_different() -> None:
    same_start = [f"recordings of the session in the studio {number}" for number in range(12)]
    same_ends = [f"speaker {number} of the session in the studio" for number in range(12)]
    for labels in (same_start, same_ends, ["same"] * 12, ["很长的标签名称" * 5] * 3):
        shown = shorten_labels(labels)
        assert len(set(shown)) == len(labels)
        assert max(map(measure_text, shown)) <= MAX_LABEL_LENGTH


def test_short_labels_are_unchanged() -> None:
    assert shorten_labels(["happy", "sad", ""]) == ["happy", "sad", ""]


def test_wide_letters_need_more_space() -> None:
    assert label_width(["快乐"]) == pytest.approx(1.8 * label_width(["ab"]))
    assert label_width([]) == 0.0
