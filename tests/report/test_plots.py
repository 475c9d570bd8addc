"""Heat maps are complete, escaped, to scale, and readable without colour."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference, RecallChange
from auricle.report import plots
from auricle.report.plot_data import Plane, list_dimensions
from auricle.report.plots import DIFFERENCE_CAPTION, fit_axis
from auricle.report.templating import load_asset
from auricle.scoring.confusion_matrix import ConfusionMatrix
from auricle.tasks.labels import metrics as labels
from tests.support.svg_reader import EVIL, SvgReader, describe_spread


def matrix(pairs: Any, truths: Any = ("sad", "calm"), model: Any = ("难过/sad", "<unk>")) -> Any:
    aggregator: Any = labels.uar.aggregate
    aggregator = aggregator.with_contexts([(tuple(truths), tuple(model))])
    return ConfusionMatrix.from_details(aggregator.details(pairs))


STATISTICS = [
    *[("难过/sad", "sad", "sad", True)] * 3,
    ("<unk>", "sad", None, True),
    *[("难过/sad", "calm", "sad", False)] * 2,
]


def test_a_matrix_shows_counts_shares_and_sizes() -> None:
    texts = SvgReader(plots.draw_confusion(matrix(STATISTICS))).texts
    assert {"3", "75\u202f%", "1", "25\u202f%", "2", "100\u202f%", "n 4", "n 2"} <= set(texts)


def test_a_matrix_shows_english_labels_and_keeps_the_raw_ones() -> None:
    drawn = plots.draw_confusion(matrix(STATISTICS))
    assert "unknown" in SvgReader(drawn).texts
    assert "sad (难过/sad)" in drawn
    assert "&lt;unk&gt;" in drawn
    assert "<unk>" not in drawn


def test_labels_of_one_side_are_set_apart() -> None:
    reader = SvgReader(plots.draw_confusion(matrix(STATISTICS)))
    assert len(reader.of("alone")) == 2  # calm and unknown
    columns = [float(each["x"]) for each in reader.of("hit") + reader.of("miss")]
    assert columns


def test_unreadable_answers_get_a_column() -> None:
    assert "unreadable" not in SvgReader(plots.draw_confusion(matrix(STATISTICS))).texts
    silent = [*STATISTICS, (None, "sad")]
    assert "unreadable" in SvgReader(plots.draw_confusion(matrix(silent))).texts


def test_a_tint_is_the_share_of_its_row() -> None:
    reader = SvgReader(plots.draw_confusion(matrix(STATISTICS)))
    (hit,) = reader.of("hit")
    assert hit["fill-opacity"] == "0.450"


def test_labels_are_escaped_and_shortened() -> None:
    drawn = plots.draw_confusion(matrix([(EVIL, EVIL)], (EVIL,), (EVIL,)))
    assert "<script>" not in drawn
    long = "unbroken" * 10
    texts = SvgReader(plots.draw_confusion(matrix([(long, long)], (long,), (long,)))).texts
    assert max(len(text) for text in texts if "→" not in text) <= 18


def difference(cells: Sequence[tuple[float, ...] | None], only: str = "") -> MatrixDifference:
    axis = (AxisLabel("sad", "sad"), AxisLabel("a", "a"))
    diagonal = (RecallChange("", at, at, 0.0, 0.0, 0.0, 0.0, 0.0) for at, row in enumerate(cells) if row)
    columns = (*axis, AxisLabel("<unk>", "unknown", "unknown", only))
    return MatrixDifference(axis, columns, tuple(cells), tuple(diagonal))


def test_a_difference_shows_signs() -> None:
    reader = SvgReader(plots.draw_difference(difference([(0.2, -0.2, 0.0), (0.0, 0.0, 0.0)])))
    assert {"+20.0", "−20.0"} <= set(reader.texts)


def test_the_scale_of_a_difference_is_symmetric() -> None:
    reader = SvgReader(plots.draw_difference(difference([(0.1, -0.3, 0.2), None])))
    assert {"−30", "0", "+30 points"} <= set(reader.texts)
    tints = [each["fill-opacity"] for each in reader.of("less")]
    assert "0.600" in tints


def test_small_differences_are_not_scaled_up() -> None:
    reader = SvgReader(plots.draw_difference(difference([(0.01, -0.01, 0.0), None])))
    assert "+5 points" in reader.texts


def test_an_undefined_row_is_hatched() -> None:
    reader = SvgReader(plots.draw_difference(difference([(0.1, -0.1, 0.0), None])))
    assert len(reader.of("undefined")) == 1
    assert len(reader.of("stripe")) > 5
    assert len(reader.of("outline")) == 1


def test_a_label_that_one_side_lacks_is_marked() -> None:
    drawn = plots.draw_difference(difference([(0.1, -0.1, 0.0), None], only="candidate"))
    assert len(SvgReader(drawn).of("ring")) == 1
    assert "only the candidate has this label" in drawn


def test_a_difference_has_a_caption() -> None:
    assert DIFFERENCE_CAPTION in plots.draw_difference(difference([(0.1, -0.1, 0.0), None]))


def test_each_emotion_has_a_colour_and_a_shape() -> None:
    names = [f"emotion {at}" for at in range(10)]
    plane = Plane.from_details(describe_spread(dict.fromkeys(names, 3)))
    assert plane
    reader = SvgReader(plots.draw_scatter(plane))
    assert len(reader.of("dot")) == 30
    assert len(reader.of("around")) == 10
    marks = {(each["class"], re.sub(r"[\d.]+ ", "", each["d"]).count("L")) for each in reader.of("centre")}
    assert len(marks) >= 8
    assert set(names) <= set(reader.texts)


def test_emotions_are_ordered_by_their_means() -> None:
    spread = describe_spread({"sad": 9, "angry": 9})
    drawn = plots.draw_violins(list_dimensions(spread)[0])
    texts = SvgReader(drawn).texts
    assert texts.index("angry") < texts.index("sad")
    assert len(SvgReader(drawn).of("violin")) == 2


def test_few_samples_get_a_box_and_no_violin() -> None:
    spread = describe_spread({"sad": 9, "angry": 2})
    reader = SvgReader(plots.draw_violins(list_dimensions(spread)[0]))
    assert len(reader.of("violin")) == 1
    assert len(reader.of("quartiles")) == 2
    assert len(reader.of("violin")) == 1
    without_densities = list_dimensions({"dimensions": spread["dimensions"]})
    assert len(SvgReader(plots.draw_violins(without_densities[0])).of("violin")) == 0


@pytest.mark.parametrize("values", [[0.0], [5.0, 5.0], [-1.2, 3.4], [1e-6, 2e-6], []])
def test_axis_ticks_are_round_and_cover_all_values(values: Any) -> None:
    scale, places = fit_axis(values)
    assert scale.low < scale.high
    assert all(scale.low <= value <= scale.high for value in values)
    assert 2 <= len(places) <= 9


def test_the_stylesheet_defines_every_colour_in_light_and_dark() -> None:
    style = load_asset("report/plots.css")
    assert style.count("--hue7:") == 2
    assert "prefers-color-scheme: dark" in style
    assert "url(" not in style
