"""Plans: evaluations of suites stay together, others are single."""

from pathlib import Path

import pytest

from auricle import RunConfig
from auricle.core.errors import SpecError
from tests.support.suites import write_parts, write_suite


def make_config(*tasks: Path, **fields: object) -> RunConfig:
    return RunConfig.from_fields({"task": list(map(str, tasks)), "model": ["echo", "fake-api"], **fields}, "test")


def test_parts_of_a_suite_are_one_group(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    first, second = make_config(path, tmp_path / "english.yaml").plan()
    suite, single = first.groups
    assert suite.suite is not None
    assert [evaluation.task.name for evaluation in suite.evaluations] == ["english", "german"]
    assert single.suite is None
    assert len(first.evaluations) == 3
    assert second.groups[0].folder_name == "suite-fake-api"


def test_parts_have_folders_in_that_of_the_suite(tmp_path: Path) -> None:
    path = write_suite(tmp_path)
    (suite, single) = make_config(path, tmp_path / "english.yaml").plan()[0].groups
    assert [folder for _, folder in suite.list_folders(Path("x"))] == [Path("x/english"), Path("x/german")]
    assert [folder for _, folder in single.list_folders(Path("x"))] == [Path("x")]
    assert single.describe_run(Path("x")) is None


def test_run_of_a_suite_is_described_with_languages(tmp_path: Path) -> None:
    group = make_config(write_suite(tmp_path)).plan()[0].groups[0]
    run = group.describe_run(tmp_path)
    assert run is not None
    assert [(part.name, part.language) for part in run.parts] == [("english", "en"), ("german", "de")]
    assert run.model.name == "echo"


def test_parts_are_described_with_their_folders_weights_and_metrics(tmp_path: Path) -> None:
    parts = "suite:\n  - english.yaml\n  - {task: german.yaml, name: old/new, weight: 2, metric: wer}\nmetric: wer\n"
    run = make_config(write_suite(tmp_path, parts)).plan()[0].groups[0].describe_run(tmp_path)
    assert run is not None
    english, german = run.parts
    assert (english.name, english.folder, english.weight, english.metric) == ("english", "english", 1.0, "")
    assert (german.name, german.weight, german.metric) == ("old/new", 2.0, "wer")
    assert german.folder not in ("old/new", "")
    assert "/" not in german.folder


def test_task_arguments_apply_to_every_part(tmp_path: Path) -> None:
    group = make_config(write_suite(tmp_path), task_args={"max_tokens": 7}).plan()[0].groups[0]
    assert [evaluation.spec.task_args["max_tokens"] for evaluation in group.evaluations] == [7, 7]


def test_kind_does_not_apply_to_a_suite(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"--as qa needs a data file, and .* is a suite"):
        make_config(write_suite(tmp_path), **{"as": "qa"}).plan()


def test_part_must_be_one_task(tmp_path: Path) -> None:
    path = write_suite(tmp_path, "suite: ['voicebench-*']\n")
    with pytest.raises(SpecError, match=r"stands for several tasks \(voicebench-advbench, .*\)\. List each of them"):
        make_config(path).plan()


def test_languages_are_checked_before_anything_runs(tmp_path: Path) -> None:
    write_parts(tmp_path)
    task = tmp_path / "german.yaml"
    task.write_text(task.read_text().replace("language: de\n", ""))
    path = tmp_path / "suite.yaml"
    path.write_text("suite: [english.yaml, german.yaml]\naverage: languages\n")
    with pytest.raises(SpecError, match="needs one language for each part, but german has none"):
        make_config(path).plan()


def test_conditions_have_a_purpose_that_names_their_folder(tmp_path: Path) -> None:
    write_parts(tmp_path)
    group = make_config(tmp_path / "english.yaml", perturb="noise:snr=5").plan()[0].groups[0].with_purpose("listening")
    run = group.describe_run(tmp_path)
    assert run is not None
    assert (run.purpose, run.average, group.folder_name) == ("listening", "conditions", "english-listening-echo")
    with pytest.raises(SpecError, match="english is not run under conditions"):
        make_config(tmp_path / "english.yaml").plan()[0].groups[0].with_purpose("listening")
