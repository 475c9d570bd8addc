"""`prompt_template` and `ice_template` of an AISBench config, as a prompt of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.interop.aisbench.prompts import OURS

FIELD = r"\{%s\}"


class Templates:
    """`prompt_template` and `ice_template` as a prompt of ours."""

    def __init__(self, source: Path, infer: Mapping[str, Any], output: str) -> None:
        self._source, self._output = source, output
        self.notes: list[str] = []
        self._examples = infer.get("ice_template")
        self._own = infer.get("prompt_template") or self._examples
        if not isinstance(self._own, Mapping) or "template" not in self._own:
            raise SpecError(f"{source}: infer_cfg has no template.")
        self._token = str(self._own.get("ice_token") or "")
        self._few = (
            str((infer.get("retriever") or {}).get("type", "ZeroRetriever")) != "ZeroRetriever"
        )

    def prompt(self) -> Any:
        assert isinstance(self._own, Mapping)
        template = self._own["template"]
        if isinstance(template, str):
            return self._text(template)
        if not isinstance(template, Mapping) or not {*template} <= {"begin", "round", "end"}:
            raise SpecError(
                f"{self._source}: a template by label is for PPLInferencer; "
                "GenInferencer wants a text or {begin, round, end}."
            )
        return self._messages(template)

    def _text(self, template: str) -> Any:
        """A text; examples stand where its ice_token does."""
        asked = self._without_answer(template)
        if not self._token:
            return asked
        if not self._few:
            return asked.replace(self._token, "")
        examples = self._examples if isinstance(self._examples, Mapping) else self._own
        assert isinstance(examples, Mapping)
        shown = examples["template"]
        if not isinstance(shown, str):
            raise SpecError(f"{self._source}: ice_template should be a text as the prompt is.")
        return {
            "turns": asked.replace(self._token, "{examples}", 1).replace(self._token, ""),
            "examples": self._with_answer(shown.replace(self._token, "")),
            "separator": "\n",
        }

    def _messages(self, template: Mapping[str, Any]) -> Any:
        begin = self._said(template.get("begin") or [])
        turns = [dict(each) for each in begin]
        for each in self._said(template.get("round") or []):
            _add(turns, *next(iter(each.items())))
        if turns and "assistant" in turns[-1]:
            turns.pop()  # what the model is to say itself
        system = "\n".join(each["system"] for each in turns if "system" in each)
        turns = [
            {role: self._without_answer(text) for role, text in each.items()}
            for each in turns
            if "system" not in each
        ]
        found: dict[str, Any] = {"system": self._without_answer(system)} if system else {}
        if self._few and isinstance(self._examples, Mapping):
            found["examples"] = self._shown(self._examples["template"])
            if any("system" not in each for each in begin):
                self.notes.append("What `begin` says stands after the examples here.")
        if template.get("end"):
            self.notes.append("The template's `end` is left out: nothing follows an answer.")
        plain = len(turns) == 1 and not found
        return turns[0]["user"] if plain and "user" in turns[0] else {**found, "turns": turns}

    def _shown(self, template: Any) -> list[dict[str, str]]:
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: ice_template should be messages as the prompt is.")
        said = self._said(template.get("round") or [])
        return [{role: self._with_answer(text) for role, text in each.items()} for each in said]

    def _said(self, items: Any) -> list[dict[str, str]]:
        listed = items if isinstance(items, list) else [items]
        found: list[dict[str, str]] = []
        for each in listed:
            if isinstance(each, Mapping) and each.get("role") in OURS:
                _add(found, OURS[each["role"]], _words(each))
            elif isinstance(each, str) and each.strip() in ("", self._token):
                continue
            else:
                raise SpecError(
                    f"{self._source}: a message should have a role "
                    f"({', '.join(list(OURS)[:3])}) and a prompt, not {each!r}."
                )
        return found

    def by_label(self, labels: Any) -> dict[str, Any]:
        """Each label's own prompt, the answer in it."""
        assert isinstance(self._own, Mapping)
        template = self._own["template"]
        if isinstance(template, Mapping) and not {*template} <= {"begin", "round", "end"}:
            return {str(label): self._whole(each) for label, each in template.items()}
        if not labels:
            raise SpecError(
                f"{self._source}: PPLInferencer takes its labels from the data here; name "
                "them: labels=[…], or a template for each."
            )
        return {str(label): self._whole(template, str(label)) for label in labels}

    def _whole(self, template: Any, label: str | None = None) -> Any:
        """A prompt with a label's answer, as text or as messages."""
        if isinstance(template, str):
            return self._labelled(
                template.replace(self._token, "") if self._token else template, label
            )
        if not isinstance(template, Mapping):
            raise SpecError(f"{self._source}: a template should be a text or messages.")
        said = [*self._said(template.get("begin") or []), *self._said(template.get("round") or [])]
        return [{r: self._labelled(text, label) for r, text in each.items()} for each in said]

    def _labelled(self, text: str, label: str | None) -> str:
        if label is None or not self._output:
            return text
        return re.sub(FIELD % re.escape(self._output), lambda _: label, text)

    def _without_answer(self, text: str) -> str:
        """The answer's column is left empty, as AISBench does when it generates."""
        return re.sub(FIELD % re.escape(self._output), "", text) if self._output else text

    def _with_answer(self, text: str) -> str:
        if not self._output:
            return text
        return re.sub(FIELD % re.escape(self._output), "{target}", text)


def _add(said: list[dict[str, str]], role: str, text: str) -> None:
    """One more message; two of one role in a row are one, as AISBench has it."""
    if said and role in said[-1]:
        said[-1] = {role: f"{said[-1][role]}\n{text}"}
    else:
        said.append({role: text})


def _words(message: Mapping[str, Any]) -> str:
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
