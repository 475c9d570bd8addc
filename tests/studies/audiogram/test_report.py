"""Audiograms that are read from metrics, and their text."""

import pytest

from auricle.runs.metrics import Metrics, Number
from auricle.studies.audiogram.report import (
    Audiogram,
    draw_bars,
    format_audiogram,
    format_threshold,
    format_threshold_interval,
)
from tests.support.condition_suites import MANY, add_metrics, run_two_listeners

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Metrics]:
    return run_two_listeners(tmp_path_factory.mktemp("audiogram"))


def test_audiogram_has_the_curves_of_every_model_and_metric(runs: list[Metrics]) -> None:
    audiogram = Audiogram.from_metrics(runs)
    assert audiogram.families == ("noise", "band:low=300", "loss")
    first, second = audiogram.metrics["wer"]
    noise, telephone = first.curves
    assert [(point.level, point.label) for point in noise.points][:2] == [(20.0, "20 dB"), (10.0, "10 dB")]
    assert (telephone.points[0].level, telephone.points[0].label) == (None, "band:low=300")
    assert noise.threshold
    assert noise.threshold.value == next(n.value for n in runs[0].numbers if n.metric == "wer_threshold")
    assert noise.points[-1].is_changed
    assert not noise.points[0].is_changed
    assert [curve.family.name for curve in second.curves] == ["noise", "loss"]


def test_ordinary_runs_have_no_audiogram(runs: list[Metrics]) -> None:
    plain = Metrics(task=runs[0].task, model=runs[0].model)
    assert Audiogram.from_metrics([plain]).models == ()
    assert list(format_audiogram(Audiogram.from_metrics([plain]))) == []


def test_table_has_a_row_for_each_family_and_a_column_for_each_level(runs: list[Metrics]) -> None:
    lines = list(format_audiogram(Audiogram.from_metrics(runs[:1])))
    assert lines[0] == "WER ↓"
    assert lines[1].split()[:2] == ["family", "clean"]
    levels, row, telephone = lines[3:6]
    assert levels.split() == ["noise", "20", "dB", "10", "dB", "0", "dB", "-10", "dB"]
    assert row.split()[:3] == ["0.0", "0.0", "≈"]
    assert "dB" in row
    assert "pp" in row
    assert telephone.startswith("band:low=300")
    assert any(line.startswith("Worst condition: noise:snr=") for line in lines)
    assert any("twice the clean error rate + 1 pp" in line for line in lines)


def test_table_of_several_models_names_them(runs: list[Metrics]) -> None:
    text = "\n".join(format_audiogram(Audiogram.from_metrics(runs)))
    assert text.count("listener.py:Listener") >= 4
    assert "< -10 dB" in text


def test_folded_metrics_have_a_table_only_with_all(runs: list[Metrics]) -> None:
    metrics = add_metrics(runs[0])
    audiogram = Audiogram.from_metrics([metrics], show_all=False)
    assert [*audiogram.metrics] == ["wer", "uar"]
    assert [*Audiogram.from_metrics([metrics]).metrics] == ["wer", *MANY]


def make_threshold(**fields: object) -> Number:
    number = {"metric": "wer_threshold", "unit": "dB", "details": {"levels": [20.0, 0.0, -5.0]}, **fields}
    return Number(signature=None, **number)  # type: ignore[arg-type]


def test_thresholds_are_rounded_and_open_ends_name_the_last_level() -> None:
    assert format_threshold(make_threshold(value=3.14159)) == "3.14 dB"
    assert format_threshold(make_threshold(value=-5.0, censored="<")) == "< -5 dB"
    assert format_threshold(make_threshold(value=0.123456, unit="share")) == "12.3 %"
    assert format_threshold_interval(make_threshold(value=3.0, low=1.0, high=4.5)) == "[1, 4.5]"
    assert format_threshold_interval(make_threshold(value=3.0, high=4.5)) == "[< -5, 4.5]"
    assert format_threshold_interval(make_threshold(value=20.0, censored=">", low=2.0)) == "[2, > 20]"
    assert format_threshold_interval(make_threshold(value=-5.0, censored="<", high=-5.0)) == ""
    assert format_threshold_interval(make_threshold(value=3.0)) == ""
    in_hertz = make_threshold(value=4000.0, details={"levels": [16_000.0, 1000.0]}, unit="Hz", units=6)
    assert format_threshold_interval(in_hertz) == "[< 1000, > 16000]"
    uncertain = make_threshold(value=3.0, details={"levels": [20.0, -5.0]}, units=6)
    assert format_threshold_interval(uncertain) == "[< -5, > 20]"


def test_curves_are_drawn_as_bars() -> None:
    shares = [make_threshold(value=value, unit="share") for value in (0.0, 0.5, 1.0, None)]
    assert draw_bars(shares) == "▁▅█ "
    assert draw_bars([make_threshold(value=value, unit="") for value in (1.0, 4.0)]) == "▃█"
    assert draw_bars([make_threshold(value=2.0, unit="share"), make_threshold(value=1.0, unit="share")]) == "█▅"
