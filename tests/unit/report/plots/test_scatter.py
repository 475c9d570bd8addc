"""Scatter plots."""

import re

from auricle.report import plots
from auricle.report.plot_data import Plane
from tests.support.svg_reader import SvgReader, describe_spread


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
