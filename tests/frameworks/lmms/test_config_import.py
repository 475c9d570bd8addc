"""Task YAMLs of lmms-eval are converted to task files without running their functions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.task_drafts import TaskDraft, render_task_file
from auricle.frameworks.lmms.config_import import draft_tasks
from auricle.runs.run_directory import Run

YamlWriter = Callable[..., Path]
PLAIN = """
task: plain
dataset_path: json
dataset_kwargs: {data_files: rows.jsonl}
test_split: test
doc_to_visual: audio
doc_to_text: "Listen {to} {{ question }}"
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8, temperature: 0, until: ["."]}
metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true}]
"""


@pytest.fixture
def write_yaml(tmp_path: Path, tone: Any, manifest: Any) -> YamlWriter:
    """Write a task YAML beside its data."""
    tone("a.wav")
    manifest([{"audio": "a.wav", "question": "who?", "answer": "me", "extra": "x"}], "rows.jsonl")

    def write(text: str, name: str = "theirs.yaml") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def draft_task(path: Path) -> TaskDraft:
    (draft,) = draft_tasks(path, path.parent)
    return draft


def test_a_yaml_without_functions_is_converted(write_yaml: YamlWriter) -> None:
    draft = draft_task(write_yaml(PLAIN))
    assert yaml.safe_load(render_task_file(draft)) == {
        "kind": "qa",
        "name": "plain",
        "data": "rows.jsonl",
        "target": "answer",
        "prompt": "{audio}Listen {{to}} {question}",
        "max_tokens": 8,
        "temperature": 0.0,
        "stop": ["."],
        "metrics": ["exact_match"],
    }
    assert "auricle run lmms:theirs.yaml" in draft.notes[-1]


def test_a_hub_dataset_keeps_its_name_config_and_split(write_yaml: YamlWriter) -> None:
    text = PLAIN.replace("dataset_path: json", "dataset_path: lab/mine\ndataset_name: en")
    text = text.replace("data_files: rows.jsonl", "token: true")
    task = draft_task(write_yaml(text)).task
    assert (task["data"], task["config"], task["split"]) == ("hf:lab/mine", "en", "test")


def test_a_single_column_is_a_prompt(write_yaml: YamlWriter) -> None:
    text = PLAIN.replace('"Listen {to} {{ question }}"', "extra")
    assert draft_task(write_yaml(text)).task["prompt"] == "{audio}{extra}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("doc_to_text: !function utils.text", "doc_to_text is the function utils.text"),
        ("metric_list: [{metric: a, aggregation: !function utils.a}]", "metric_list is the"),
        ("output_type: multiple_choice", "its output_type is multiple_choice"),
        ('description: "First."', "it has description"),
        ('doc_to_text: "{% if a %}b{% endif %}"', "its template contains more than columns"),
        ('doc_to_target: "{{answer}}!"', "its target is not a single column"),
    ],
)
def test_a_yaml_that_cannot_be_converted_is_referenced(write_yaml: YamlWriter, line: str, reason: str) -> None:
    name = line.partition(":")[0]
    other_lines = [line for line in PLAIN.splitlines() if not line.startswith(f"{name}:")]
    draft = draft_task(write_yaml("\n".join([*other_lines, line])))
    assert draft.task == {"kind": "lmms:theirs.yaml", "name": "plain"}
    assert draft.notes[0].startswith(reason)


def test_an_unknown_media_column_is_rejected(write_yaml: YamlWriter) -> None:
    with pytest.raises(SpecError, match="'speech', which a task file does not recognise as media"):
        draft_task(write_yaml(PLAIN.replace("doc_to_visual: audio", "doc_to_visual: speech")))


@pytest.mark.slow
def test_both_kinds_of_task_file_run_from_another_folder(write_yaml: YamlWriter, auricle: Any, tmp_path: Path) -> None:
    path = write_yaml(PLAIN)
    (tmp_path / "say.py").write_text("def repeat(text) -> str:\n    return text\n")
    write_yaml(f'{PLAIN}\ndescription: "Hear. "\n', "other.yaml")
    for name in (path.name, "other.yaml"):
        result = auricle("import", name, "--from", "lmms-eval", "-o", f"ours/{name}")
        assert result.returncode == 0, result.stderr
        result = auricle("run", f"ours/{name}", "-m", "say.py:repeat", "-o", f"run-{name}")
        assert result.returncode == 0, result.stderr
    texts = [
        getattr(next(iter(Run.load(tmp_path / f"run-{name}").records())).outputs[0], "text", "")
        for name in ("theirs.yaml", "other.yaml")
    ]
    assert texts == ["Listen {to} who?", "Hear. Listen {to} who?"]


def test_a_task_file_may_override_the_yaml(write_yaml: YamlWriter, auricle: Any, tmp_path: Path) -> None:
    write_yaml(f'{PLAIN}\ndescription: "Hear. "\n')
    (tmp_path / "ours.yaml").write_text("kind: lmms:theirs.yaml\nmax_tokens: 3\n")
    result = auricle("preview", "ours.yaml")
    assert result.returncode == 0, result.stderr
    assert "Hear. Listen {to} who?" in result.stdout
    assert "max_tokens=3" in result.stdout


def test_other_frameworks_have_no_importable_config(write_yaml: YamlWriter, auricle: Any) -> None:
    result = auricle("import", write_yaml(PLAIN).name, "--from", "kimi")
    assert result.returncode == 2
    assert "--from kimi imports results, not configs" in result.stderr


def test_each_task_of_a_group_becomes_a_task_file(write_yaml: YamlWriter) -> None:
    write_yaml(PLAIN)
    write_yaml(
        PLAIN.replace("task: plain", "task: other").replace("doc_to_target: answer", "doc_to_target: '{{ a }}!'")
    )
    group = write_yaml("group: both\ntest_split: test\ntask: [other]\n", "group.yaml")
    (draft,) = draft_tasks(group, group.parent)
    assert draft.task == {"kind": "lmms:group.yaml:other", "name": "other"}
