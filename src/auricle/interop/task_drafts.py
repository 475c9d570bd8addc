"""Task files converted from configs of other frameworks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

YAML_STRING_TAG = "tag:yaml.org,2002:str"


@dataclass
class TaskDraft:
    """A converted task file, with notes for its reader."""

    title: str
    """First line of the task file, as a comment."""
    output_folder: Path
    """Folder that the task file's paths are relative to."""
    task: dict[str, Any] = field(default_factory=dict, kw_only=True)
    notes: list[str] = field(default_factory=list, kw_only=True)


def select_drafts(drafts: Sequence[TaskDraft], name: str | None, source: Path) -> list[TaskDraft]:
    """Return the draft with this name, or all drafts if the name is None."""
    selected = [draft for draft in drafts if name in (None, draft.task["name"])]
    if not selected:
        names = ", ".join(draft.task["name"] for draft in drafts)
        raise SpecError(f"{source} has no dataset {name!r}. Available: {names}.")
    return selected


def render_task_file(draft: TaskDraft) -> str:
    """Return the YAML of a task file, with its notes as comments."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes texts of several lines as blocks."""

    Dumper.add_representer(
        str, lambda dumper, text: dumper.represent_scalar(YAML_STRING_TAG, text, style="|" if "\n" in text else None)
    )
    comments = "".join(f"# {line}\n" for line in (draft.title, *draft.notes))
    return comments + yaml.dump(draft.task, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
