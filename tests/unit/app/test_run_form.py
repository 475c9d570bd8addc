"""Tests of the form for a new run: which values are accepted, and the command they become."""

from pathlib import Path

import pytest

from auricle.app.run_form import (
    FAKE_MODEL_PREFIXES,
    RunForm,
    describe_model,
    list_model_names,
    parse_options,
    split_options,
    validate_model,
    validate_run_name,
    validate_task,
)
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("runs", "allowed", "other"):
        (tmp_path / name).mkdir()
    for name in ("allowed", "other"):
        (tmp_path / name / "model.py").write_text("class Mine: ...")
        (tmp_path / name / "data.jsonl").write_text("{}")
    return Workspace(tmp_path / "runs", (tmp_path / "allowed",))


def test_task_becomes_a_command(workspace: Workspace) -> None:
    run_form = RunForm(run_name="a/b", model="echo", task="demo", model_options="wrong=0.1", limit=5)
    assert run_form.build_arguments(workspace) == ["run", "demo", "-m", "echo", "--limit", "5", "-M", "wrong=0.1",
                                  "-o", str(workspace.root / "a/b")]  # fmt: skip


def test_data_becomes_a_command_with_its_kind(workspace: Workspace, tmp_path: Path) -> None:
    data = str(tmp_path / "allowed" / "data.jsonl")
    arguments = RunForm(run_name="x", model="echo", data=data, kind="qa", task_options="a=1").build_arguments(workspace)
    assert arguments[1] == data
    assert arguments[4:8] == ["--as", "qa", "-T", "a=1"]


@pytest.mark.parametrize("data", ["other/data.jsonl", "allowed/../other/data.jsonl", "allowed/model.py",
                                  "allowed", "allowed/missing.jsonl"])  # fmt: skip
def test_data_elsewhere_or_of_another_format_is_rejected(workspace: Workspace, tmp_path: Path, data: str) -> None:
    with pytest.raises(SpecError, match=r"expected a \.jsonl"):
        RunForm(run_name="x", model="echo", data=str(tmp_path / data), kind="qa").build_arguments(workspace)


@pytest.mark.parametrize("name", ["", "..", "../x", "/x", "a/../../b", "-o", "a\nb", "x" * 121, ".", "demo", "demo/x"])
def test_invalid_run_name_is_rejected(name: str) -> None:
    with pytest.raises(SpecError):
        validate_run_name(name)


def test_run_inside_another_run_is_rejected(workspace: Workspace) -> None:
    (workspace.root / "taken").mkdir()
    (workspace.root / "taken" / "spec.json").write_text("{}")
    with pytest.raises(SpecError, match="runs cannot be nested"):
        RunForm(run_name="taken/inside", model="echo", task="demo").build_arguments(workspace)


def test_run_behind_a_link_out_of_the_folder_is_rejected(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "link").symlink_to(tmp_path / "other")
    with pytest.raises(SpecError, match="points outside the runs folder"):
        RunForm(run_name="link/run", model="echo", task="demo").build_arguments(workspace)


def test_class_in_an_allowed_folder_is_a_model(workspace: Workspace, tmp_path: Path) -> None:
    assert validate_model(workspace, f"{tmp_path}/allowed/model.py:Mine") == f"{tmp_path}/allowed/model.py:Mine"
    assert validate_model(workspace, f"cmi:{tmp_path}/allowed/model.py:Mine").startswith("cmi:/")


@pytest.mark.parametrize("name", ["unknown", "os:system", "subprocess:run", "--help", "", "model.py",
                                  "{}/other/model.py:Mine", "{}/allowed/model.py:__import__('x')",
                                  "cmi:os:system"])  # fmt: skip
def test_other_models_are_rejected(workspace: Workspace, tmp_path: Path, name: str) -> None:
    with pytest.raises(SpecError):
        validate_model(workspace, name.format(tmp_path))


def test_task_must_be_in_the_catalogue() -> None:
    assert validate_task("demo") == "demo"
    with pytest.raises(SpecError):
        validate_task("--config")


def test_options_are_parsed_as_on_the_command_line(workspace: Workspace) -> None:
    assert parse_options(workspace, "a=1 b='two words' c=[1,2]") == {"a": 1, "b": "two words", "c": [1, 2]}
    assert parse_options(workspace, "base_url=http://localhost:8000/v1 model=qwen2:latest shots=bm25:4")


@pytest.mark.parametrize("text", ["a", "'", "=x"])
def test_invalid_options_are_rejected(workspace: Workspace, text: str) -> None:
    with pytest.raises(SpecError):
        split_options(workspace, text)


PATHS_ELSEWHERE = ["/etc/passwd", "//etc/passwd", "~/x", "../x", "{}/other", "aisbench:/x/y.py:Z",
             '{{"deep":["/etc"]}}', "a/../../x", "file:///etc/passwd"]  # fmt: skip


@pytest.mark.parametrize("value", PATHS_ELSEWHERE)
def test_paths_elsewhere_in_an_option_are_rejected(workspace: Workspace, tmp_path: Path, value: str) -> None:
    with pytest.raises(SpecError, match="outside the folders the app may read"):
        split_options(workspace, f"path='{value.format(tmp_path)}'")


def test_path_in_an_allowed_folder_is_accepted(workspace: Workspace, tmp_path: Path) -> None:
    assert split_options(workspace, f"path={tmp_path}/allowed")


def test_import_path_in_an_option_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="contains an import path, os:system"):
        split_options(workspace, "inferencer=os:system")


def test_secret_in_an_option_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="api_key_env=VARIABLE"):
        split_options(workspace, "api_key=sk-1")
    with pytest.raises(SpecError, match="would be stored in plain text"):
        split_options(workspace, 'extra=\'{"password": "x"}\'')
    assert split_options(workspace, "api_key_env=OPENAI_API_KEY")


@pytest.mark.parametrize(
    "option", ["apikey=x", "api-key=x", "token2=x", "access_key_id=x", "cookie=x", "note=sk-Ab3dEf6hIj9kLm2n"]
)
def test_secret_is_recognised_in_any_spelling_and_by_its_value(workspace: Workspace, option: str) -> None:
    with pytest.raises(SpecError, match="would be stored in plain text"):
        split_options(workspace, option)


def test_header_must_take_its_value_from_a_variable(workspace: Workspace) -> None:
    assert split_options(workspace, 'headers=\'{"Authorization": "Bearer $OPENAI_API_KEY"}\'')
    with pytest.raises(SpecError, match=r"headers would be stored in plain text\..*\$VARIABLE in a header"):
        split_options(workspace, 'headers=\'{"Authorization": "Bearer sk-1"}\'')


def test_variable_that_is_not_allowed_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="may not use the environment variable 'HOME'"):
        split_options(workspace, "api_key_env=HOME")


def test_origins_of_model_and_task_options_are_listed() -> None:
    form = RunForm("x", "openai", model_options="base_url=http://a/v1", task_options="base_url=http://b n=1")
    assert form.origins == ["http://a", "http://b"]
    assert RunForm("x", "openai", model_options="'").origins == []


def test_task_file_that_names_data_elsewhere_is_rejected(workspace: Workspace, tmp_path: Path) -> None:
    task = tmp_path / "allowed" / "task.YAML"
    task.write_text("kind: qa\ndata: ../other/data.jsonl\n")
    with pytest.raises(SpecError, match=r"task\.YAML: data=\.\./other/data\.jsonl is outside the folders"):
        RunForm(run_name="x", model="echo", data=str(task)).build_arguments(workspace)
    task.write_text("kind: qa\ndata: data.jsonl\n")
    assert "--as" not in RunForm(run_name="x", model="echo", data=str(task), kind="qa").build_arguments(workspace)


def test_fake_models_are_listed_last() -> None:
    names = list_model_names()
    first_fake = names.index("echo")
    assert "moonshine" in names[:first_fake]
    assert all(name.startswith(FAKE_MODEL_PREFIXES) for name in names[first_fake:])


def test_model_outside_the_catalogue_is_described_as_custom() -> None:
    assert describe_model("x.py:Model") == "Custom model class"
    assert describe_model("echo") not in ("", "Custom model class")
