from pathlib import Path

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.task_drafts import TaskDraft, draft_tasks, render_rows, render_task_file


def draft(name: str) -> TaskDraft:
    return TaskDraft("From a.yaml.", Path(), task={"kind": "qa", "name": name}, notes=["Check it."])


def test_a_task_file_has_its_notes_as_comments() -> None:
    text = render_task_file(draft("mine"))
    assert text.splitlines()[:2] == ["# From a.yaml.", "# Check it."]
    assert yaml.safe_load(text) == {"kind": "qa", "name": "mine"}


def test_rows_of_a_draft_are_lines_of_json() -> None:
    draft = TaskDraft("From x.py.", Path(), rows=[{"question": "Wo?", "answer": "Köln"}, {"answer": 1}])
    assert render_rows(draft) == '{"question": "Wo?", "answer": "Köln"}\n{"answer": 1}\n'


def test_texts_of_several_lines_are_blocks() -> None:
    several_lines = draft("mine")
    several_lines.task["prompt"] = "one\ntwo\n"
    assert "prompt: |\n  one\n  two\n" in render_task_file(several_lines)


CONFIG = """
first_datasets = [dict(abbr="one", path="one.jsonl", infer_cfg=dict(prompt_template=dict(template="{question}")))]
second_datasets = [dict(abbr="two", path="two.jsonl", infer_cfg=dict(prompt_template=dict(template="{question}")))]
"""


def test_drafts_are_selected_by_name(tmp_path: Path) -> None:
    config = tmp_path / "config.py"
    config.write_text(CONFIG)
    names = [draft.task["name"] for draft in draft_tasks(config, "aisbench", tmp_path)]
    assert names == ["one", "two"]
    (second,) = draft_tasks(config, "aisbench", tmp_path, "two")
    assert second.task["name"] == "two"
    with pytest.raises(SpecError, match=r"config.py does not contain 'three'\. Available: one, two"):
        draft_tasks(config, "aisbench", tmp_path, "three")


def test_frameworks_without_configs_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"--from kimi imports results, not configs such as a\.yaml"):
        draft_tasks(Path("a.yaml"), "kimi", tmp_path)
