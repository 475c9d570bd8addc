"""Tests of what the values of forms and task files may name."""

from pathlib import Path
from typing import Any

import pytest

from auricle.app.permissions import KEY_VARIABLES, TASK_TEXTS, check_task_file, check_values, find_origins, iter_strings
from auricle.app.workspace import Workspace
from auricle.core.errors import MissingExtra, SpecError
from auricle.models.catalogue import MODELS


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a workspace with data and code in an allowed folder and in another one."""
    for name in ("runs", "allowed", "allowed/sub", "other"):
        (tmp_path / name).mkdir()
    for name in ("allowed", "allowed/sub", "other"):
        (tmp_path / name / "code.py").write_text("def build(): ...")
        (tmp_path / name / "data.jsonl").write_text("{}")
        (tmp_path / name / "rubric.yaml").write_text("prompt: x")
        (tmp_path / name / "base.yaml").write_text("kind: qa\ndata: data.jsonl\n")
    return Workspace(tmp_path / "runs", (tmp_path / "allowed",), ("MY_KEY",))


# --- environment variables --------------------------------------------------------------------


def test_key_variables_are_those_of_the_models() -> None:
    variables = set()
    for name in MODELS.builtin:
        try:
            variables.add(getattr(MODELS.get(name), "default_key_env", ""))
        except MissingExtra:
            continue
    assert variables - {""} == set(KEY_VARIABLES)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GEMINI_API_KEY", "MY_KEY"])
def test_allowed_variables_are_accepted(workspace: Workspace, name: str) -> None:
    check_values(workspace, {"api_key_env": name})
    check_values(workspace, {"headers": {"Authorization": f"Bearer ${name}", "X": f"${{{name}}}"}})


@pytest.mark.parametrize(
    "values",
    [
        {"api_key_env": "AWS_SECRET_ACCESS_KEY"},
        {"api_key_env": ""},
        {"judge": {"api_key_env": "HOME"}},
        {"headers": {"X": "$AWS_SECRET_ACCESS_KEY"}},
        {"headers": {"X": "a ${HOME} $MY_KEY"}},
        {"headers": ["$HOME"]},
    ],
)
def test_other_variables_are_rejected(workspace: Workspace, values: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=r"may not use the environment variable .* --allow-env NAME.* MY_KEY"):
        check_values(workspace, values)


# --- servers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "origins"),
    [
        ({"base_url": "http://localhost:8000/v1"}, ["http://localhost:8000"]),
        ({"base_url": "http://a/v1, https://B:2/v1?x=http"}, ["http://a", "https://b:2"]),
        ({"base_url": ["http://a", "ws://b/x"]}, ["http://a", "ws://b"]),
        ({"base_url": "https://user:pass@evil.example/v1"}, ["https://evil.example"]),
        ({"base_url": "https://good.example@evil.example/v1"}, ["https://evil.example"]),
        ({"extra": {"callback": ["HTTPS://c"]}}, ["https://c"]),
        ({"base_url": "ht\ttp:/\n/evil.example"}, ["http://evil.example"]),
        ({"model": "qwen2:latest"}, []),
    ],
)
def test_servers_are_found_in_urls(values: dict[str, Any], origins: list[str]) -> None:
    assert find_origins(values) == origins


# --- paths and code ---------------------------------------------------------------------------


def test_strings_have_the_keys_that_lead_to_them() -> None:
    value = {"a": ["x", {"b": "y"}], "c": 3}
    assert list(iter_strings(value)) == [((), "a"), (("a",), "x"), (("a",), "b"), (("a", "b"), "y"), ((), "c")]


def test_text_of_a_prompt_names_no_file(workspace: Workspace) -> None:
    values = {"prompt": {"turns": [{"user": "/etc or ../x, os:system"}]}, "inferencer": {"option": "/{letter}"}}
    check_values(workspace, values, texts=TASK_TEXTS)
    with pytest.raises(SpecError):
        check_values(workspace, values)


def write_task(folder: Path, content: str, name: str = "task.yaml") -> Path:
    (folder / name).write_text(content)
    return folder / name


@pytest.mark.parametrize(
    "content",
    [
        "suite: [base.yaml, {task: sub/base.yaml, weight: 2}, {task: data.jsonl, as: qa}]\n",
        "kind: qa\ndata: data.jsonl\nprompt: 'Answer /now: {question}'\n",
        "kind: qa\ndata: sub/../data.jsonl\nrubric: rubric.yaml\n",
        "kind: code.py:build\ndata: ./data.jsonl\nmetrics: [exact_match, 'sub/code.py:build']\n",
        "extends: sub/base.yaml\nshots: {use: bm25, k: 4, pool: data.jsonl}\n",
        "kind: asr\ndata: hf:owner/name\nroot: audio\n",
    ],
)
def test_task_file_may_name_what_is_in_the_allowed_folders(workspace: Workspace, content: str) -> None:
    check_task_file(workspace, write_task(workspace.allowed_folders[0], content))


@pytest.mark.parametrize(
    "content",
    [
        "kind: qa\ndata: /etc/passwd\n",
        "suite: [sub/bad.yaml]\n",
        "suite:\n  - base.yaml\n  - {task: sub/bad.yaml, weight: 2}\n",
        "suite: [../other/base.yaml]\n",
        "suite: [linked/base.yaml]\n",
        "suite: [data.jsonl, 'os:system']\n",
        "kind: qa\ndata: ../other/data.jsonl\n",
        "kind: qa\ndata: sub/../../other/data.jsonl\n",
        "kind: qa\ndata: ~/data.jsonl\n",
        "kind: qa\ndata: hf:/etc\n",
        "kind: qa\ndata: link.jsonl\n",
        "kind: qa\ndata: linked/data.jsonl\n",
        "kind: qa\ndata: data.jsonl\nroot: /\n",
        "kind: qa\ndata: data.jsonl\nrubric: ../other/rubric.yaml\n",
        "kind: ../other/code.py:build\n",
        "kind: aisbench:/x/y.py:Z\n",
        "kind: os:system\n",
        "kind: aisbench:os:system\n",
        "kind: qa\ndata: data.jsonl\nmetrics: exact_match,os:system\n",
        "kind: qa\ndata: data.jsonl\nmetrics: [exact_match, subprocess:run]\n",
        "kind: qa\ndata: data.jsonl\nmetrics: 'exact_match,../other/code.py:build'\n",
        "kind: qa\ndata: data.jsonl\nmetrics: [exact_match, ../other/code.py:build]\n",
        "kind: qa\ndata: data.jsonl\ninferencer: {use: respond, next: ../other/code.py:build}\n",
        "kind: qa\ndata: data.jsonl\ninferencer: subprocess:run\n",
        "kind: qa\ndata: data.jsonl\nshots: {use: bm25, pool: ../other/data.jsonl}\n",
        "kind: qa\ndata: data.jsonl\nshots: {use: topk, encoder: pickle:loads}\n",
        "kind: qa\n../other/data.jsonl: 1\n",
        "extends: ../other/base.yaml\n",
        "extends: /etc/passwd\n",
        "extends: linked/base.yaml\n",
        "extends: sub/bad.yaml\n",
    ],
)
def test_task_file_may_not_name_anything_elsewhere(workspace: Workspace, tmp_path: Path, content: str) -> None:
    allowed = workspace.allowed_folders[0]
    (allowed / "link.jsonl").symlink_to(tmp_path / "other" / "data.jsonl")
    (allowed / "linked").symlink_to(tmp_path / "other")
    write_task(allowed / "sub", "kind: qa\ndata: ../../other/data.jsonl\n", "bad.yaml")
    with pytest.raises(SpecError, match=r"outside the folders the app may read|contains an import path"):
        check_task_file(workspace, write_task(allowed, content))


def test_paths_are_relative_to_where_a_linked_file_is_named(workspace: Workspace) -> None:
    """The link is in the upper folder, so `..` in the file it points to leads out of it."""
    allowed = workspace.allowed_folders[0]
    write_task(allowed / "sub", "kind: qa\ndata: ../../other/data.jsonl\n", "real.yaml")
    write_task(allowed / "sub", "kind: qa\ndata: ../other/data.jsonl\n", "upper.yaml")
    (allowed / "link.yaml").symlink_to(allowed / "sub" / "upper.yaml")
    with pytest.raises(SpecError, match="outside the folders"):
        check_task_file(workspace, write_task(allowed, "extends: link.yaml\n"))


def test_cycle_of_task_files_is_reported(workspace: Workspace) -> None:
    with pytest.raises(SpecError, match="Check for a cycle"):
        check_task_file(workspace, write_task(workspace.allowed_folders[0], "extends: task.yaml\n"))
