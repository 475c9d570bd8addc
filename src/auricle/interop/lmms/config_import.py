"""From an lmms-eval task YAML to a task file: all of it, where no function is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import COLUMN_ALIASES
from auricle.interop.lmms.config_reader import FunctionReference, TaskConfig, read_config, reject_unsupported
from auricle.interop.lmms.data import COLUMN_TEMPLATE, resolve_source
from auricle.interop.lmms.tasks import LmmsTaskOptions, build_generation

QUESTION_COLUMNS = ("question", "text", "prompt", "instruction")
"""Columns that a task file shows as {question}, whatever their names."""
PROMPT_FIELDS = ("doc_to_text", "doc_to_visual", "doc_to_target", "doc_to_choice", "doc_to_messages")
SCORING_FIELDS = ("process_results", "process_docs", "metric_list", "filter_list", "description")


@dataclass
class TaskDraft:
    """A task file in the making, and what a reader must know of it."""

    config: TaskConfig
    output_folder: Path
    """The folder that the task file's paths are taken from."""
    task: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def build(self) -> TaskDraft:
        """Fields of a task file, or a task file that names the YAML, where those cannot say it."""
        reject_unsupported(self.config, has_own_metrics=False)
        if why := self._reason_to_keep_yaml():
            self.notes.append(f"{why}, so the YAML itself is run; -T or lines here change it.")
            self.task = {"kind": f"lmms:{self._relative_path(self.config.source)}", "name": self._name}
            return self
        self.task = {"kind": "qa", "name": self._name}
        self._add_data()
        self._add_prompt()
        return self

    @property
    def _name(self) -> str:
        return str(self.config.get("task") or self.config.source.stem)

    def _relative_path(self, path: Path) -> str:
        return os.path.relpath(path.resolve(), self.output_folder.resolve())

    def _reason_to_keep_yaml(self) -> str:
        """What in it no task file can say; empty for nothing."""
        for name in (*PROMPT_FIELDS, *SCORING_FIELDS):
            if named := _first_function(self.config.get(name)):
                return f"{name} is the function {named}"
        if self.config.get("output_type", "generate_until") != "generate_until":
            return f"its output_type is {self.config.get('output_type')}"
        for name in ("description", "filter_list", "doc_to_choice"):
            if self.config.get(name):
                return f"it has {name}"
        text = str(self.config.get("doc_to_text", ""))
        if "{%" in text or "{{" in COLUMN_TEMPLATE.sub("", text):
            return "its template is more than columns"
        return "" if self._column_name("doc_to_target") else "its target is more than a column"

    def _column_name(self, name: str) -> str:
        """The column that a field names, plainly or in braces."""
        given = str(self.config.get(name, ""))
        found = COLUMN_TEMPLATE.fullmatch(given)
        return found[1] if found else given if re.fullmatch(r"\w+", given) else ""

    def _add_data(self) -> None:
        source = resolve_source(self.config, {})
        if source.data.startswith(HF_PREFIX):
            self.task |= {"data": source.data, "split": source.split}
            self.task |= {"config": source.config_name} if source.config_name else {}
            self.task |= {"revision": source.revision} if source.revision else {}
        else:
            self.task["data"] = self._relative_path(Path(source.data))
        self.task["target"] = self._column_name("doc_to_target")

    def _add_prompt(self) -> None:
        self.task["prompt"] = f"{self._media_placeholder()}{self._prompt_text()}"
        say, left = build_generation(self.config, LmmsTaskOptions())
        self.task |= {"max_tokens": say.max_tokens, "temperature": say.temperature}
        if say.stop:
            self.task["stop"] = list(say.stop)
        self.task["metrics"] = ["exact_match"]
        self.notes += left
        self.notes.append(
            "exact_match is Auricle's, which normalises answers; lmms-eval's own is "
            f"`auricle run lmms:{self._relative_path(self.config.source)}`."
        )

    def _media_placeholder(self) -> str:
        column = self._column_name("doc_to_visual")
        kinds = ("audio", "image", "video")
        found = next((kind for kind in kinds if column in COLUMN_ALIASES[kind]), "")
        if column and not found:
            raise self.config.spec_error(
                f"doc_to_visual names the column {column!r}, which a task file does not take for "
                f"a sound; run the YAML itself: auricle run lmms:{self.config.source}."
            )
        return f"{{{found}}}" if found else ""

    def _prompt_text(self) -> str:
        given = str(self.config.get("doc_to_text", ""))
        if re.fullmatch(r"\w+", given):
            given = f"{{{{{given}}}}}"
        pieces = COLUMN_TEMPLATE.split(given)  # texts and, between them, names of columns
        return "".join(
            _placeholder(piece) if at % 2 else re.sub(r"\{(\w+\??)\}", r"{{\1}}", piece)
            for at, piece in enumerate(pieces)
        )


def _placeholder(column: str) -> str:
    return f"{{{'question' if column in QUESTION_COLUMNS else column}}}"


def _first_function(value: Any) -> str:
    """The first function that a field names, itself or within."""
    if isinstance(value, FunctionReference):
        return str(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    held = value if isinstance(value, list) else []
    return next(filter(None, map(_first_function, held)), "")


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """The task of a YAML, for a task file in the folder `base`."""
    return [TaskDraft(read_config(source), output_folder).build()]


def render_task_file(draft: TaskDraft) -> str:
    """A draft as a task file, with its notes above it."""
    import yaml

    head = [f"# From {draft.config.source.name}, a task of lmms-eval."]
    head += [f"# {note}" for note in draft.notes]
    body = yaml.safe_dump(draft.task, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join(head) + "\n" + body
