"""Convert `prompt_template` and `ice_template` of an AISBench config to Auricle's prompts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.interop.aisbench.prompts import ROLES_FROM_AISBENCH

FIELD_PATTERN = r"\{%s\}"


class TemplateConverter:
    """Converts the templates of one config."""

    def __init__(self, source: Path, infer_config: Mapping[str, Any], output_column: str) -> None:
        self._source, self._output_column = source, output_column
        self.notes: list[str] = []
        self._example_template = infer_config.get("ice_template")
        self._prompt_template = infer_config.get("prompt_template") or self._example_template
        if not isinstance(self._prompt_template, Mapping) or "template" not in self._prompt_template:
            raise SpecError(f"{source}: infer_cfg has no template.")
        self._example_token = str(self._prompt_template.get("ice_token") or "")
        self._has_examples = str((infer_config.get("retriever") or {}).get("type", "ZeroRetriever")) != "ZeroRetriever"

    def convert_prompt(self) -> Any:
        assert isinstance(self._prompt_template, Mapping)
        template = self._prompt_template["template"]
        if isinstance(template, str):
            return self._convert_text(template)
        if not isinstance(template, Mapping) or not {*template} <= {"begin", "round", "end"}:
            raise SpecError(
                f"{self._source}: a template per label needs PPLInferencer; "
                "GenInferencer needs a text or {begin, round, end}."
            )
        return self._convert_messages(template)

    def _convert_text(self, template: str) -> Any:
        """Convert a text template; examples replace its ice_token."""
        prompt = self._remove_answer(template)
        if not self._example_token:
            return prompt
        if not self._has_examples:
            return prompt.replace(self._example_token, "")
        example_section = (
            self._example_template if isinstance(self._example_template, Mapping) else self._prompt_template
        )
        assert isinstance(example_section, Mapping)
        example_template = example_section["template"]
        if not isinstance(example_template, str):
            raise SpecError(f"{self._source}: ice_template should be a text, like the prompt.")
        return {
            "turns": prompt.replace(self._example_token, "{examples}", 1).replace(self._example_token, ""),
            "examples": self._insert_target(example_template.replace(self._example_token, "")),
            "separator": "\n",
        }

    def _convert_messages(self, template: Mapping[str, Any]) -> Any:
        begin = self._merge_messages(template.get("begin") or [])
        turns = [dict(message) for message in begin]
        for message in self._merge_messages(template.get("round") or []):
            _append_message(turns, *next(iter(message.items())))
        if turns and "assistant" in turns[-1]:
            turns.pop()  # the model's answer
        system = "\n".join(turn["system"] for turn in turns if "system" in turn)
        turns = [
            {role: self._remove_answer(text) for role, text in turn.items()} for turn in turns if "system" not in turn
        ]
        prompt: dict[str, Any] = {"system": self._remove_answer(system)} if system else {}
        if self._has_examples and isinstance(self._example_template, Mapping):
            prompt["examples"] = self._convert_examples(self._example_template["template"])
            if any("system" not in message for message in begin):
                self.notes.append("The messages of `begin` come after the examples here.")
        if template.get("end"):
            self.notes.append("The template's `end` is ignored: nothing follows an answer.")
        is_plain = len(turns) == 1 and not prompt
        return turns[0]["user"] if is_plain and "user" in turns[0] else {**prompt, "turns": turns}

    def _convert_examples(self, template: Any) -> list[dict[str, str]]:
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: ice_template should be messages, like the prompt.")
        messages = self._merge_messages(template.get("round") or [])
        return [{role: self._insert_target(text) for role, text in message.items()} for message in messages]

    def _merge_messages(self, items: Any) -> list[dict[str, str]]:
        messages = items if isinstance(items, list) else [items]
        merged: list[dict[str, str]] = []
        for message in messages:
            if isinstance(message, Mapping) and message.get("role") in ROLES_FROM_AISBENCH:
                _append_message(merged, ROLES_FROM_AISBENCH[message["role"]], _message_text(message))
            elif isinstance(message, str) and message.strip() in ("", self._example_token):
                continue
            else:
                raise SpecError(
                    f"{self._source}: a message should have a role "
                    f"({', '.join(list(ROLES_FROM_AISBENCH)[:3])}) and a prompt, not {message!r}."
                )
        return merged

    def convert_by_label(self, labels: Any) -> dict[str, Any]:
        """Return one prompt per label, each including its answer."""
        assert isinstance(self._prompt_template, Mapping)
        template = self._prompt_template["template"]
        if isinstance(template, Mapping) and not {*template} <= {"begin", "round", "end"}:
            return {str(label): self._convert_labelled(label_template) for label, label_template in template.items()}
        if not labels:
            raise SpecError(
                f"{self._source}: PPLInferencer would read its labels from the data. "
                "List them as labels=[…], or write a template per label."
            )
        return {str(label): self._convert_labelled(template, str(label)) for label in labels}

    def _convert_labelled(self, template: Any, label: str | None = None) -> Any:
        """Convert a template with a label's answer to a text or messages."""
        if isinstance(template, str):
            return self._insert_label(
                template.replace(self._example_token, "") if self._example_token else template, label
            )
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: a template should be a text or messages.")
        messages = [
            *self._merge_messages(template.get("begin") or []),
            *self._merge_messages(template.get("round") or []),
        ]
        return [{role: self._insert_label(text, label) for role, text in message.items()} for message in messages]

    def _insert_label(self, text: str, label: str | None) -> str:
        if label is None or not self._output_column:
            return text
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), lambda _: label, text)

    def _remove_answer(self, text: str) -> str:
        """Remove the answer's column, as AISBench does when it generates."""
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), "", text) if self._output_column else text

    def _insert_target(self, text: str) -> str:
        if not self._output_column:
            return text
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), "{target}", text)


def _append_message(messages: list[dict[str, str]], role: str, text: str) -> None:
    """Append a message; consecutive messages of one role are merged, as in AISBench."""
    if messages and role in messages[-1]:
        messages[-1] = {role: f"{messages[-1][role]}\n{text}"}
    else:
        messages.append({role: text})


def _message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, preceded by the fields of its media."""
    parts = message.get("prompt_mm")
    if not isinstance(parts, Mapping):
        return str(message.get("prompt", ""))
    text, media = "", ""
    for part in parts.values():
        kind = str(part.get("type", "text"))
        content = part.get(kind, "")
        if kind == "text":
            text += str(content)
        else:
            url = str(content.get("url", "") if isinstance(content, Mapping) else content)
            media += "".join(re.findall(r"\{\w+\}", url)[-1:])
    return media + text
