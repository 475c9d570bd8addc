"""From an lmms-eval task YAML to a task file: all of it, where no function is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.data.huggingface import PREFIX
from auricle.data.manifest import COLUMNS
from auricle.interop.lmms.config_reader import Config, Named, read, refuse_unknown
from auricle.interop.lmms.data import SIMPLE, source_of
from auricle.interop.lmms.task import Options, saying_of

QUESTIONS = ("question", "text", "prompt", "instruction")
"""Columns that a task file shows as {question}, whatever their names."""
ASKED = ("doc_to_text", "doc_to_visual", "doc_to_target", "doc_to_choice", "doc_to_messages")
SCORED = ("process_results", "process_docs", "metric_list", "filter_list", "description")


@dataclass
class Draft:
    """A task file in the making, and what a reader must know of it."""

    config: Config
    base: Path
    """The folder that the task file's paths are taken from."""
    task: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def made(self) -> Draft:
        """Fields of a task file, or a task file that names the YAML, where those cannot say it."""
        refuse_unknown(self.config, ours=False)
        if why := self._needs_itself():
            self.notes.append(f"{why}, so the YAML itself is run; -T or lines here change it.")
            self.task = {"kind": f"lmms:{self._path(self.config.source)}", "name": self._name}
            return self
        self.task = {"kind": "qa", "name": self._name}
        self._data()
        self._asked()
        return self

    @property
    def _name(self) -> str:
        return str(self.config.get("task") or self.config.source.stem)

    def _path(self, path: Path) -> str:
        return os.path.relpath(path.resolve(), self.base.resolve())

    def _needs_itself(self) -> str:
        """What in it no task file can say; empty for nothing."""
        for name in (*ASKED, *SCORED):
            if named := _function(self.config.get(name)):
                return f"{name} is the function {named}"
        if self.config.get("output_type", "generate_until") != "generate_until":
            return f"its output_type is {self.config.get('output_type')}"
        for name in ("description", "filter_list", "doc_to_choice"):
            if self.config.get(name):
                return f"it has {name}"
        text = str(self.config.get("doc_to_text", ""))
        if "{%" in text or "{{" in SIMPLE.sub("", text):
            return "its template is more than columns"
        return "" if self._column("doc_to_target") else "its target is more than a column"

    def _column(self, name: str) -> str:
        """The column that a field names, plainly or in braces."""
        given = str(self.config.get(name, ""))
        found = SIMPLE.fullmatch(given)
        return found[1] if found else given if re.fullmatch(r"\w+", given) else ""

    def _data(self) -> None:
        source = source_of(self.config, {})
        if source.data.startswith(PREFIX):
            self.task |= {"data": source.data, "split": source.split}
            self.task |= {"config": source.name} if source.name else {}
            self.task |= {"revision": source.revision} if source.revision else {}
        else:
            self.task["data"] = self._path(Path(source.data))
        self.task["target"] = self._column("doc_to_target")

    def _asked(self) -> None:
        self.task["prompt"] = f"{self._seen()}{self._text()}"
        say, left = saying_of(self.config, Options())
        self.task |= {"max_tokens": say.max_tokens, "temperature": say.temperature}
        if say.stop:
            self.task["stop"] = list(say.stop)
        self.task["metrics"] = ["exact_match"]
        self.notes += left
        self.notes.append(
            "exact_match is Auricle's, which normalises answers; lmms-eval's own is "
            f"`auricle run lmms:{self._path(self.config.source)}`."
        )

    def _seen(self) -> str:
        column = self._column("doc_to_visual")
        kinds = ("audio", "image", "video")
        found = next((kind for kind in kinds if column in COLUMNS[kind]), "")
        if column and not found:
            raise self.config.refuse(
                f"doc_to_visual names the column {column!r}, which a task file does not take for "
                f"a sound; run the YAML itself: auricle run lmms:{self.config.source}."
            )
        return f"{{{found}}}" if found else ""

    def _text(self) -> str:
        given = str(self.config.get("doc_to_text", ""))
        if re.fullmatch(r"\w+", given):
            given = f"{{{{{given}}}}}"
        pieces = SIMPLE.split(given)  # texts and, between them, names of columns
        return "".join(
            _shown(piece) if at % 2 else re.sub(r"\{(\w+\??)\}", r"{{\1}}", piece)
            for at, piece in enumerate(pieces)
        )


def _shown(column: str) -> str:
    return f"{{{'question' if column in QUESTIONS else column}}}"


def _function(value: Any) -> str:
    """The first function that a field names, itself or within."""
    if isinstance(value, Named):
        return str(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    held = value if isinstance(value, list) else []
    return next(filter(None, map(_function, held)), "")


def tasks_of(source: Path, base: Path) -> list[Draft]:
    """The task of a YAML, for a task file in the folder `base`."""
    return [Draft(read(source), base).made()]


def written(draft: Draft) -> str:
    """A draft as a task file, with its notes above it."""
    import yaml

    head = [f"# From {draft.config.source.name}, a task of lmms-eval."]
    head += [f"# {note}" for note in draft.notes]
    body = yaml.safe_dump(draft.task, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join(head) + "\n" + body
