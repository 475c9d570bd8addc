"""Convert the prompt templates of AISBench's configs to prompts of task files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.data.prompts.template import EXAMPLES_PLACEHOLDER
from auricle.frameworks.aisbench.adapters import ROLES_FROM_AISBENCH

EXAMPLES_TURN = {"user": EXAMPLES_PLACEHOLDER}
"""The turn that examples replace."""
MESSAGE_SECTIONS = {"begin", "round", "end"}
"""Keys of a template that consists of messages."""


class TemplateConverter:
    """Converts the templates of one config."""

    def __init__(self, source: Path, infer_config: Mapping[str, Any], output_column: str) -> None:
        self._source, self._output_column = source, output_column
        self.notes: list[str] = []
        self._example_template = infer_config.get("ice_template")
        prompt_template = infer_config.get("prompt_template") or self._example_template
        if not isinstance(prompt_template, Mapping) or "template" not in prompt_template:
            raise SpecError(f"{source}: infer_cfg has no template.")
        self._template = prompt_template["template"]
        self._example_token = str(prompt_template.get("ice_token") or "")
        self._retriever: Mapping[str, Any] = infer_config.get("retriever") or {}
        self._has_examples = str(self._retriever.get("type", "ZeroRetriever")) != "ZeroRetriever"

    @property
    def _separator(self) -> str:
        """Return the text after each example that is written as text."""
        between, after = (str(self._retriever.get(key, "\n")) for key in ("ice_separator", "ice_eos_token"))
        if between != after:
            raise SpecError(
                f"{self._source}: ice_separator {between!r} and ice_eos_token {after!r} should be equal: "
                "a task file has one text after each example."
            )
        return between

    def convert_prompt(self) -> Any:
        template = self._template
        if isinstance(template, str):
            return self._convert_text(template)
        if not isinstance(template, Mapping) or not {*template} <= MESSAGE_SECTIONS:
            raise SpecError(
                f"{self._source}: a template per label needs PPLInferencer; "
                "GenInferencer needs a text or {begin, round, end}."
            )
        return self._convert_messages(template)

    def _convert_text(self, template: str) -> Any:
        """Convert a text template; examples replace its ice_token."""
        prompt, has_token = self._place_examples(self._replace_answer(template, ""))
        if not has_token:
            return prompt
        section = self._example_template
        example_template = section["template"] if isinstance(section, Mapping) else self._template
        if not isinstance(example_template, str):
            raise SpecError(f"{self._source}: ice_template should be a text, like the prompt.")
        return {"turns": prompt, "examples": self._convert_example(example_template), "separator": self._separator}

    def _convert_messages(self, template: Mapping[str, Any]) -> Any:
        turns = self._merge_messages([*_as_list(template.get("begin")), *_as_list(template.get("round"))])
        if turns and "assistant" in turns[-1]:
            turns.pop()  # the model's answer
        system = "\n".join(turn["system"] for turn in turns if "system" in turn)
        turns = [
            {role: self._replace_answer(text, "") for role, text in turn.items()}
            for turn in turns
            if "system" not in turn
        ]
        prompt: dict[str, Any] = {"system": self._replace_answer(system, "")} if system else {}
        if EXAMPLES_TURN in turns:
            prompt["examples"] = self._convert_examples()
            if turns[0] == EXAMPLES_TURN:
                turns = turns[1:]  # where examples are without it
        if template.get("end"):
            self.notes.append("The template's `end` is ignored: nothing follows an answer.")
        is_plain = len(turns) == 1 and not prompt
        return turns[0]["user"] if is_plain and "user" in turns[0] else {**prompt, "turns": turns}

    def _convert_examples(self) -> list[dict[str, str]]:
        template = self._example_template["template"] if isinstance(self._example_template, Mapping) else None
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: ice_template should be messages, like the prompt.")
        examples: list[dict[str, str]] = self._convert_example(template)
        return examples

    def _merge_messages(self, messages: Sequence[Any]) -> list[dict[str, str]]:
        merged: list[dict[str, str]] = []
        for message in messages:
            if self._has_examples and self._example_token and message == self._example_token:
                merged.append(EXAMPLES_TURN)
            elif isinstance(message, Mapping) and message.get("role") in ROLES_FROM_AISBENCH:
                role = ROLES_FROM_AISBENCH[message["role"]]
                text = _message_text(message)
                # Consecutive messages of one role are merged, as in AISBench.
                if merged and role in merged[-1] and merged[-1] != EXAMPLES_TURN:
                    merged[-1] = {role: f"{merged[-1][role]}\n{text}"}
                else:
                    merged.append({role: text})
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
        if isinstance(self._template, Mapping) and not {*self._template} <= MESSAGE_SECTIONS:
            return {str(label): self._convert_labelled(template) for label, template in self._template.items()}
        if not labels:
            raise SpecError(
                f"{self._source}: PPLInferencer would read its labels from the data. "
                "List them as labels=[…], or write a template per label."
            )
        return {str(label): self._convert_labelled(self._template, str(label)) for label in labels}

    def _convert_labelled(self, template: Any, label: str | None = None) -> Any:
        """Convert a template with a label's answer to a text or messages, with the place of the examples."""
        if isinstance(template, str):
            prompt, has_token = self._place_examples(template)
            turns: Any = prompt if label is None else self._replace_answer(prompt, label)
            return (
                {"turns": turns, **self._convert_label_examples(), "separator": self._separator} if has_token else turns
            )
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: a template should be a text or messages.")
        messages = self._merge_messages([*_as_list(template.get("begin")), *_as_list(template.get("round"))])
        if label is not None:
            messages = [
                {role: self._replace_answer(text, label) for role, text in message.items()} for message in messages
            ]
        if EXAMPLES_TURN not in messages:
            return messages
        turns = messages[1:] if messages[0] == EXAMPLES_TURN else messages
        return {"turns": turns, **self._convert_label_examples()}

    def _place_examples(self, text: str) -> tuple[str, bool]:
        """Replace the token by the field of the examples, if there are any; return whether it was there."""
        if not self._example_token or self._example_token not in text:
            return text, False
        field = EXAMPLES_PLACEHOLDER if self._has_examples else ""
        return text.replace(self._example_token, field, 1).replace(self._example_token, ""), self._has_examples

    def _convert_label_examples(self) -> dict[str, Any]:
        """Convert the examples of label prompts; each shows its own label."""
        section = self._example_template
        template = section.get("template") if isinstance(section, Mapping) else None
        if isinstance(template, Mapping) and not {*template} <= MESSAGE_SECTIONS:
            examples = {str(label): self._convert_example(value) for label, value in template.items()}
            return {"examples": self._unify_labels(examples)}
        if template is None:
            raise SpecError(f"{self._source}: examples need an ice_template.")
        return {"examples": self._convert_example(template)}

    def _convert_example(self, template: Any) -> Any:
        if isinstance(template, str):
            text = template.replace(self._example_token, "") if self._example_token else template
            return self._replace_answer(text, "{target}")
        return [
            {role: self._replace_answer(text, "{target}") for role, text in message.items()}
            for message in self._merge_messages(_as_list(template.get("round")))
        ]

    def _unify_labels(self, examples: Mapping[str, Any]) -> Any:
        """Return one template for the examples of all labels, which differ only in the label."""
        templates = list(examples.values())
        if all(isinstance(template, str) for template in templates):
            (label, template), *_ = examples.items()
            for match in re.finditer(re.escape(label), template):
                start, end = template[: match.start()], template[match.end() :]
                if all(other == f"{start}{name}{end}" for name, other in examples.items()):
                    return f"{start}{{target}}{end}"
        elif len({tuple(next(iter(message)) for message in template) for template in templates}) == 1:
            return [
                self._unify_message({label: template[index] for label, template in examples.items()})
                for index in range(len(templates[0]))
            ]
        raise SpecError(f"{self._source}: the templates of examples should differ only in their label.")

    def _unify_message(self, messages: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        ((role, text),) = next(iter(messages.values())).items()
        if all(message == {role: text} for message in messages.values()):
            return {role: text}
        return {role: self._unify_labels({label: message[role] for label, message in messages.items()})}

    def _replace_answer(self, text: str, replacement: str) -> str:
        """Replace the answer's column: by nothing in prompts, as AISBench does when it generates."""
        return text.replace(f"{{{self._output_column}}}", replacement) if self._output_column else text


def _as_list(section: Any) -> list[Any]:
    if section is None:
        return []
    return section if isinstance(section, list) else [section]


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
