"""One spec for the command line, YAML and Python."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from auricle import Spec, SpecError
from auricle.core.redaction import redact
from auricle.engine.spec import resolve_task


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Spec(task="a", model="b", modle_args={})


def test_yaml_and_python_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("task: asr\ntask_args:\n  data: x.jsonl\nmodel: echo\nlimit: 3\n")
    assert Spec.read(path) == Spec(task="asr", task_args={"data": "x.jsonl"}, model="echo", limit=3)


def test_a_wrong_value_in_yaml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("task: asr\nmodel: echo\nlimit: -3\n")
    with pytest.raises(SpecError, match=r"run\.yaml: limit: Input should be greater than 0"):
        Spec.read(path)


def test_paths_read_the_same_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settled = Spec(task="asr", task_args={"data": "x.jsonl"}, model="mine.py:f").resolved()
    assert settled.task_args["data"] == str(tmp_path / "x.jsonl")
    assert settled.model == f"{tmp_path / 'mine.py'}:f"
    assert Spec(task="asr", task_args={"data": "hf:a/b"}, model="m").resolved().task_args == {"data": "hf:a/b"}


def test_how_answers_are_scored_is_not_what_was_asked() -> None:
    one = Spec(task="asr", task_args={"data": "x", "profile": "zh", "cluster": "s"}, model="m")
    other = Spec(task="asr", task_args={"data": "x"}, model="m", profile="basic", limit=3)
    assert one.identity() == other.identity()
    assert one.identity() != Spec(task="asr", task_args={"data": "y"}, model="m").identity()


def test_secrets_are_blanked_and_their_places_kept() -> None:
    given = {"api_key": "sk-1", "auth_token": "t", "api_key_env": "KEY", "max_tokens": 5, "a": 1}
    assert redact(given) == {**given, "api_key": "…", "auth_token": "…"}
    assert redact({"tokenizer": "x", "keyword": "y"}) == {"tokenizer": "x", "keyword": "y"}
    assert redact({"c": [{"password": "p"}], "hf_auth": "t", "url": "http://u:p@h/x"}) == {
        "c": [{"password": "…"}],
        "hf_auth": "…",
        "url": "http://…@h/x",
    }


def test_a_manifest_with_a_kind_is_that_task() -> None:
    assert resolve_task("x.csv", "mcq", {"language": "en"}) == ("mcq", {"data": "x.csv", "language": "en"})
    assert resolve_task("hf:a/b", "asr", {}) == ("asr", {"data": "hf:a/b"})


def test_what_is_said_on_the_command_line_wins_over_a_task_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("kind: asr\ndata: sub/x.jsonl\nlanguage: en\n")
    kind, arguments = resolve_task(str(path), None, {"language": "zh"})
    assert kind == "asr"
    assert arguments == {"name": "mine", "data": str(tmp_path / "sub/x.jsonl"), "language": "zh"}
