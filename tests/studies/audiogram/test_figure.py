"""The figure of an audiogram."""

import re

import pytest

from auricle.report.run_html import SECTIONS, Page, render_report
from auricle.runs.metrics import Metrics
from auricle.studies.audiogram.figure import Panel, draw_audiogram
from auricle.studies.audiogram.report import Audiogram
from tests.support.condition_suites import MANY, add_metrics, run_two_listeners

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Metrics]:
    return run_two_listeners(tmp_path_factory.mktemp("figure"))


def test_every_family_is_a_panel_from_clean_to_the_hardest_level(runs: list[Metrics]) -> None:
    figure = draw_audiogram(Audiogram.from_metrics(runs[:1]), "wer")
    assert figure.count("<svg") == 2
    labels = re.findall(r'class="middle quiet">([^<]*)<', figure)
    assert labels == ["clean", "20 dB", "10 dB", "0 dB", "-10 dB", "clean", "band:low=300"]
    assert figure.count("<polyline") == 1  # a condition without a level is not connected
    across = [float(x) for x in re.findall(r"([\d.]+),[\d.]+ ", figure[figure.index("<polyline") :])]
    assert across == sorted(across)


def test_threshold_is_drawn_between_the_levels_around_it(runs: list[Metrics]) -> None:
    audiogram = Audiogram.from_metrics(runs[:1])
    curve = audiogram.metrics["wer"][0].curves[0]
    panel = Panel("noise", ("clean", *(point.label for point in curve.points)), (), is_connected=True)
    position = panel.threshold_position(curve)
    assert curve.threshold
    assert curve.threshold.value is not None
    assert position is not None
    easier = max(point.level or 0.0 for point in curve.points if (point.level or 0.0) <= curve.threshold.value)
    assert panel.position(f"{easier:g} dB") >= position >= panel.position("20 dB")
    assert 'class="threshold"' in draw_audiogram(audiogram, "wer")


def test_models_differ_in_colour_and_mark_and_are_named(runs: list[Metrics]) -> None:
    figure = draw_audiogram(Audiogram.from_metrics(runs), "wer")
    marks = set(re.findall(r'class="key">.*?d="([^"]*)"', figure))
    assert len(marks) == 2
    assert "hue0" in figure
    assert "hue1" in figure
    assert figure.count("listener.py:Listener") >= 4


def test_thresholds_and_what_they_mean_stand_below(runs: list[Metrics]) -> None:
    figure = draw_audiogram(Audiogram.from_metrics(runs), "wer")
    assert "the level at which WER reaches twice the clean error rate + 1 pp" in figure
    assert "&lt; -10 dB" in figure


def test_report_of_conditions_begins_with_the_audiogram(runs: list[Metrics]) -> None:
    page = render_report(runs[0], ())
    assert page.index('id="audiogram"') < page.index('id="metrics"')
    assert "mean of the parts" not in page


def test_report_folds_the_figures_of_further_metrics(runs: list[Metrics]) -> None:
    section = SECTIONS.get("audiogram")(Page(add_metrics(runs[0]), (), {}))
    unfolded, _, folded = str(section).partition('<details class="more">')
    assert unfolded.count("<figure") == 2
    assert folded.count("<figure") == len(MANY) - 1
