"""What a shell offers: names of registries, from a cache, data files and the folders of runs."""

import json
from pathlib import Path

import pytest

from auricle.cli import candidates
from auricle.cli.candidates import (
    complete_argument,
    complete_metric,
    complete_name,
    complete_run,
    complete_task,
    load_names,
)

MODELS = "auricle.models.catalogue:MODELS"
PROFILES = "auricle.text:PROFILES"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter an empty folder, with a cache folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def make_run(path: Path, file: str = "spec.json") -> None:
    path.mkdir(parents=True)
    (path / file).write_text("{}")


def list_runs(incomplete: str) -> list[str]:
    return [item.value for item in complete_run(incomplete)]


def test_names_have_their_summaries_and_adapters_a_colon() -> None:
    items = {item.value: item.help for item in complete_name(MODELS, "")}
    assert items["whisper"] == "any Whisper checkpoint; local weights"
    assert "kimi:" in items
    assert [item.value for item in complete_name(MODELS, "whisp")] == ["whisper"]


def list_arguments(names: list[str], incomplete: str) -> list[str]:
    return [item.value for item in complete_argument(MODELS, names, incomplete)]


def test_the_arguments_of_a_model_are_completed_and_then_the_values_of_a_choice() -> None:
    assert {"model=", "base_url="} <= set(list_arguments(["openai"], ""))
    assert list_arguments(["openai", "fake-api"], "del") == ["delay="]
    assert "task=translate" in list_arguments(["whisper"], "task=")


def test_code_of_users_is_not_executed_for_its_arguments(folder: Path) -> None:
    (folder / "mine.py").write_text("raise SystemExit")
    assert list_arguments(["mine.py:Model", "kimi:", "no-such-model"], "") == []


@pytest.mark.usefixtures("finished")
def test_the_metrics_that_runs_have_are_completed_before_all_others(tmp_path: Path) -> None:
    make_run(tmp_path / "damaged", "metrics.json")
    runs = [tmp_path / "run", tmp_path / "damaged", tmp_path / "missing"]
    assert [item.value for item in complete_metric(runs, "")] == ["exact_match", "contains"]
    assert len(complete_metric(runs[1:], "")) > 100


def test_perturbations_are_completed_up_to_their_level() -> None:
    assert [item.value for item in complete_name(candidates.PERTURBATIONS, "no")] == ["noise:snr=", "no-audio"]


def test_names_are_read_from_the_cache_until_a_package_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    monkeypatch.syspath_prepend(packages)
    names = load_names(PROFILES)
    imports: list[str] = []

    def import_names(source: str) -> list[tuple[str, str]]:
        imports.append(source)
        return [("new", "")]

    monkeypatch.setattr(candidates, "_import_names", import_names)
    assert load_names(PROFILES) == names
    assert imports == []
    (packages / "other.py").write_text("")
    assert load_names(PROFILES) == {"new": ""}
    assert load_names(MODELS) == {"new": ""}
    assert imports == [PROFILES, MODELS]
    assert {PROFILES, MODELS} == {*json.loads((tmp_path / "cache" / "auricle" / "completion.json").read_bytes())}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"auricle.text:PROFILES": 3}', b"\xff"])
def test_damaged_cache_is_replaced(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cache" / "auricle" / "completion.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert "whisper-en" in load_names(PROFILES)
    assert "whisper-en" in path.read_text()


def test_cache_that_cannot_be_written_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert "whisper-en" in load_names(PROFILES)


def test_tasks_are_names_data_files_and_folders(folder: Path) -> None:
    for name in ("demo.jsonl", "demo.txt", "demo.yaml", ".demo.csv"):
        (folder / name).write_text("")
    (folder / "demos" / "inner").mkdir(parents=True)
    (folder / "demos" / "rows.csv").write_text("")
    assert [item.value for item in complete_task("demo")] == ["demo", "demo-voice", "demo.jsonl", "demo.yaml", "demos/"]
    assert [item.value for item in complete_task("demos/")] == ["demos/inner/", "demos/rows.csv"]
    assert [item.value for item in complete_task("./demos/r")] == ["./demos/rows.csv"]
    assert ".demo.csv" not in [item.value for item in complete_task("")]


def test_runs_suites_and_load_tests_are_listed_wherever_they_are(folder: Path) -> None:
    make_run(folder / "runs" / "b" / "whisper")
    make_run(folder / "runs" / "a", "perf.json")
    make_run(folder / "runs" / "c", "suite.json")
    make_run(folder / "runs" / "c" / "part")
    make_run(folder / "mine" / "deep", "outputs.jsonl")
    (folder / "runs" / "empty").mkdir()
    assert list_runs("") == ["runs/a", "runs/b/whisper", "runs/c", "runs/c/part"]
    assert list_runs("runs/b") == ["runs/b/whisper"]
    assert list_runs("./mi") == ["./mine/deep"]
    assert list_runs(f"{folder}/mine/") == [f"{folder}/mine/deep"]


def test_without_a_run_folders_are_completed(folder: Path) -> None:
    (folder / "other").mkdir()
    (item,) = complete_run("o")
    assert (item.type, item.value) == ("dir", "o")


def test_search_for_runs_ends_in_a_large_tree(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MAX_FOLDERS", 3)
    for number in range(5):
        make_run(folder / "runs" / str(number))
    assert list_runs("") == ["runs/0", "runs/1", "runs/2"]
