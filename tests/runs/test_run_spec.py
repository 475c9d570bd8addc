"""`spec.json`."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError, RunMismatch
from auricle.runs.run_spec import CONTEXT, MAX_VALUE_LENGTH, RunSpec, read_run_spec, write_run_spec

SPEC = RunSpec(
    identity={"task": "demo", "model": "echo"},
    spec={"task": "demo", "model": "echo", "model_args": {"size": 1}},
    created="2026-01-01",
    versions={"auricle": "0.1.0"},
)


def test_spec_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_run_spec(tmp_path, SPEC)
    read = read_run_spec(tmp_path)
    assert read == SPEC
    assert (read.task, read.model, read.model_args) == ("demo", "echo", {"size": 1})


def test_another_run_is_refused_with_the_difference(tmp_path: Path) -> None:
    SPEC.check_same_run(tmp_path, SPEC)
    other = RunSpec(identity={"task": "demo", "model": "whisper"}, spec={})
    with pytest.raises(RunMismatch, match="model was 'echo', now 'whisper'"):
        SPEC.check_same_run(tmp_path, other)


def test_differences_of_arguments_are_named_one_by_one() -> None:
    old = RunSpec(identity={"model_args": {"a": 1, "b": 2}, "task": "demo"}, spec={})
    new = RunSpec(identity={"model_args": {"a": 1, "b": 3, "c": 4}, "task": "demo"}, spec={})
    assert old.describe_differences(new) == "model_args.b was 2, now 3; model_args.c was not set, now 4"
    assert old.describe_differences(old) == ""


def test_an_argument_that_changes_the_inferencer_is_named_alone() -> None:
    old = RunSpec(identity={"task_args": {}, "inferencer": "Respond(max_tokens=512)"}, spec={})
    new = RunSpec(identity={"task_args": {"max_tokens": 7}, "inferencer": "Respond(max_tokens=7)"}, spec={})
    assert old.describe_differences(new) == "task_args.max_tokens was not set, now 7"


def test_long_values_are_cut_to_the_place_where_they_differ() -> None:
    old, new = (RunSpec(identity={"inferencer": "x" * 500 + end + "y" * 500}, spec={}) for end in "ab")
    assert old.describe_differences(new) == (f"inferencer was …{'x' * 20}a{'y' * 39}…, now …{'x' * 20}b{'y' * 39}…")


def test_long_values_that_differ_at_the_start_are_cut_at_the_end() -> None:
    old, new = (RunSpec(identity={"inferencer": f"x{end}{'y' * 500}"}, spec={}) for end in "ab")
    assert old.describe_differences(new) == f"inferencer was 'xa{'y' * 57}…, now 'xb{'y' * 57}…"


@pytest.mark.parametrize(("length", "is_cut"), [(58, False), (59, True)])
def test_values_of_sixty_characters_are_shown_whole(length: int, is_cut: bool) -> None:
    old, new = (RunSpec(identity={"inferencer": "x" * (length - 1) + end}, spec={}) for end in "ab")
    assert ("…" in old.describe_differences(new)) is is_cut


def test_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text('{"format": 99, "identity": {}, "spec": {}}')
    with pytest.raises(DataError, match="format 99, which a newer version of Auricle wrote"):
        read_run_spec(tmp_path)


def test_load_test_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "perf.json").write_text("{}")
    with pytest.raises(DataError, match="it contains a load test"):
        read_run_spec(tmp_path)


def test_file_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="it is a file"):
        read_run_spec(tmp_path / "file")


def test_text_that_is_shown_to_its_end_has_no_ellipsis_there() -> None:
    place = 2 * CONTEXT
    length = place - CONTEXT + MAX_VALUE_LENGTH - 1  # the quotation marks of the text count, too
    before = RunSpec(identity={"prompt": "a" * length}, spec={})
    after = RunSpec(identity={"prompt": "a" * place + "b" + "a" * (length - place - 1)}, spec={})
    differences = before.describe_differences(after)
    assert differences.startswith("prompt was …aaa")
    assert "…," not in differences
    assert differences.endswith("aaa'")
