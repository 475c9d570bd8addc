"""Convert lmms-eval's task YAMLs to task files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import COLUMN_ALIASES
from auricle.frameworks.exchange.task_drafts import TaskDraft
from auricle.frameworks.lmms.config_reader import FunctionReference, TaskConfig, read_config, reject_unsupported
from auricle.frameworks.lmms.data import COLUMN_TEMPLATE, resolve_source
from auricle.frameworks.lmms.groups import format_member, is_group, list_members
from auricle.frameworks.lmms.tasks import LmmsTaskOptions, build_generation

QUESTION_COLUMNS = ("question", "text", "prompt", "instruction")
"""Columns that a task file calls {question}."""
PROMPT_FIELDS = ("doc_to_text", "doc_to_visual", "doc_to_target", "doc_to_choice", "doc_to_messages")
SCORING_FIELDS = ("process_results", "process_docs", "metric_list", "filter_list", "description")


@dataclass
class LmmsTaskDraft(TaskDraft):
    """A task file converted from a task YAML of lmms-eval."""

    config: TaskConfig
    yaml_path: str
    """What `lmms:` runs: the file, or `GROUP.yaml:NAME`."""

    def build(self) -> LmmsTaskDraft:
        """Fill in the fields of the task file, or refer to the YAML if a task file cannot express it."""
        reject_unsupported(self.config, has_own_metrics=False)
        if reason := self._reason_to_keep_yaml():
            self.notes.append(f"{reason}, so the task file runs the YAML itself; override it with -T or fields here.")
            self.task = {"kind": f"lmms:{self._yaml_reference}", "name": self._name}
            return self
        self.task = {"kind": "qa", "name": self._name}
        self._add_data()
        self._add_prompt()
        return self

    @property
    def _name(self) -> str:
        return str(self.config.get("task") or self.config.source.stem)

    @property
    def _yaml_reference(self) -> str:
        folder, _, file = self.yaml_path.rpartition("/")
        return f"{self._relative_path(Path(folder or '.'))}/{file}".removeprefix("./")

    def _relative_path(self, path: Path) -> str:
        return os.path.relpath(path.resolve(), self.output_folder.resolve())

    def _reason_to_keep_yaml(self) -> str:
        """Return what a task file cannot express, or "" if there is nothing."""
        for name in (*PROMPT_FIELDS, *SCORING_FIELDS):
            if function := _first_function(self.config.get(name)):
                return f"{name} is the function {function}"
        if self.config.get("output_type", "generate_until") != "generate_until":
            return f"its output_type is {self.config.get('output_type')}"
        for name in ("description", "filter_list", "doc_to_choice"):
            if self.config.get(name):
                return f"it has {name}"
        text = str(self.config.get("doc_to_text", ""))
        if "{%" in text or "{{" in COLUMN_TEMPLATE.sub("", text):
            return "its template contains more than columns"
        return "" if self._column_name("doc_to_target") else "its target is not a single column"

    def _column_name(self, name: str) -> str:
        """Return the column that a field names, with or without braces."""
        value = str(self.config.get(name, ""))
        match = COLUMN_TEMPLATE.fullmatch(value)
        return match[1] if match else value if re.fullmatch(r"\w+", value) else ""

    def _add_data(self) -> None:
        source = resolve_source(self.config, {})
        if source.data.startswith(HF_PREFIX):
            self.task |= {"data": source.data, "split": source.split}
            self.task |= {"config": source.config_name} if source.config_name else {}
            self.task |= {"revision": source.revision} if source.revision else {}
        else:
            self.task["data"] = self._relative_path(Path(source.data))
        self.task["target"] = self._column_name("doc_to_target")
        if cluster := self.config.get("cluster_key"):
            self.task["cluster"] = cluster

    def _add_prompt(self) -> None:
        self.task["prompt"] = f"{self._media_placeholder()}{self._prompt_text()}"
        generation, notes = build_generation(self.config, LmmsTaskOptions())
        self.task |= {"max_tokens": generation.max_tokens, "temperature": generation.temperature}
        if generation.stop:
            self.task["stop"] = list(generation.stop)
        self.task["metrics"] = ["exact_match"]
        self.notes += notes
        self.notes.append(
            "exact_match is Auricle's metric, which normalises answers; for lmms-eval's, use "
            f"`auricle run lmms:{self._yaml_reference}`."
        )

    def _media_placeholder(self) -> str:
        column = self._column_name("doc_to_visual")
        kinds = ("audio", "image", "video")
        media_kind = next((kind for kind in kinds if column in COLUMN_ALIASES[kind]), "")
        if column and not media_kind:
            raise self.config.spec_error(
                f"doc_to_visual names the column {column!r}, which a task file does not recognise as media. "
                f"Run the YAML itself: auricle run lmms:{self.config.source}."
            )
        return f"{{{media_kind}}}" if media_kind else ""

    def _prompt_text(self) -> str:
        template = str(self.config.get("doc_to_text", ""))
        if re.fullmatch(r"\w+", template):
            template = f"{{{{{template}}}}}"
        pieces = COLUMN_TEMPLATE.split(template)  # text and column names alternate
        return "".join(
            f"{{{'question' if piece in QUESTION_COLUMNS else piece}}}"
            if index % 2
            else re.sub(r"\{(\w+\??)\}", r"{{\1}}", piece)
            for index, piece in enumerate(pieces)
        )


def _first_function(value: Any) -> str:
    """Return the first function that a field contains, or ""."""
    if isinstance(value, FunctionReference):
        return str(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    items = value if isinstance(value, list) else []
    return next(filter(None, map(_first_function, items)), "")


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """Convert a task YAML, or those of a group, to task files for the folder `output_folder`."""
    title = f"From {source.name}, a task of lmms-eval."
    config = read_config(source)
    if not is_group(config):
        return [LmmsTaskDraft(title, output_folder, config, str(source)).build()]
    return [
        LmmsTaskDraft(title, output_folder, member.overridden_config, format_member(config, member)).build()
        for member in list_members(config)
    ]
