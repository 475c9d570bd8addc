"""Violin plots."""

from auricle.report import plots
from tests.support.svg_reader import SvgReader, describe_spread


def test_emotions_are_ordered_by_their_means() -> None:
    spread = describe_spread({"sad": 9, "angry": 9})
    arousal = spread["dimensions"]["arousal"]
    drawn = plots.draw_violins("arousal", arousal, spread["densities"]["arousal"])
    texts = SvgReader(drawn).texts
    assert texts.index("angry") < texts.index("sad")
    assert len(SvgReader(drawn).of("violin")) == 2


def test_few_samples_get_a_box_and_no_violin() -> None:
    spread = describe_spread({"sad": 9, "angry": 2})
    arousal = spread["dimensions"]["arousal"]
    reader = SvgReader(plots.draw_violins("arousal", arousal, spread["densities"]["arousal"]))
    assert len(reader.of("violin")) == 1
    assert len(reader.of("quartiles")) == 2
    assert len(reader.of("violin")) == 1
    assert len(SvgReader(plots.draw_violins("arousal", arousal)).of("violin")) == 0
