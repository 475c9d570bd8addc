"""Violin plots."""

from auricle.report import plots
from auricle.report.plot_data import list_dimensions
from tests.support.svg_reader import SvgReader, describe_spread


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
