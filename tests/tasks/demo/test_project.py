"""The folder of `auricle init`: rows of every kind, the config, and what is refused."""

import json
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.yaml_files import read_yaml
from auricle.tasks.demo.project import DATA_NAME, EXAMPLES, Answers, check_project, write_project
from tests.support.cli_types import WriteManifest


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_row_of_an_example_is_valid_and_has_its_recording(kind: str, tmp_path: Path) -> None:
    answers = Answers(kind, "example", "echo")
    write_project(tmp_path, answers, "Mine")
    assert check_project(tmp_path, answers) == []
    rows = [json.loads(line) for line in (tmp_path / DATA_NAME).read_text().splitlines()]
    assert len(rows) >= 16
    assert all((tmp_path / "data" / row["audio"]).is_file() for row in rows if "audio" in row)


def test_every_option_is_sometimes_right(tmp_path: Path) -> None:
    write_project(tmp_path, Answers("mcq", "example", "echo"), "Mine")
    rows = [json.loads(line) for line in (tmp_path / DATA_NAME).read_text().splitlines()]
    assert {row["answer"] for row in rows} == set("ABCD")
    assert len({tuple(row["choices"]) for row in rows}) == 4
    assert all(len(set(row["choices"])) == 4 for row in rows)


def test_config_names_data_model_and_arguments(tmp_path: Path, manifest: WriteManifest) -> None:
    data = manifest([{"id": "1", "frage": "x", "answer": "x"}])
    answers = Answers(
        "qa", str(data), "openai", {"prompt": "{frage}"}, {"model": "m", "base_url": "http://localhost:1"}
    )
    write_project(tmp_path / "mine", answers, "Mine")
    assert read_yaml(tmp_path / "mine" / "run.yaml") == {
        "task": str(data),
        "as": "qa",
        "task_args": {"prompt": "{frage}"},
        "models": [{"model": "openai", "model_args": {"model": "m", "base_url": "http://localhost:1"}}],
        "out": "runs/first",
    }
    assert f"the data is `{data}`" in (tmp_path / "mine" / "README.md").read_text()


def test_fake_model_is_described_as_one(tmp_path: Path) -> None:
    write_project(tmp_path, Answers("qa", "example", "echo"), "Mine")
    page = (tmp_path / "README.md").read_text()
    assert page.startswith("# Mine\n")
    assert "The model `echo` only repeats its input" in page
    assert "auricle run run.yaml -m fake-api" in page


def test_data_without_a_usable_row_is_refused_with_its_columns(tmp_path: Path, manifest: WriteManifest) -> None:
    answers = Answers("mcq", str(manifest([{"id": "1", "frage": "x"}])), "echo")
    write_project(tmp_path / "mine", answers, "Mine")
    with pytest.raises(SpecError, match=r"no row can be used as mcq.*The columns are id, frage\. Choose them with -T"):
        check_project(tmp_path / "mine", answers)


@pytest.mark.parametrize(
    ("name", "reason"), [("rows.csv", "There are no rows"), ("rows.md", r"Unsupported manifest .*rows\.md")]
)
def test_data_that_has_no_rows_is_refused_with_the_reason(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / name).write_text("")
    answers = Answers("asr", str(tmp_path / name), "echo")
    write_project(tmp_path / "mine", answers, "Mine")
    with pytest.raises(SpecError, match=f"no row can be used as asr. {reason}"):
        check_project(tmp_path / "mine", answers)


def test_readme_names_no_address_and_no_speech_where_there_is_none(tmp_path: Path) -> None:
    write_project(tmp_path, Answers("tts", "example", "echo"), "Mine")
    page = (tmp_path / "README.md").read_text()
    assert "`data/rows.jsonl` lists the samples. Replace them by your own." in page
    assert "://" not in page


def test_model_that_does_not_suit_the_kind_is_refused(tmp_path: Path) -> None:
    answers = Answers("asr", "example", "fake-labels")
    write_project(tmp_path, answers, "Mine")
    with pytest.raises(SpecError, match="needs a model that can generate"):
        check_project(tmp_path, answers)


def test_what_the_model_still_needs_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    answers = Answers("qa", "example", "openai", model_args={"model": "m"})
    write_project(tmp_path, answers, "Mine")
    assert check_project(tmp_path, answers) == ["openai: installed; OPENAI_API_KEY is not set."]


def test_data_elsewhere_is_not_downloaded(tmp_path: Path) -> None:
    answers = Answers("asr", "hf:owner/name", "echo")
    write_project(tmp_path, answers, "Mine")
    assert "was not checked" in check_project(tmp_path, answers)[0]
