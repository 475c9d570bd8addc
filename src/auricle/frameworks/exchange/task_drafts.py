"""Task files converted from configs of other frameworks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.registry import Registry

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
    rows: list[dict[str, Any]] = field(default_factory=list, kw_only=True)
    """Rows that have no file of their own yet; they are written to the task's `data`, beside the task file."""

    @property
    def name(self) -> str:
        """Name to choose the draft by."""
        return str(self.task["name"])

    def describe_use(self, path: Path) -> str:
        """Return what to do with the file once it is written."""
        return f"Check it with: auricle preview {path}"


ConfigImporter = Callable[[Path, Path], list[TaskDraft]]
"""Converts the config in a file to task files for a folder."""

CONFIG_IMPORTERS: Registry[ConfigImporter] = Registry("config importer", {}, expects=(Callable, "a function"))


def draft_tasks(source: Path, framework: str, output_folder: Path, name: str | None = None) -> list[TaskDraft]:
    """Convert the datasets of a config, or the one with this name, to task files for a folder."""
    if framework not in CONFIG_IMPORTERS:
        raise SpecError(f"--from {framework} imports results, not configs such as {source}.")
    drafts = CONFIG_IMPORTERS.get(framework)(source, output_folder)
    selected = [draft for draft in drafts if name in (None, draft.name)]
    if not selected:
        names = ", ".join(draft.name for draft in drafts)
        raise SpecError(f"{source} does not contain {name!r}. Available: {names}.")
    return selected


def render_rows(draft: TaskDraft) -> str:
    """Return the rows of a draft as JSONL."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in draft.rows)


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
