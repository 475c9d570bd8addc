"""Tests of the results of classifiers."""

from pathlib import Path

import pandas as pd
import pytest

from auricle.app.views.classification import select_cell_samples
from auricle.report.plot_data import ConfusionMatrix
from tests.support.app_pages import count_charts, draw_view, page_text
from tests.unit.app.conftest import DrawRun

pytestmark = pytest.mark.slow

MATRIX = ConfusionMatrix(
    rows=("happy", "sad"),
    columns=("happy", "sad", "unreadable"),
    row_names=("happy", "sad"),
    column_names=("happy", "sad", "unreadable"),
    shared=2,
    counts=((3, 2, 1), (0, 4, 0)),
    has_unreadable=True,
    tiers=("same", "same"),
)


def test_classifier_has_a_matrix_and_metrics_per_class(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="emotion-first")
    assert [subheader.value for subheader in app.subheader][:2] == ["Confusions", "Per class"]
    assert "disgust – disgusted" in page_text(app)
    assert count_charts(app) == 2


@pytest.mark.parametrize(("cell", "ids"), [((0, 0), ["a"]), ((0, 1), ["b"]), ((0, 2), ["c"]), ((1, 0), [])])
def test_cell_selects_samples_by_both_labels(cell: tuple[int, int], ids: list[str]) -> None:
    frame = pd.DataFrame(
        {"id": ["a", "b", "c"], "true_label": ["happy"] * 3, "predicted_label": ["happy", "sad", None]}
    )
    assert list(select_cell_samples(frame, MATRIX, cell)["id"]) == ids


def test_run_without_labels_has_no_samples_in_a_cell() -> None:
    assert select_cell_samples(pd.DataFrame({"id": ["a"]}), MATRIX, (0, 0)).empty


def test_too_many_classes_are_shown_as_a_table_of_confusions() -> None:
    app = draw_view(
        "auricle.app.views.classification:"
        "from auricle.app.views.classification import _draw_frequent_confusions\n"
        f"_draw_frequent_confusions({MATRIX!r})"
    )
    text = page_text(app)
    assert "Too many classes (2) for a matrix" in text
    assert text.index(">sad<") < text.index(">unreadable<")
