"""lmms-eval's task YAMLs as task files: read, never run, and runnable."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.interop.lmms.config_import import draft_tasks, render_task_file
from auricle.runs.run_directory import Run

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
def source(tmp_path: Path, tone: Any, manifest: Any) -> Any:
    tone("a.wav")
    manifest([{"audio": "a.wav", "question": "who?", "answer": "me", "extra": "x"}], "rows.jsonl")

    def write(text: Any, name: str = "theirs.yaml") -> Any:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def drafted(path: Any) -> Any:
    (draft,) = draft_tasks(path, path.parent)
    return draft


def test_a_yaml_without_functions_becomes_a_task_file_of_its_own(source: Any) -> None:
    draft = drafted(source(PLAIN))
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


def test_a_dataset_of_the_hub_keeps_its_name_config_and_split(source: Any) -> None:
    text = PLAIN.replace("dataset_path: json", "dataset_path: lab/mine\ndataset_name: en")
    text = text.replace("data_files: rows.jsonl", "token: true")
    task = drafted(source(text)).task
    assert (task["data"], task["config"], task["split"]) == ("hf:lab/mine", "en", "test")


def test_a_column_alone_is_shown(source: Any) -> None:
    text = PLAIN.replace('"Listen {to} {{ question }}"', "extra")
    assert drafted(source(text)).task["prompt"] == "{audio}{extra}"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("doc_to_text: !function utils.text", "doc_to_text is the function utils.text"),
        ("metric_list: [{metric: a, aggregation: !function utils.a}]", "metric_list is the"),
        ("output_type: multiple_choice", "its output_type is multiple_choice"),
        ('description: "First."', "it has description"),
        ('doc_to_text: "{% if a %}b{% endif %}"', "its template is more than columns"),
        ('doc_to_target: "{{answer}}!"', "its target is more than a column"),
    ],
)
def test_what_a_task_file_cannot_say_is_left_to_the_yaml_itself(source: Any, more: str, why: str) -> None:
    name = more.partition(":")[0]
    kept = [line for line in PLAIN.splitlines() if not line.startswith(f"{name}:")]
    draft = drafted(source("\n".join([*kept, more])))
    assert draft.task == {"kind": "lmms:theirs.yaml", "name": "plain"}
    assert draft.notes[0].startswith(why)


def test_a_column_that_is_no_sound_is_refused(source: Any) -> None:
    with pytest.raises(SpecError, match="'speech', which a task file does not take for a sound"):
        drafted(source(PLAIN.replace("doc_to_visual: audio", "doc_to_visual: speech")))


def test_both_kinds_of_task_file_run_from_another_folder(source: Any, auricle: Any, tmp_path: Path) -> None:
    path = source(PLAIN)
    (tmp_path / "say.py").write_text("def said(text) -> str:\n    return text\n")
    source(f'{PLAIN}\ndescription: "Hear. "\n', "other.yaml")
    for name in (path.name, "other.yaml"):
        done = auricle("import", name, "--from", "lmms-eval", "-o", f"ours/{name}")
        assert done.returncode == 0, done.stderr
        done = auricle("run", f"ours/{name}", "-m", "say.py:said", "-o", f"run-{name}")
        assert done.returncode == 0, done.stderr
    texts = [
        next(iter(Run.load(tmp_path / f"run-{name}").records())).outputs[0].text
        for name in ("theirs.yaml", "other.yaml")
    ]
    assert texts == ["Listen {to} who?", "Hear. Listen {to} who?"]


def test_a_task_file_may_change_what_the_yaml_says(source: Any, auricle: Any, tmp_path: Path) -> None:
    source(f'{PLAIN}\ndescription: "Hear. "\n')
    (tmp_path / "ours.yaml").write_text("kind: lmms:theirs.yaml\nmax_tokens: 3\n")
    done = auricle("preview", "ours.yaml")
    assert done.returncode == 0, done.stderr
    assert "Hear. Listen {to} who?" in done.stdout
    assert "max_tokens=3" in done.stdout


def test_other_frameworks_have_no_such_file(source: Any, auricle: Any) -> None:
    done = auricle("import", source(PLAIN).name, "--from", "kimi")
    assert done.returncode == 2
    assert "is no config that --from kimi reads" in done.stderr
