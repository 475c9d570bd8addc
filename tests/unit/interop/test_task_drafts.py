from pathlib import Path

import pytest
import yaml

from auricle.core.errors import SpecError
from auricle.interop.task_drafts import TaskDraft, render_task_file, select_drafts


def draft(name: str) -> TaskDraft:
    return TaskDraft("From a.yaml.", Path(), task={"kind": "qa", "name": name}, notes=["Check it."])


def test_a_task_file_has_its_notes_as_comments() -> None:
    text = render_task_file(draft("mine"))
    assert text.splitlines()[:2] == ["# From a.yaml.", "# Check it."]
    assert yaml.safe_load(text) == {"kind": "qa", "name": "mine"}


def test_texts_of_several_lines_are_blocks() -> None:
    several_lines = draft("mine")
    several_lines.task["prompt"] = "one\ntwo\n"
    assert "prompt: |\n  one\n  two\n" in render_task_file(several_lines)


def test_drafts_are_selected_by_name() -> None:
    drafts = [draft("one"), draft("two")]
    assert select_drafts(drafts, None, Path("a.py")) == drafts
    assert select_drafts(drafts, "two", Path("a.py")) == drafts[1:]
    with pytest.raises(SpecError, match=r"a.py has no dataset 'three'\. Available: one, two"):
        select_drafts(drafts, "three", Path("a.py"))
