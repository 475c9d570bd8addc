"""Tests of which sections the results of a run have."""

from pathlib import Path

import pandas as pd
import pytest

from auricle.app.views import results
from auricle.app.views.results import build_rating_pairs, rated_dimension
from auricle.app.views.sample_links import build_cell_terms
from auricle.runs.filter_terms import format_filter
from auricle.scoring.confusion_matrix import ConfusionMatrix
from auricle.scoring.sample_filter import SampleColumns
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import count_charts, draw_view, page_text

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("run", "section"),
    [
        ("asr-small", "Kinds of error"),
        ("emotion-first", "Confusions"),
        ("dimensions-first", "Dimensions"),
        ("music-fine", "Predictions against ratings"),
        ("pairs-rough", "Pairwise preferences"),
        ("quiz-bad", "Answers"),
    ],
)
def test_results_have_the_section_of_their_kind(draw: DrawRun, runs: Path, run: str, section: str) -> None:
    app = draw("benchmark", runs, run=run)
    assert not app.error
    assert section in [header.value for header in app.header]


def test_incorrect_answers_come_first(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="quiz-bad"))
    assert "incorrect; incorrect first." in text
    assert 'class="incorrect"' in text


def test_run_without_a_result_is_reported(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "spec.json").write_bytes((runs / "asr-small" / "spec.json").read_bytes())
    app = draw("benchmark", tmp_path, run="new")
    assert not app.error
    assert app.info[0].value == "This run has no result yet. Give the same command again to go on."


def test_results_of_a_load_test_are_its_load_points(draw: DrawRun, load_test: Path) -> None:
    assert "Load points" in page_text(draw("benchmark", load_test.parent, run="load"))


# --- word errors ------------------------------------------------------------


def test_errors_are_counted_by_kind_and_the_worst_samples_are_aligned(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="asr-small")
    text = page_text(app)
    for part in ("Substitutions", "Mean per utterance", "<del>", "<ins>"):
        assert part in text
    assert len(app.get("audio")) == 5
    assert count_charts(app) == 2


# --- classification ------------------------------------------------------------


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
    assert [header.value for header in app.header][:2] == ["Confusions", "Per class"]
    assert "disgust – disgusted" in page_text(app)
    assert "weighted average" in page_text(app)
    assert count_charts(app) == 2


@pytest.mark.parametrize(("cell", "ids"), [((0, 0), ["a"]), ((0, 1), ["b"]), ((0, 2), ["c"]), ((1, 0), [])])
def test_cell_selects_samples_by_both_labels(cell: tuple[int, int], ids: list[str]) -> None:
    frame = pd.DataFrame(
        {"id": ["a", "b", "c"], "true_label": ["happy"] * 3, "predicted_label": ["happy", "sad", None]}
    )
    selected = frame[SampleColumns(frame).match(format_filter(*build_cell_terms(MATRIX, cell)))]
    assert list(selected["id"]) == ids


def test_table_of_the_matrix_links_each_count_to_its_samples(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="emotion-first"))
    assert "filter=label%3Dsad+predicted%3D" in text
    assert 'aria-label="Table: True label, ' in text


def test_group_and_class_counts_lead_to_their_samples(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="emotion-first"))
    assert 'href="samples?run=emotion-first&amp;filter=label%3Dhappy"' in text


@pytest.mark.parametrize(
    ("run", "link"), [("dimensions-first", "filter=reference%3Dhappy"), ("pairs-fine", "filter=meta.genre%3Djazz")]
)
def test_counts_of_other_kinds_lead_to_their_samples(draw: DrawRun, runs: Path, run: str, link: str) -> None:
    assert f'href="samples?run={run}&amp;{link}"' in page_text(draw("benchmark", runs, run=run))


def test_too_many_classes_are_shown_as_a_table_of_confusions() -> None:
    app = draw_view(
        "auricle.app.views.results:"
        "from auricle.app.views.results import draw_frequent_confusions\n"
        "from pathlib import Path\n"
        f"draw_frequent_confusions({MATRIX!r}, Path('runs/a'))"
    )
    text = page_text(app)
    assert "Too many classes (2) for a matrix" in text
    assert text.index(">sad<") < text.index(">unreadable<")


# --- dimensions ------------------------------------------------------------


def test_dimensions_have_violins_and_statistics_but_no_matrix(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="dimensions-first")
    assert "Confusions" not in [header.value for header in app.header]
    assert "Mean ± standard deviation" in page_text(app)
    assert "arousal: labels explain" in page_text(app)
    assert count_charts(app) >= 4


# --- ratings ------------------------------------------------------------


def test_predictions_are_drawn_against_ratings(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="music-fine")
    assert "lcc.musicality" in page_text(app)
    dimension = next(box for box in app.selectbox if box.label == "Dimension")
    assert dimension.options == ["musicality", "alignment"]


def test_preferences_are_listed_by_group_with_the_baseline(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="pairs-rough"))
    for part in ("genre: folk", "genre: jazz", "Always second", "all pairs"):
        assert part in text


@pytest.mark.parametrize(
    ("metric", "dimension"), [("lcc.musicality", "musicality"), ("ccc_arousal", "arousal"), ("lcc", "")]
)
def test_dimension_is_part_of_the_metric_name(metric: str, dimension: str) -> None:
    assert rated_dimension(metric) == dimension


def test_only_samples_with_prediction_and_rating_are_paired() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "stat.lcc": [1.0, 2.0], "reference.lcc": [3.0, None]})
    pairs = build_rating_pairs(frame, "lcc")
    assert pairs.to_dict("records") == [{"index": 0, "id": "a", "prediction": 1.0, "rating": 3.0}]
    assert build_rating_pairs(frame, "other").empty


def test_many_pairs_are_thinned_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MAX_POINTS", 4)
    frame = pd.DataFrame({"id": range(8), "stat.lcc": range(8), "reference.lcc": range(8)})
    assert list(build_rating_pairs(frame, "lcc")["index"]) == [0, 2, 4, 6]
