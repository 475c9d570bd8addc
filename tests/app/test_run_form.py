"""Tests of the form for a new run: which values are accepted, and the command they become."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.app.run_form import (
    RunForm,
    check_arguments,
    describe_model_arguments,
    describe_task,
    label_of,
    parse_options,
    validate_model,
    validate_run_name,
    validate_task,
)
from auricle.app.workspace import Workspace
from auricle.core.arguments import Argument
from auricle.core.errors import SpecError
from auricle.engine.spec import parse_arguments


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("runs", "allowed", "other"):
        (tmp_path / name).mkdir()
    for name in ("allowed", "other"):
        (tmp_path / name / "model.py").write_text("class Mine: ...")
        (tmp_path / name / "data.jsonl").write_text("{}")
    return Workspace(tmp_path / "runs", (tmp_path / "allowed",))


def test_task_becomes_a_command(workspace: Workspace) -> None:
    run_form = RunForm(run_name="a/b", model="echo", task="demo", model_arguments={"wrong": 0.1}, limit=5)
    assert run_form.build_arguments(workspace) == ["run", "demo", "-m", "echo", "--limit", "5", "-M", "wrong=0.1",
                                  "-o", str(workspace.root / "a/b")]  # fmt: skip


def test_data_becomes_a_command_with_its_kind(workspace: Workspace, tmp_path: Path) -> None:
    data = str(tmp_path / "allowed" / "data.jsonl")
    arguments = RunForm(run_name="x", model="echo", data=data, kind="qa", task_arguments={"a": 1}).build_arguments(
        workspace
    )
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


def test_task_is_in_the_catalogue_or_in_a_file_the_app_may_read(workspace: Workspace, tmp_path: Path) -> None:
    assert validate_task(workspace, "demo") == "demo"
    dataset = f"ser:{tmp_path}/allowed/model.py:Mine"
    assert validate_task(workspace, dataset) == dataset
    for name in ("--config", "os:system", "ser:os:system", f"ser:{tmp_path}/other/model.py:Mine"):
        with pytest.raises(SpecError):
            validate_task(workspace, name)


def test_prefix_must_be_one_of_the_kind(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"cmi: is not a prefix of tasks\. Use one of: kimi, lmms, ser"):
        validate_task(workspace, f"cmi:{tmp_path}/allowed/model.py:Mine")


def test_options_are_parsed_as_on_the_command_line() -> None:
    assert parse_options("a=1 b='two words' c=[1,2]") == {"a": 1, "b": "two words", "c": [1, 2]}


@pytest.mark.parametrize("text", ["a", "'", "=x"])
def test_invalid_options_are_rejected(text: str) -> None:
    with pytest.raises(SpecError):
        parse_options(text)


PATHS_ELSEWHERE = ["/etc/passwd", "//etc/passwd", "~/x", "../x", "{}/other", "aisbench:/x/y.py:Z",
             "a/../../x", "file:///etc/passwd"]  # fmt: skip


@pytest.mark.parametrize("value", PATHS_ELSEWHERE)
def test_paths_elsewhere_in_an_argument_are_rejected(workspace: Workspace, tmp_path: Path, value: str) -> None:
    for path in (value.format(tmp_path), {"deep": [value.format(tmp_path)]}):
        with pytest.raises(SpecError, match="outside the folders the app may read"):
            check_arguments(workspace, {"path": path})


def test_paths_in_an_allowed_folder_and_servers_are_accepted(workspace: Workspace, tmp_path: Path) -> None:
    check_arguments(workspace, {"path": f"{tmp_path}/allowed"})
    check_arguments(workspace, {"base_url": "http://localhost:8000/v1", "model": "qwen2:latest", "shots": "bm25:4"})


def test_import_path_in_an_argument_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="contains an import path, os:system"):
        check_arguments(workspace, {"inferencer": "os:system"})


def test_secret_in_an_argument_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="api_key_env=VARIABLE"):
        check_arguments(workspace, {"api_key": "sk-1"})
    with pytest.raises(SpecError, match="would be stored in plain text"):
        check_arguments(workspace, {"extra": {"password": "x"}})
    check_arguments(workspace, {"api_key_env": "OPENAI_API_KEY"})


@pytest.mark.parametrize(
    "option", ["apikey=x", "api-key=x", "token2=x", "access_key_id=x", "cookie=x", "note=sk-Ab3dEf6hIj9kLm2n"]
)
def test_secret_is_recognised_in_any_spelling_and_by_its_value(workspace: Workspace, option: str) -> None:
    with pytest.raises(SpecError, match="would be stored in plain text"):
        check_arguments(workspace, parse_options(option))


def test_header_must_take_its_value_from_a_variable(workspace: Workspace) -> None:
    check_arguments(workspace, {"headers": {"Authorization": "Bearer $OPENAI_API_KEY"}})
    with pytest.raises(SpecError, match=r"headers would be stored in plain text\..*\$VARIABLE in a header"):
        check_arguments(workspace, {"headers": {"Authorization": "Bearer sk-1"}})


def test_variable_that_is_not_allowed_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="may not use the environment variable 'HOME'"):
        check_arguments(workspace, {"api_key_env": "HOME"})


def test_origins_of_model_and_task_arguments_are_listed() -> None:
    form = RunForm("x", "openai", model_arguments={"base_url": "http://a/v1"}, task_arguments={"base_url": "http://b"})
    assert form.origins == ["http://a", "http://b"]


def test_command_is_quoted_for_a_shell_and_gives_the_same_arguments(workspace: Workspace) -> None:
    values = {"prompt": "It's {audio} $HOME", "shots": 3, "target": "3", "by": ["a", "b"]}
    form = RunForm("my run", "echo", task="demo", task_arguments=values)
    words = shlex.split(form.format_command(workspace))
    assert words == ["auricle", *form.build_arguments(workspace)]
    options = [words[index + 1] for index, word in enumerate(words) if word == "-T"]
    assert parse_arguments(options) == values


def test_missing_folder_is_a_problem_until_it_is_set(workspace: Workspace, tmp_path: Path) -> None:
    form = RunForm("x", "fake-labels", task="ravdess")
    assert form.find_problem(workspace).startswith("ravdess: Root folder is missing. The folder of the archive")
    assert not replace(form, task_arguments={"root": str(tmp_path / "allowed")}).find_problem(workspace)
    elsewhere = replace(form, task_arguments={"root": str(tmp_path / "other")})
    assert "outside the folders the app may read" in elsewhere.find_problem(workspace)


def test_value_that_is_not_a_choice_is_a_problem(workspace: Workspace, tmp_path: Path) -> None:
    arguments = {"root": str(tmp_path / "allowed"), "part": "talk"}
    form = RunForm("x", "fake-labels", task="ravdess", task_arguments=arguments)
    assert form.find_problem(workspace) == "ravdess: part must be speech, song or both, not 'talk'."
    wrong_model = RunForm("x", "whisper", task="demo", model_arguments={"model": "a/b", "task": "write"})
    assert "task must be transcribe or translate" in wrong_model.find_problem(workspace)


def test_class_in_a_file_is_described_without_executing_it(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "allowed" / "code.py"
    file.write_text("raise SystemExit\nclass Mine:\n    def __init__(self, loud: bool = False): ...\n")
    assert [argument.kind for argument in describe_model_arguments(workspace, f"ser:{file}:Mine")] == ["switch"]
    form = RunForm("x", "echo", task=f"ser:{file}:Mine")
    assert [argument.name for argument in describe_task(workspace, form)][:2] == ["root", "loud"]
    assert [argument.name for argument in describe_task(workspace, replace(form, task=f"{file}:Mine"))] == ["loud"]


def test_data_has_the_arguments_of_its_kind_and_a_task_file_none(workspace: Workspace) -> None:
    names = [argument.name for argument in describe_task(workspace, RunForm("x", "echo", data="a.jsonl", kind="asr"))]
    assert "language" in names
    assert "data" not in names
    assert describe_task(workspace, RunForm("x", "echo", data="a.yaml", kind="asr")) == []


def test_task_file_that_names_data_elsewhere_is_rejected(workspace: Workspace, tmp_path: Path) -> None:
    task = tmp_path / "allowed" / "task.YAML"
    task.write_text("kind: qa\ndata: ../other/data.jsonl\n")
    with pytest.raises(SpecError, match=r"task\.YAML: data=\.\./other/data\.jsonl is outside the folders"):
        RunForm(run_name="x", model="echo", data=str(task)).build_arguments(workspace)
    task.write_text("kind: qa\ndata: data.jsonl\n")
    assert "--as" not in RunForm(run_name="x", model="echo", data=str(task), kind="qa").build_arguments(workspace)


@pytest.mark.parametrize(
    ("argument", "title"),
    [
        (Argument("max_tokens"), "Max tokens"),
        (Argument("root", "folder", is_required=True), "Root folder"),
        (Argument("model", "weights"), "Weights"),
        (Argument("model"), "Model name"),
    ],
)
def test_label_is_readable(argument: Argument, title: str) -> None:
    assert label_of(argument) == title


def test_conditions_become_options_of_the_command(workspace: Workspace) -> None:
    form = RunForm("noisy", "echo", "demo", perturb=("noise:snr=20,0", "band:telephone+codec:g711-mu"))
    command = form.format_command(workspace)
    assert "--perturb noise:snr=20,0 --perturb band:telephone+codec:g711-mu" in command
    assert form.find_problem(workspace) == ""


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("nose:snr=5", "Unknown perturbation 'nose'. Did you mean 'noise'?"),
        ("noise:snr=5,folder=/etc", "/etc is outside the folders the app may read"),
    ],
)
def test_condition_that_is_invalid_or_reads_elsewhere_is_refused(
    workspace: Workspace, condition: str, problem: str
) -> None:
    form = RunForm("noisy", "echo", "demo", perturb=(condition,))
    assert problem in form.find_problem(workspace)
    assert problem in replace(form, perturb=(), task_arguments={"perturb": condition}).find_problem(workspace)
