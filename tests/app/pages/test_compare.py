"""Tests of the page that compares runs."""

import json
import shutil
from pathlib import Path

import pytest

from auricle.app import run_data
from tests.support import app_runs
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import count_charts, page_text
from tests.support.journal_lines import change_line

pytestmark = pytest.mark.slow
QUESTION = {"id": "1", "question": "Which number is 1 and one?", "choices": ["1", "2"], "answer": "B"}


def test_runs_without_a_common_metric_are_explained(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="asr-small", b="emotion-first")
    assert not app.error
    assert "These runs have no comparable metric" in page_text(app)
    assert "Not compared" in page_text(app)


def test_run_without_groups_is_not_compared_with_itself(draw: DrawRun, tmp_path: Path) -> None:
    app_runs.make_run(
        tmp_path / "one", "mcq", app_runs.write_rows(tmp_path / "one.jsonl", [QUESTION]), "MultipleChoice"
    )
    assert "which has no groups of samples to compare" in page_text(draw("compare", tmp_path, a="one", b="one"))


def test_default_baseline_has_the_same_task(draw: DrawRun, runs: Path) -> None:
    assert draw("compare", runs, b="quiz-good").selectbox[0].value == "quiz-bad"


def test_custom_code_of_a_run_is_not_executed(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("compare", hostile_runs, a="custom-code", b="markup-asr")
    assert "which the app does not execute" in app.error[0].value
    assert not (hostile_runs.parent / "executed").exists()


def test_run_with_stale_metrics_is_not_compared(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    for name in ("asr-small", "asr-large"):
        shutil.copytree(runs / name, tmp_path / name)
    journal = tmp_path / "asr-small" / "outputs.jsonl"
    first = journal.read_bytes().splitlines()[0]
    journal.write_bytes(journal.read_bytes() + change_line(first, id="added"))
    app = draw("compare", tmp_path, a="asr-small", b="asr-large")
    assert "are out of date" in app.error[0].value
    assert "auricle score asr-small" in app.error[0].value.replace("\\", "")


def test_an_empty_folder_is_explained(draw: DrawRun, tmp_path: Path) -> None:
    assert "No runs yet" in page_text(draw("compare", tmp_path))


def test_run_and_load_test_are_not_compared(draw: DrawRun, runs: Path, load_test: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "asr-small", tmp_path / "run")
    shutil.copytree(load_test, tmp_path / "load")
    app = draw("compare", tmp_path, a="run", b="load")
    assert "load is a load test and the other run is not" in page_text(app)


# --- the comparison of two runs ------------------------------------------------------------


def test_recognisers_are_compared_sample_by_sample(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="asr-small", b="asr-large")
    assert "WER" in app.metric[0].label
    assert "16 pairs" in page_text(app)
    assert "Samples that changed" in [header.value for header in app.header]
    assert "<del>" in page_text(app)


def test_comparing_two_runs_builds_no_table_of_their_samples(
    draw: DrawRun, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise AssertionError(f"the table of {path} is built")

    monkeypatch.setattr(run_data, "read_samples", refuse)
    app = draw("compare", runs, a="asr-small", b="asr-large")
    assert not app.exception
    assert next(box for box in app.selectbox if box.label == "Group by").options == ["(none)", "accent"]
    assert "<del>" in page_text(app)


def test_classifiers_have_both_matrices_and_their_difference(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="emotion-first", b="emotion-second")
    assert count_charts(app) == 3
    assert "How to read it" in page_text(app)
    assert "Predicted label" in page_text(app)


def test_differences_of_groups_are_below_those_of_all_samples(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, fresh=True, a="asr-small", b="asr-large")
    next(box for box in app.selectbox if box.label == "Group by").set_value("accent").run()
    text = page_text(app)
    assert all(f'<small class="muted">accent: {accent}</small>' in text for accent in ("north", "south"))


def test_models_of_dimensions_have_shifts_but_no_matrix(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="dimensions-first", b="dimensions-second")
    assert not count_charts(app)
    assert "Shift of means" in page_text(app)


@pytest.fixture
def human_and_generated(tmp_path: Path) -> Path:
    """Return a folder with two runs of one classifier, on different recordings."""
    return app_runs.make_two_corpora(tmp_path)


def test_runs_of_different_recordings_are_compared_as_groups(draw: DrawRun, human_and_generated: Path) -> None:
    app = draw("compare", human_and_generated, a="human", b="generated")
    text = page_text(app)
    assert "48 samples in A and 32 in B, compared as independent groups" in text
    assert "48 / 32" in text
    assert count_charts(app) == 3
    assert "Samples that changed" not in text
    assert "Each run by itself" in text
    assert "Both sides have the same model" in text


def test_human_and_generated_speech_are_named_by_a_switch_and_in_the_url(
    draw: DrawRun, human_and_generated: Path
) -> None:
    app = draw("compare", human_and_generated, fresh=True, a="human", b="generated")
    next(toggle for toggle in app.toggle if toggle.label.startswith("A is human")).set_value(True).run()
    assert app.query_params["names"] in ("human,generated", ["human,generated"])
    assert "Diagonal near 0: generated matches human." in page_text(app)
    linked = draw("compare", human_and_generated, fresh=True, a="human", b="generated", names="human,generated")
    assert "what generated loses against human, the baseline" in page_text(linked)


def test_pairs_by_id_are_played_from_both_runs(draw: DrawRun, tmp_path: Path) -> None:
    for name, accuracy in (("human", 1.0), ("generated", 0.3)):
        data = tmp_path / f"data-{name}"
        data.mkdir()
        path = app_runs.write_emotion_data(data, 16)
        for index, row in enumerate(map(json.loads, path.read_text().splitlines())):
            app_runs.write_tone(data / row["audio"], 500 + index, seconds=0.2 if name == "human" else 0.3)
        app_runs.make_run(tmp_path / name, "classify", path, "Emotions", {"metrics": "accuracy"}, accuracy=accuracy)
    app = draw("compare", tmp_path, a="human", b="generated")
    text = page_text(app)
    assert "those with the same id and reference are paired" in text
    assert "Samples that changed" in text
    assert len(app.get("audio")) >= 2
    assert len(app.get("audio")) % 2 == 0


def test_runs_with_pairs_can_be_compared_as_groups(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, fresh=True, a="asr-small", b="asr-large")
    app.toggle[0].set_value(True).run()
    assert "16 samples in A and 16 in B, compared as independent groups" in page_text(app)


def test_two_groups_of_one_run_are_compared(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, fresh=True, a="emotion-first", b="emotion-first")
    assert "3 samples in A and 3 in B" in page_text(app)
    assert "emotion-first, speaker=actor 0" in page_text(app)
    second = next(box for box in app.selectbox if box.label == "Group B")
    second.set_value("actor 0").run()
    assert "Groups A and B are the same" in page_text(app)


def test_load_tests_are_compared_as_on_the_command_line(draw: DrawRun, load_test: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(load_test, tmp_path / name)
    app = draw("compare", tmp_path, a="a", b="b")
    assert not app.error
    assert "constant:5" in app.code[0].value
