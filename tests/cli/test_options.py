"""Values of options that several commands share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from auricle.cli.options import (
    GroupedCommand,
    RegisteredName,
    option_group,
    parse_count_or_auto,
    parse_json_object,
    parse_model_args,
    resolve_judges,
    text,
)
from auricle.core.errors import SpecError


def test_names_of_packages_are_choices(install: Any) -> None:
    choice = RegisteredName(
        "auricle.frameworks.exchange.result_files:EXPORTERS", "auricle.frameworks.exchange.task_drafts:CONFIG_IMPORTERS"
    )
    install("auricle-other", {"exporters": {"other": "auricle_other:export"}})
    assert {"aisbench", "kimi", "other", "pipecat", "rttm"} <= {*choice.choices}
    assert [*choice.choices] == sorted(choice.choices)
    assert choice.convert("other", None, None) == "other"
    with pytest.raises(click.BadParameter, match="'nothing' is not one of 'aisbench'"):
        choice.convert("nothing", None, None)


def test_grouped_help_keeps_the_order_of_groups_and_options() -> None:
    @click.command(cls=GroupedCommand)
    @option_group("First", click.option("--b"), click.option("--a"))
    @option_group("Second", click.option("--c"))
    def command() -> None: ...

    output = CliRunner().invoke(command, ["--help"]).output
    positions = [output.index(part) for part in ("First:", "--b", "--a", "Second:", "--c", "Other:", "--help")]
    assert positions == sorted(positions)


@pytest.mark.parametrize(
    ("words", "names", "parameter", "metavar"),
    [
        ("-o --out DIR", ["-o", "--out"], "out", "DIR"),
        ("--fault faults KIND=FRACTION", ["--fault"], "faults", "KIND=FRACTION"),
        ("--devices 0,1", ["--devices"], "devices", "0,1"),
        ("--key", ["--key"], "key", None),
    ],
)
def test_words_name_an_option_its_parameter_and_its_metavar(
    words: str, names: list[str], parameter: str, metavar: str | None
) -> None:
    @click.command()
    @text(words, "Help of the option.")
    def command() -> None: ...

    (option,) = command.params
    assert (option.opts, option.name, option.metavar) == (names, parameter, metavar)


@pytest.mark.parametrize(("value", "size"), [("auto", "auto"), ("8", 8)])
def test_batch_size_is_a_number_or_auto(value: str, size: int | str) -> None:
    assert parse_count_or_auto(value) == size


@pytest.mark.parametrize("value", ["0", "-1", "all"])
def test_invalid_batch_size_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter):
        parse_count_or_auto(value)


def test_json_object_is_read_from_text_or_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    assert parse_json_object('{"a": 1}') == parse_json_object(str(tmp_path / "a.json")) == {"a": 1}


def test_json_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(SpecError, match="expected a JSON object, not a list"):
        parse_json_object(str(tmp_path / "a.json"))


def test_reward_model_options_become_model_arguments() -> None:
    options = {"model_args": ("a=1",), "crop": 2.5, "model_init_json": '{"x": 1}', "score_json": None}
    assert parse_model_args(options, "cmi:x") == {"a": 1, "init": {"x": 1}, "crop": 2.5}


def resolve(configured: Any, arguments: Sequence[str] = (), **named: Any) -> list[dict[str, Any]]:
    return resolve_judges(configured, {"judge_args": arguments, **named})


def test_judge_of_the_command_line_replaces_the_configured_one() -> None:
    configured = {"model": "a", "args": {"x": 1}}
    assert resolve(configured, ["y=2"], judge=["b"]) == [{"model": "b", "args": {"y": 2}}]
    assert resolve(configured, ["y=2"]) == [{"model": "a", "args": {"x": 1, "y": 2}}]
    assert resolve("a") == [{"model": "a", "args": {}}]
    assert resolve(None) == []


def test_the_judge_of_unread_replies_is_the_last() -> None:
    assert resolve(None, ["2.x=1"], judge=["a"], judge_unread="b") == [
        {"model": "a", "args": {}},
        {"model": "b", "args": {"x": 1}, "role": "unread"},
    ]
    configured = [{"model": "a", "role": "unread"}]
    assert resolve(configured, judge_unread="b") == [{"model": "b", "args": {}, "role": "unread"}]


def test_models_of_a_role_replace_the_configured_ones_of_that_role_only() -> None:
    configured = ["a", {"model": "b", "role": "recogniser"}]
    assert resolve(configured, recogniser=["c", "d"], quality_model=["e"]) == [
        {"model": "a", "args": {}},
        {"model": "c", "args": {}, "role": "recogniser"},
        {"model": "d", "args": {}, "role": "recogniser"},
        {"model": "e", "args": {}, "role": "quality"},
    ]
    assert resolve(configured, judge=["x"]) == [
        {"model": "x", "args": {}},
        {"model": "b", "args": {}, "role": "recogniser"},
    ]


def test_arguments_of_a_role_have_its_name() -> None:
    arguments = ["model=j", "recogniser.model=r", "recogniser.2.model=s", "speaker.crop=3"]
    judges = resolve(None, arguments, judge=["a"], recogniser=["b", "c"], speaker_model=["d"])
    assert [judge["args"] for judge in judges] == [{"model": "j"}, {"model": "r"}, {"model": "s"}, {"crop": 3}]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("quality.x=1", r"-J quality\.KEY=VALUE sets an argument of the quality model, .* Add --quality-model MODEL\."),
        ("x=1", r"-J KEY=VALUE sets an argument of the judge, but none is given\. Add --judge MODEL\."),
        ("recogniser.3.x=1", r"-J recogniser\.3\.x=… is an argument of recogniser 3, but there are 1\."),
    ],
)
def test_argument_without_its_model_is_refused(argument: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        resolve(None, [argument], recogniser=["a"])


def test_an_argument_may_belong_to_one_of_several_judges() -> None:
    judges = resolve(None, ["x=1", "2.y=2", "1.x=3"], judge=["a", "b"])
    assert judges == [{"model": "a", "args": {"x": 3}}, {"model": "b", "args": {"x": 1, "y": 2}}]
    with pytest.raises(SpecError, match=r"-J 3\.y=… is an argument of judge 3, but there are 2\."):
        resolve(None, ["3.y=2"], judge=["a", "b"])


@pytest.mark.parametrize("model", ["openai", ("echo", "openai")])
def test_a_key_on_the_command_line_is_refused_with_the_remedy(model: object) -> None:
    options = {"model_args": ("api_key=sk-123456789",)}
    with pytest.raises(SpecError, match=r"^-M api_key=….*OPENAI_API_KEY.*-M api_key_env=NAME\.$") as refused:
        parse_model_args(options, model)
    assert "sk-123" not in str(refused.value)
    with pytest.raises(SpecError, match=r"^-J api_key=…"):
        resolve(None, ["api_key=sk-123456789"], judge=["openai"])


def test_classes_of_the_user_may_take_a_key() -> None:
    assert parse_model_args({"model_args": ("api_key=sk-1",)}, "aisbench:file.py:Mine") == {"api_key": "sk-1"}
