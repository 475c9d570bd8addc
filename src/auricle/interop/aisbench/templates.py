"""`prompt_template` and `ice_template` of an AISBench config, as a prompt of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.interop.aisbench.prompts import ROLES_FROM_AISBENCH

FIELD_PATTERN = r"\{%s\}"


class TemplateConverter:
    """`prompt_template` and `ice_template` as a prompt of ours."""

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
                f"{self._source}: a template by label is for PPLInferencer; "
                "GenInferencer wants a text or {begin, round, end}."
            )
        return self._convert_messages(template)

    def _convert_text(self, template: str) -> Any:
        """A text; examples stand where its ice_token does."""
        asked = self._remove_answer(template)
        if not self._example_token:
            return asked
        if not self._has_examples:
            return asked.replace(self._example_token, "")
        examples = self._example_template if isinstance(self._example_template, Mapping) else self._prompt_template
        assert isinstance(examples, Mapping)
        shown = examples["template"]
        if not isinstance(shown, str):
            raise SpecError(f"{self._source}: ice_template should be a text as the prompt is.")
        return {
            "turns": asked.replace(self._example_token, "{examples}", 1).replace(self._example_token, ""),
            "examples": self._insert_target(shown.replace(self._example_token, "")),
            "separator": "\n",
        }

    def _convert_messages(self, template: Mapping[str, Any]) -> Any:
        begin = self._merge_messages(template.get("begin") or [])
        turns = [dict(each) for each in begin]
        for each in self._merge_messages(template.get("round") or []):
            _append_message(turns, *next(iter(each.items())))
        if turns and "assistant" in turns[-1]:
            turns.pop()  # what the model is to say itself
        system = "\n".join(each["system"] for each in turns if "system" in each)
        turns = [
            {role: self._remove_answer(text) for role, text in each.items()} for each in turns if "system" not in each
        ]
        found: dict[str, Any] = {"system": self._remove_answer(system)} if system else {}
        if self._has_examples and isinstance(self._example_template, Mapping):
            found["examples"] = self._convert_examples(self._example_template["template"])
            if any("system" not in each for each in begin):
                self.notes.append("What `begin` says stands after the examples here.")
        if template.get("end"):
            self.notes.append("The template's `end` is left out: nothing follows an answer.")
        plain = len(turns) == 1 and not found
        return turns[0]["user"] if plain and "user" in turns[0] else {**found, "turns": turns}

    def _convert_examples(self, template: Any) -> list[dict[str, str]]:
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: ice_template should be messages as the prompt is.")
        said = self._merge_messages(template.get("round") or [])
        return [{role: self._insert_target(text) for role, text in each.items()} for each in said]

    def _merge_messages(self, items: Any) -> list[dict[str, str]]:
        listed = items if isinstance(items, list) else [items]
        found: list[dict[str, str]] = []
        for each in listed:
            if isinstance(each, Mapping) and each.get("role") in ROLES_FROM_AISBENCH:
                _append_message(found, ROLES_FROM_AISBENCH[each["role"]], _message_text(each))
            elif isinstance(each, str) and each.strip() in ("", self._example_token):
                continue
            else:
                raise SpecError(
                    f"{self._source}: a message should have a role "
                    f"({', '.join(list(ROLES_FROM_AISBENCH)[:3])}) and a prompt, not {each!r}."
                )
        return found

    def convert_by_label(self, labels: Any) -> dict[str, Any]:
        """Each label's own prompt, the answer in it."""
        assert isinstance(self._prompt_template, Mapping)
        template = self._prompt_template["template"]
        if isinstance(template, Mapping) and not {*template} <= {"begin", "round", "end"}:
            return {str(label): self._convert_labelled(each) for label, each in template.items()}
        if not labels:
            raise SpecError(
                f"{self._source}: PPLInferencer takes its labels from the data here; name "
                "them: labels=[…], or a template for each."
            )
        return {str(label): self._convert_labelled(template, str(label)) for label in labels}

    def _convert_labelled(self, template: Any, label: str | None = None) -> Any:
        """A prompt with a label's answer, as text or as messages."""
        if isinstance(template, str):
            return self._insert_label(
                template.replace(self._example_token, "") if self._example_token else template, label
            )
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: a template should be a text or messages.")
        said = [*self._merge_messages(template.get("begin") or []), *self._merge_messages(template.get("round") or [])]
        return [{r: self._insert_label(text, label) for r, text in each.items()} for each in said]

    def _insert_label(self, text: str, label: str | None) -> str:
        if label is None or not self._output_column:
            return text
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), lambda _: label, text)

    def _remove_answer(self, text: str) -> str:
        """The answer's column is left empty, as AISBench does when it generates."""
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), "", text) if self._output_column else text

    def _insert_target(self, text: str) -> str:
        if not self._output_column:
            return text
        return re.sub(FIELD_PATTERN % re.escape(self._output_column), "{target}", text)


def _append_message(messages: list[dict[str, str]], role: str, text: str) -> None:
    """One more message; two of one role in a row are one, as AISBench has it."""
    if messages and role in messages[-1]:
        messages[-1] = {role: f"{messages[-1][role]}\n{text}"}
    else:
        messages.append({role: text})


def _message_text(message: Mapping[str, Any]) -> str:
    """What a message says; of media, the field in their place, before the text."""
    parts = message.get("prompt_mm")
    if not isinstance(parts, Mapping):
        return str(message.get("prompt", ""))
    texts, media = "", ""
    for part in parts.values():
        kind = str(part.get("type", "text"))
        held = part.get(kind, "")
        if kind == "text":
            texts += str(held)
        else:
            url = str(held.get("url", "") if isinstance(held, Mapping) else held)
            media += "".join(re.findall(r"\{\w+\}", url)[-1:])
    return media + texts
