"""`suite.json`, and whether combined numbers are current."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle import Spec, evaluate, evaluate_suite
from auricle.core.errors import DataError
from auricle.runs.run_spec import read_run_spec
from auricle.runs.suites import (
    contains_suite,
    find_unchanged_part,
    list_runs,
    read_current_suite_metrics,
    read_suite_run,
    write_suite_run,
)
from tests.support.suites import write_suite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    evaluate_suite(write_suite(tmp_path), "echo", tmp_path / "run")
    return tmp_path / "run"


def test_suite_file_lists_the_parts_and_the_model(folder: Path) -> None:
    suite = read_suite_run(folder)
    assert (suite.name, suite.average, suite.model.name) == ("suite", "parts", "echo")
    assert [(part.name, part.folder, part.weight) for part in suite.parts] == [
        ("english", "english", 1.0),
        ("german", "german", 2.0),
    ]
    write_suite_run(folder, suite)
    assert read_suite_run(folder) == suite


def test_runs_of_a_suite_are_listed(folder: Path) -> None:
    assert list_runs(folder) == [folder / "english", folder / "german"]
    assert list_runs(folder / "english") == [folder / "english"]
    (folder / "german").rename(folder / "aside")
    assert list_runs(folder) == [folder / "english"]


def test_conditions_show_the_numbers_of_the_unchanged_samples(folder: Path) -> None:
    suite = read_suite_run(folder)
    assert find_unchanged_part(folder) == folder
    noisy, clean = replace(suite.parts[0], condition="noise:snr=10"), suite.parts[1]
    write_suite_run(folder, replace(suite, average="conditions", parts=(noisy, clean)))
    assert find_unchanged_part(folder) == folder / "german"
    assert find_unchanged_part(folder / "german") == folder / "german"


def test_folder_of_a_suite_is_not_a_run(folder: Path) -> None:
    assert contains_suite(folder)
    assert not contains_suite(folder / "english")
    with pytest.raises(DataError, match="it contains a suite, whose runs are folders in it"):
        read_run_spec(folder)
    with pytest.raises(DataError, match="Not the folder of a suite"):
        read_suite_run(folder / "english")


def test_combined_numbers_are_current_until_a_part_changes(folder: Path) -> None:
    assert read_current_suite_metrics(folder) is not None
    data = (folder.parent / "german.jsonl").read_text()
    with (folder.parent / "german.jsonl").open("a") as file:
        file.write('{"id": "new", "question": "new", "answer": "new"}\n')
    reference = read_run_spec(folder / "german").spec
    evaluate(Spec.model_validate(reference), folder / "german", infer_only=True)
    assert data
    assert read_current_suite_metrics(folder) is None


def test_combined_numbers_of_a_part_that_was_only_begun_are_outdated(folder: Path) -> None:
    (folder / "german" / "metrics.json").unlink()
    assert read_current_suite_metrics(folder) is None


def test_damaged_numbers_are_not_current(folder: Path) -> None:
    (folder / "metrics.json").write_text("{")
    assert read_current_suite_metrics(folder) is None
