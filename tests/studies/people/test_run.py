"""Answers of people as a run: numbers, screening, and repeated scoring."""

from pathlib import Path
from typing import Any

import pytest

from auricle import score
from auricle.core.errors import DataError
from auricle.runs.run_directory import Run
from auricle.studies.people.run import score_test
from auricle.testing import SimulatedListeners
from tests.support.listening_tests import MUSHRA_QUALITIES, QUALITIES, make_test

pytestmark = pytest.mark.slow


def answer(folder: Path, kind: str = "mos", **options: Any) -> Path:
    make_test(folder, kind, **options)
    qualities = MUSHRA_QUALITIES if kind == "mushra" else QUALITIES
    SimulatedListeners(qualities=qualities, noise_sd=0.3).answer(folder / kind)
    return folder / kind


@pytest.mark.parametrize(
    ("kind", "first", "count"),
    [
        ("mos", "mos.oslo", 3),
        ("mushra", "mushra.oslo", 10),
        ("cmos", "cmos.oslo_vs_quito", 6),
        ("ab", "preference.oslo_vs_quito", 6),
        ("abx", "abx.oslo_vs_quito", 6),
    ],
)
def test_every_kind_has_numbers_with_intervals(tmp_path: Path, kind: str, first: str, count: int) -> None:
    path, metrics = score_test(answer(tmp_path, kind))
    numbers = metrics.overall
    assert (numbers[0].metric, len(numbers)) == (first, count + 2)
    assert numbers[0].low is not None
    assert numbers[0].units == 6
    assert not metrics.not_computed or set(metrics.not_computed) <= {f"strength.{name}" for name in QUALITIES}
    assert (path / "report.html").exists()


def test_mean_ratings_are_those_of_the_simulated_listeners(tmp_path: Path) -> None:
    _, metrics = score_test(answer(tmp_path, items=12, listeners=12))
    for system, quality in QUALITIES.items():
        number = metrics[f"mos.{system}"]
        assert number.low is not None
        assert number.high is not None
        assert number.low - 0.2 < quality < number.high + 0.2


def test_scoring_again_adds_only_new_answers_and_replaces_changed_ones(tmp_path: Path) -> None:
    make_test(tmp_path, "mos")
    listeners = SimulatedListeners(qualities=QUALITIES)
    listeners.answer(tmp_path / "mos", listeners=2)
    path, first = score_test(tmp_path / "mos")
    size = (path / "outputs.jsonl").stat().st_size
    assert not first.complete
    score_test(tmp_path / "mos")
    assert (path / "outputs.jsonl").stat().st_size == size
    listeners.answer(tmp_path / "mos")
    _, last = score_test(tmp_path / "mos")
    assert last.complete
    assert "6 of 6 listeners finished" in " ".join(last.notes)
    assert len(list(Run.load(path).records())) == sum(
        len(listener.trials) for listener in make_test(tmp_path / "again", "mos").listeners
    )


def test_the_run_can_be_scored_without_the_folder_of_the_test(tmp_path: Path) -> None:
    path, metrics = score_test(answer(tmp_path), tmp_path / "elsewhere")
    (tmp_path / "mos" / "test.json").unlink()
    again = score(path)
    assert again.metrics is not None
    assert again.metrics["mos.oslo"].value == metrics["mos.oslo"].value


def test_excluded_listeners_are_named_with_the_reason(tmp_path: Path) -> None:
    make_test(tmp_path, "mos", traps=4)
    SimulatedListeners(qualities=QUALITIES, inattentive=("L02",)).answer(tmp_path / "mos")
    _, metrics = score_test(tmp_path / "mos")
    assert any(note.startswith("L02 is excluded: failed") for note in metrics.notes)
    assert metrics["alpha"].details["listening_test"]["excluded"] == ["L02"]


def test_a_test_without_answers_has_no_run(tmp_path: Path) -> None:
    make_test(tmp_path, "mos")
    with pytest.raises(DataError, match="has no answers yet"):
        score_test(tmp_path / "mos")


def test_damaged_lines_are_counted(tmp_path: Path) -> None:
    folder = answer(tmp_path)
    path = folder / "ratings.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first.replace(b'"A"', b'"B"'), *rest]))
    _, metrics = score_test(folder)
    assert "1 lines of ratings.jsonl are damaged and were left out." in metrics.notes
