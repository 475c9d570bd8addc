"""Configs of `auricle run`."""

from dataclasses import fields
from pathlib import Path

import click
import pytest

from auricle import Settings
from auricle.cli.run import SPECIAL_OPTIONS
from auricle.cli.run import run as run_command
from auricle.core.errors import SpecError
from auricle.engine.config import SETTINGS_FIELDS, RunConfig, is_experiment
from tests.support.suites import write_suite

REQUIRED = {"task": "demo", "model": "echo"}


def test_settings_stand_next_to_the_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("task: demo\nmodel: echo\nlimit: 3\nconcurrency: 4\nbatch-size: auto\ndevices: 0,1\nstream: true\n")
    config = RunConfig.read(path)
    assert config.task == ("demo",)
    assert config.settings == Settings(concurrency=4, batch_size="auto", devices=("0", "1"), stream=True)


@pytest.mark.parametrize(
    ("value", "devices"), [("0, 1,", ("0", "1")), (3, ("3",)), ([0, "a"], ("0", "a")), ((0, 1), ("0", "1")), ("", ())]
)
def test_devices_are_a_list_or_separated_by_commas(value: object, devices: tuple[str, ...]) -> None:
    assert RunConfig.from_fields({**REQUIRED, "devices": value}, "x").settings.devices == devices


def test_devices_must_be_names() -> None:
    with pytest.raises(SpecError, match=r"^x: devices"):
        RunConfig.from_fields({**REQUIRED, "devices": {"gpu": 0}}, "x")


def test_every_option_of_the_command_line_is_a_field() -> None:
    options = {parameter.name for parameter in run_command.params if isinstance(parameter, click.Option)}
    reward_options = {"crop", "model_init_json", "score_json"}  # arguments of the model under another name
    known = {*RunConfig.model_fields, *SETTINGS_FIELDS}
    assert options - SPECIAL_OPTIONS - reward_options <= known


def test_defaults_of_the_command_line_are_those_of_the_settings() -> None:
    defaults = {field.name: field.default for field in fields(Settings)}
    for parameter in run_command.params:
        if parameter.name in SETTINGS_FIELDS and isinstance(parameter.default, (bool, int, float, str)):
            assert parameter.default == defaults[parameter.name], parameter.name


def test_yaml_of_a_config_gives_the_same_config(tmp_path: Path) -> None:
    config = RunConfig.from_fields(
        {
            "task": ["demo", "quiz.yaml"],
            "as": "qa",
            "model": "openai",
            "model_args": {"model": "x"},
            "judge": "echo",
            "out": "runs/a",
            "retry_failed": False,
            "gpus_per_replica": 0.5,
        },
        "test",
    )
    path = tmp_path / "run.yaml"
    path.write_text(config.to_yaml())
    assert RunConfig.read(path) == config


def test_yaml_hides_secrets() -> None:
    fields_with_secrets = {
        **REQUIRED,
        "model_args": {"api_key": "sk-1"},
        "judge": {"model": "m", "args": {"token": "t-2"}},
    }
    text = RunConfig.from_fields(fields_with_secrets, "test").to_yaml()
    assert "sk-1" not in text
    assert "t-2" not in text
    assert "api_key" in text


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"concurency": 4}, "x.yaml: unknown field 'concurency'. Did you mean 'concurrency'?"),
        ({"wholly_unknown_thing": 4}, "x.yaml: unknown field 'wholly_unknown_thing'. Expected one of: task, as, model"),
        ({"concurrency": "four"}, "x.yaml: concurrency: Input should be a valid integer"),
        ({"concurrency": 0}, "x.yaml: concurrency: 0 is too small; the least value is 1."),
        ({"backend": "dask"}, "x.yaml: backend: Input should be '', 'ray' or 'slurm'"),
        ({"limit": -1}, "x.yaml: limit: Input should be greater than 0"),
        ({"model": None}, "x.yaml: model.0: Input should be a valid dictionary"),
        ({"judge": {"modle": "x"}}, "x.yaml: judge.model"),
    ],
)
def test_wrong_field_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError) as error:
        RunConfig.from_fields({**REQUIRED, **values}, "x.yaml")
    assert message in str(error.value) or (
        message == "x.yaml: judge.model" and "missing field 'model'" in str(error.value)
    )


def test_models_may_have_arguments_labels_and_settings_of_their_own() -> None:
    fast = {"model": "echo", "label": "fast", "model_args": {"reply": "4"}, "batch_size": 32, "devices": "0,1"}
    config = RunConfig.from_fields(
        {"task": "demo", "model": ["echo", fast], "model_args": {"reply": "5"}, "concurrency": 3}, "test"
    )
    plain, labelled = config.plan()
    assert plain.settings == Settings(concurrency=3)
    assert labelled.settings == Settings(concurrency=3, batch_size=32, devices=("0", "1"))
    assert [plan.evaluations[0].spec.model_args for plan in (plain, labelled)] == [{"reply": "5"}, {"reply": "4"}]
    assert [plan.evaluations[0].title for plan in (plain, labelled)] == ["demo × echo", "demo × fast"]
    assert [evaluation.folder_name for evaluation in config.prepare()] == ["demo-echo", "demo-fast"]


def test_tasks_and_models_may_be_named_in_the_plural(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text("tasks: [demo]\nmodels: [echo, fake-api]\nlabels: [a, b]\n")
    assert is_experiment(str(path))
    config = RunConfig.read(path)
    assert config == RunConfig.from_fields({"task": "demo", "model": ["echo", "fake-api"], "label": ["a", "b"]}, "")


def test_a_field_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text("task: demo\ntasks: [demo]\nmodel: echo\n")
    with pytest.raises(SpecError, match="'task' is given twice, the second time as 'tasks'"):
        RunConfig.read(path)


def test_yaml_of_an_experiment_gives_the_same_config(tmp_path: Path) -> None:
    entry = {"model": "echo", "label": "b", "concurrency": 2}
    config = RunConfig.from_fields({"task": ["demo"], "model": ["echo", entry], "label": ["x", "y"]}, "test")
    (tmp_path / "experiment.yaml").write_text(config.to_yaml())
    assert RunConfig.read(tmp_path / "experiment.yaml") == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"label": ["a", "b"]}, r"^x: label: 2 labels for 1 models; give one for each\.$"),
        ({"model": []}, r"^x: model: "),
        ({"model": [{"model": "echo", "concurency": 2}]}, r"^x: model.0.concurency: "),
    ],
)
def test_wrong_models_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        RunConfig.from_fields({**REQUIRED, **values}, "x")


def test_wrong_setting_of_a_model_is_refused() -> None:
    config = RunConfig.from_fields({"task": "demo", "model": [{"model": "echo", "concurrency": 0}]}, "x")
    with pytest.raises(SpecError, match=r"^model echo: concurrency: 0 is too small"):
        config.plan()


def test_a_model_is_shown_with_its_checkpoint_or_deployment() -> None:
    arguments = {"base_url": "http://localhost:1", "model": "org/whisper-1"}
    config = RunConfig.from_fields({"task": "demo", "model": "transcription", "model_args": arguments}, "x")
    assert config.prepare()[0].title == "demo × transcription · whisper-1"


def test_missing_field_is_named() -> None:
    with pytest.raises(SpecError, match="missing field 'model'"):
        RunConfig.from_fields({"task": "demo"}, "x.yaml")


def test_each_task_becomes_an_evaluation() -> None:
    config = RunConfig.from_fields({"task": ["demo", "demo"], "model": "echo", "limit": 2}, "test")
    first, second = config.prepare()
    assert first.folder_name == second.folder_name == "demo-echo"
    assert first.spec.limit == 2


def test_optional_fields_have_defaults() -> None:
    config = RunConfig.from_fields(REQUIRED, "test")
    assert config.model_dump(exclude={"task", "model"}) == {
        "kind": None,
        "label": (),
        "task_args": {},
        "perturb": (),
        "model_args": {},
        "limit": None,
        "seed": 0,
        "profile": None,
        "cluster": None,
        "add_metrics": (),
        "judge": (),
        "infer_only": False,
        "cache": False,
        "cache_path": None,
        "prices": None,
        "max_cost": None,
        "out": None,
        "fresh": False,
        "progress": "auto",
        "log": (),
        "log_project": "",
        "settings": vars_of(Settings()),
    }


def vars_of(settings: Settings) -> dict[str, object]:
    return {field.name: getattr(settings, field.name) for field in fields(settings)}


@pytest.mark.parametrize(("field", "least"), [("limit", 1), ("max_cost", 0.01)])
def test_limits_are_positive(field: str, least: float) -> None:
    assert getattr(RunConfig.from_fields({**REQUIRED, field: least}, "test"), field) == least
    with pytest.raises(SpecError, match=f"{field}: Input should be greater than 0"):
        RunConfig.from_fields({**REQUIRED, field: 0}, "test")


def test_settings_may_be_given_as_they_are() -> None:
    config = RunConfig.from_fields({**REQUIRED, "settings": Settings(concurrency=3)}, "test")
    assert config.settings == Settings(concurrency=3)


def test_yaml_has_the_names_and_the_order_of_the_command_line() -> None:
    fields = {"task": "demo", "as": "qa", "model": "echo", "label": "Größe", "devices": "0,1", "concurrency": 3}
    lines = RunConfig.from_fields(fields, "test").to_yaml().splitlines()
    assert lines[:3] == ["task: demo", "as: qa", "model: echo"]
    assert {"label:", "- Größe", "devices:", "- '0'", "concurrency: 3"} <= set(lines)
    assert not any("null" in line for line in lines)
    assert not any(line.startswith(("limit", "judge", "task_args")) for line in lines)


def test_yaml_of_a_plain_model_is_its_name() -> None:
    config = RunConfig.from_fields({"task": "demo", "model": ["echo", {"model": "echo", "label": "b"}]}, "test")
    assert [entry.to_fields() for entry in config.model] == ["echo", {"model": "echo", "label": "b"}]


def test_experiment_is_a_yaml_file_with_a_model(tmp_path: Path) -> None:
    contents = {"a.yaml": "model: echo\ntask: demo\n", "b.yaml": "kind: qa\n", "c.txt": "model: echo\n"}
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    names = [*contents, "missing.yaml", "missing"]
    assert [is_experiment(str(tmp_path / name)) for name in names] == [True, False, False, False, False]


def test_unknown_field_lists_the_fields_of_a_config() -> None:
    with pytest.raises(SpecError) as error:
        RunConfig.from_fields({**REQUIRED, "wholly_unknown_thing": 4}, "x.yaml")
    listed = str(error.value).partition("Expected one of: ")[2].rstrip(".").split(", ")
    assert {"as", "concurrency", "batch_size"} <= set(listed)
    assert not {"settings", "kind"} & set(listed)


def test_the_parts_of_a_suite_are_planned_together_for_each_model(tmp_path: Path) -> None:
    suite = write_suite(tmp_path)
    config = RunConfig.from_fields({"task": [str(suite), "demo"], "model": ["echo", "fake-api"]}, "x")
    plans = config.plan()
    names = [[[evaluation.task.name for evaluation in group.evaluations] for group in plan.groups] for plan in plans]
    assert names == [[["english", "german"], ["demo"]]] * 2
    assert [group.suite.name if group.suite else None for group in plans[0].groups] == ["suite", None]


def test_a_part_that_stands_for_several_tasks_is_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, "suite:\n  - {task: 'meld*', name: all}\n")
    config = RunConfig.from_fields({"task": str(suite), "model": "echo"}, "x")
    with pytest.raises(SpecError, match=r"Part all of suite stands for several tasks \(meld, meld-choice\)\. List"):
        config.plan()


def test_a_suite_has_no_kind(tmp_path: Path) -> None:
    config = RunConfig.from_fields({"task": str(write_suite(tmp_path)), "model": "echo", "as": "qa"}, "x")
    with pytest.raises(SpecError, match=r"--as qa needs a data file, and .* is a suite"):
        config.plan()


def test_the_judge_of_unread_replies_has_a_field_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: demo\nmodel: echo\njudge: a\njudge-unread: {model: b, args: {x: 1}}\n")
    first, second = RunConfig.read(tmp_path / "run.yaml").judge
    assert (first.model, first.role.name) == ("a", "judge")
    assert (second.model, second.args, second.role.name) == ("b", {"x": 1}, "unread")


def test_models_of_a_role_have_fields_of_their_own(tmp_path: Path) -> None:
    fields = "recognisers: [a, {model: b, args: {x: 1}}]\nspeaker-model: c\nquality_models: [d]\n"
    (tmp_path / "run.yaml").write_text(f"task: demo\nmodel: echo\n{fields}")
    config = RunConfig.read(tmp_path / "run.yaml")
    assert [(judge.model, judge.role.name) for judge in config.judge] == [
        ("a", "recogniser"),
        ("b", "recogniser"),
        ("c", "speaker"),
        ("d", "quality"),
    ]
    assert config.judge[1].args == {"x": 1}
    (tmp_path / "again.yaml").write_text(config.to_yaml())
    assert RunConfig.read(tmp_path / "again.yaml").judge == config.judge


@pytest.mark.parametrize("fields", [{"perturb": "noise:snr=10,0"}, {"task_args": {"perturb": ["noise:10", "noise:0"]}}])
def test_conditions_are_parts_after_the_unchanged_task(fields: dict[str, object]) -> None:
    (group,) = RunConfig.from_fields({**REQUIRED, **fields}, "test").plan()[0].groups
    assert group.suite is not None
    assert [part.name for part in group.suite.parts] == ["clean", "noise:snr=10", "noise:snr=0"]
    assert [evaluation.task.revision.partition("+")[2] for evaluation in group.evaluations] == [
        "",
        "noise:snr=10",
        "noise:snr=0",
    ]
    assert group.folder_name == "demo-conditions-echo"
    described = group.describe_run(Path("runs"))
    assert described is not None
    assert [part.condition for part in described.parts] == ["", "noise:snr=10", "noise:snr=0"]


def test_single_condition_of_a_task_is_no_suite() -> None:
    (group,) = RunConfig.from_fields({**REQUIRED, "task_args": {"perturb": "noise:10"}}, "test").plan()[0].groups
    assert group.suite is None
    assert group.evaluations[0].task.revision.endswith("+noise:snr=10")


def test_conditions_of_a_suite_are_refused(tmp_path: Path) -> None:
    suite = write_suite(tmp_path)
    with pytest.raises(SpecError, match="--perturb needs a single task"):
        RunConfig.from_fields({"task": str(suite), "model": "echo", "perturb": "noise:10"}, "test").plan()
