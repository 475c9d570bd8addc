"""Tests of the distribution of a column."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from auricle.app.measure_jobs import open_measure_jobs
from auricle.app.views.column_filter import build_range_terms, count_bins, count_values
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import count_charts, find_button, page_text


def test_bins_count_all_samples_and_those_that_match() -> None:
    numbers = pd.Series([1.0, 1.1, 5.0, np.nan, np.inf])
    frame = count_bins(numbers, pd.Index([1, 2]))
    assert (frame["all"].sum(), frame["matching"].sum()) == (3, 2)
    assert (frame["start"].iloc[0], frame["end"].iloc[-1]) == (1.0, 5.0)


def test_values_are_counted_most_frequent_first() -> None:
    frame = count_values(pd.Series(["de", "en", "de", ""]), pd.Index([0, 1]))
    assert frame.iloc[0].tolist() == ["de", "de", 2, 1]
    assert set(frame["name"]) == {"de", "en", "(empty)"}


@pytest.mark.parametrize(("ends", "text"), [((1.23456, 4.5), "x>=1.235 x<=4.500"), ((10.0, 2000.0), "x>=10 x<=2000")])
def test_range_is_rounded_by_its_width(ends: tuple[float, float], text: str) -> None:
    assert " ".join(map(str, build_range_terms("x", *ends))) == text


def test_numbers_have_a_histogram_and_text_has_bars(draw: DrawRun, runs: Path) -> None:
    bars = draw("samples", runs, run="asr-small", column="accent")
    assert "Click a value to select it" in page_text(bars)
    assert count_charts(bars) == 1
    histogram = draw("samples", runs, run="emotion-first", column="confidence")
    assert "Drag over a range" in page_text(histogram)


def test_recordings_are_measured_on_request(
    draw: DrawRun, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = Path(shutil.copytree(runs, tmp_path / "runs", ignore=lambda _, names: set(names) - {"asr-small", *KEPT}))
    app = draw("samples", copied, fresh=True, run="asr-small")
    assert "of 16 recordings are not measured yet" in page_text(app)
    find_button(app, "Measure").click().run()
    job = open_measure_jobs().get(copied / "asr-small")
    assert job
    job.join(30)
    app.text_input(key="filter").set_value("level>-100").run()
    assert "not measured yet" not in page_text(app)


KEPT = ("spec.json", "outputs.jsonl", "scores.jsonl", "metrics.json", "progress.json")
