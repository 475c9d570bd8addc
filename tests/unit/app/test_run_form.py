"""From a form to a command: what may be said there, and what may not."""

from pathlib import Path
from typing import Any

import pytest

from auricle.app.run_form import RunForm, parse_options, split_options, validate_model, validate_run_name, validate_task
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError


@pytest.fixture
def shelf(tmp_path: Path) -> Any:
    for name in ("runs", "mine", "others"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine" / "model.py").write_text("class Mine: ...")
    (tmp_path / "mine" / "data.jsonl").write_text("{}")
    (tmp_path / "others" / "model.py").write_text("class Theirs: ...")
    (tmp_path / "others" / "data.jsonl").write_text("{}")
    return Workspace(tmp_path / "runs", (tmp_path / "mine",))


def test_a_task_becomes_a_command(shelf: Any) -> None:
    order = RunForm(run_name="a/b", model="echo", task="demo", model_options="wrong=0.1", limit=5)
    assert order.build_arguments(shelf) == ["run", "demo", "-m", "echo", "--limit", "5", "-M", "wrong=0.1",
                                  "-o", str(shelf.root / "a/b")]  # fmt: skip


def test_data_becomes_a_command_with_its_kind(shelf: Any, tmp_path: Path) -> None:
    data = str(tmp_path / "mine" / "data.jsonl")
    words = RunForm(run_name="x", model="echo", data=data, kind="qa", task_options="a=1").build_arguments(shelf)
    assert words[1] == data
    assert words[4:8] == ["--as", "qa", "-T", "a=1"]


@pytest.mark.parametrize("data", ["others/data.jsonl", "mine/../others/data.jsonl", "mine/model.py",
                                  "mine", "mine/gone.jsonl"])  # fmt: skip
def test_data_elsewhere_or_of_no_known_form_is_refused(shelf: Any, tmp_path: Path, data: str) -> None:
    with pytest.raises(SpecError, match=r"no \.jsonl"):
        RunForm(run_name="x", model="echo", data=str(tmp_path / data), kind="qa").build_arguments(shelf)


@pytest.mark.parametrize("name", ["", "..", "../x", "/x", "a/../../b", "-o", "a\nb", "x" * 121, ".", "demo", "demo/x"])
def test_a_run_cannot_be_named_out_of_its_folder(name: Any) -> None:
    with pytest.raises(SpecError):
        validate_run_name(name)


def test_a_run_is_not_put_into_another(shelf: Any) -> None:
    (shelf.root / "held").mkdir()
    (shelf.root / "held" / "spec.json").write_text("{}")
    with pytest.raises(SpecError, match="is a run itself"):
        RunForm(run_name="held/inside", model="echo", task="demo").build_arguments(shelf)


def test_a_run_is_not_put_where_a_link_leads(shelf: Any, tmp_path: Path) -> None:
    (shelf.root / "link").symlink_to(tmp_path / "others")
    with pytest.raises(SpecError, match="leads out"):
        RunForm(run_name="link/run", model="echo", task="demo").build_arguments(shelf)


def test_a_class_in_a_named_folder_is_a_model(shelf: Any, tmp_path: Path) -> None:
    assert validate_model(shelf, f"{tmp_path}/mine/model.py:Mine") == f"{tmp_path}/mine/model.py:Mine"
    assert validate_model(shelf, f"cmi:{tmp_path}/mine/model.py:Mine").startswith("cmi:/")


@pytest.mark.parametrize("name", ["nobody", "os:system", "subprocess:run", "--help", "", "model.py",
                                  "{}/others/model.py:Theirs", "{}/mine/model.py:__import__('x')",
                                  "cmi:os:system"])  # fmt: skip
def test_other_models_are_refused(shelf: Any, tmp_path: Path, name: str) -> None:
    with pytest.raises(SpecError):
        validate_model(shelf, name.format(tmp_path))


def test_a_task_is_one_of_the_catalogue() -> None:
    assert validate_task("demo") == "demo"
    with pytest.raises(SpecError):
        validate_task("--config")


def test_options_are_read_as_on_the_command_line(shelf: Any) -> None:
    assert parse_options(shelf, "a=1 b='two words' c=[1,2]") == {"a": 1, "b": "two words", "c": [1, 2]}
    assert parse_options(shelf, "base_url=http://localhost:8000/v1 model=qwen2:latest shots=bm25:4")


@pytest.mark.parametrize("text", ["a", "'", "=x"])
def test_options_that_cannot_be_read_are_told(shelf: Any, text: str) -> None:
    with pytest.raises(SpecError):
        split_options(shelf, text)


ELSEWHERE = ["/etc/passwd", "//etc/passwd", "~/x", "../x", "{}/others", "aisbench:/x/y.py:Z",
             '{{"deep":["/etc"]}}', "a/../../x", "file:///etc/passwd"]  # fmt: skip


@pytest.mark.parametrize("value", ELSEWHERE)
def test_paths_elsewhere_are_refused_wherever_they_hide(shelf: Any, tmp_path: Path, value: Any) -> None:
    with pytest.raises(SpecError, match="no folder this app may read"):
        split_options(shelf, f"path='{value.format(tmp_path)}'")


def test_a_path_in_a_named_folder_may_be_said(shelf: Any, tmp_path: Path) -> None:
    assert split_options(shelf, f"path={tmp_path}/mine")


def test_code_cannot_be_named_in_an_option(shelf: Any) -> None:
    with pytest.raises(SpecError, match="names code"):
        split_options(shelf, "inferencer=os:system")


def test_a_secret_is_not_taken_into_a_command(shelf: Any) -> None:
    with pytest.raises(SpecError, match="api_key_env=VARIABLE"):
        split_options(shelf, "api_key=sk-1")
    assert split_options(shelf, "api_key_env=MY_KEY")
