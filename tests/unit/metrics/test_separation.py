"""Data for plots of dimensions."""

from typing import Any

from auricle.metrics.separation import SeparationAggregator

NAMES = ("arousal", "dominance", "valence")


def stat(label: str, arousal: float, valence: float = 0.5) -> tuple[str, Any]:
    return label, (("arousal", arousal), ("dominance", 0.5 * arousal), ("valence", valence))


SEPARATED = [stat(("sad", "angry")[i % 2], i % 2 + 0.1 * (i % 3), 0.1 * i) for i in range(30)]


def test_the_scatter_plot_is_over_valence_and_arousal() -> None:
    plane = SeparationAggregator().plot_data(SEPARATED)["plane"]
    assert (plane["x"], plane["y"]) == ("valence", "arousal")
    assert len(plane["points"]) == 30
    assert plane["labels"] == ["angry", "sad"]


def test_a_scatter_plot_of_many_samples_shows_some_of_them() -> None:
    plane = SeparationAggregator().plot_data([stat("sad", i / 5000) for i in range(5000)])["plane"]
    assert len(plane["points"]) == 600
    assert plane["of"] == 5000


def test_an_emotion_with_few_samples_has_no_density() -> None:
    densities = SeparationAggregator().plot_data([*SEPARATED, stat("bored", 0.5)])["densities"]["arousal"]
    assert densities["of"]["bored"] is None
    assert len(densities["of"]["sad"]) == 40


def test_effect_sizes_compare_an_emotion_with_all_others() -> None:
    figures = SeparationAggregator().details(SEPARATED)["dimensions"]["arousal"]["emotions"]
    assert figures["angry"]["auc"] == 1.0
    assert figures["sad"]["auc"] == 0.0
    assert figures["angry"]["d"] == -figures["sad"]["d"] > 5
