"""AISBench's lists of messages, and the chat formats that its model classes apply to them.

A list contains texts, messages with `role` and `prompt` (or `prompt_mm`, a list of parts), and markers of the
sections `begin`, `ice`, `round` and `end`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import pairwise
from typing import Any

MODES = ("gen", "ppl")
DIALOGUE_SECTIONS = ("round", "ice")


class PromptList(list[Any]):
    """AISBench's list of messages and texts."""

    def format(self, **values: Any) -> PromptList:
        """Return the list with `{name}` replaced in its texts."""

        def fill(text: Any) -> Any:
            for name, value in values.items() if isinstance(text, str) else ():
                text = text.replace(f"{{{name}}}", str(value))
            return text

        return self._map_texts(fill)

    def replace(self, old: str, new: str | PromptList) -> PromptList:
        """Return the list with a text replaced; a list of messages can replace only a text outside of messages."""
        if isinstance(new, str):
            return self._map_texts(lambda text: text.replace(old, new) if isinstance(text, str) else text)
        replaced = PromptList()
        for item in self:
            if isinstance(item, dict) and old in str(item.get("prompt", "")):
                raise TypeError(f"{old} stands within a message, so messages cannot replace it")
            pieces = item.split(old) if isinstance(item, str) else [item]
            for index, piece in enumerate(pieces):
                replaced += [*(new if index else ()), *([piece] if piece else [])]
        return replaced

    def _map_texts(self, change: Any) -> PromptList:
        items = deepcopy(list(self))
        for item in items:
            if isinstance(item, dict) and "prompt" in item:
                item["prompt"] = change(item["prompt"])
        return PromptList(change(item) for item in items)

    def __add__(self, other: Any) -> PromptList:
        return PromptList([*self, *_as_items(other)])

    def __radd__(self, other: Any) -> PromptList:
        return PromptList([*_as_items(other), *self])

    def __iadd__(self, other: Any) -> PromptList:
        self.extend(_as_items(other))
        return self

    def __str__(self) -> str:
        return "".join(item if isinstance(item, str) else str(item.get("prompt", "")) for item in self)


def _as_items(value: Any) -> list[Any]:
    if not value:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def build_prompt_list(items: Iterable[Any]) -> Any:
    """Return a list of messages; AISBench's own kind if it is installed, because its classes check for that."""
    installed = sys.modules.get("ais_bench.benchmark.utils.prompt.prompt")
    return getattr(installed, "PromptList", PromptList)(items)


def get_round_index(template: list[Any]) -> tuple[int, int]:
    """Return where the messages of the section `round` begin and end; without markers, all but the first and last."""
    begin, end = 1, -1
    for index, item in enumerate(template):
        if is_marker(item) and item["section"] == "round":
            begin, end = (index + 1, end) if item.get("pos") == "begin" else (begin, index)
    return begin, end


def is_marker(item: Any) -> bool:
    """Return whether an item marks the begin or end of a section."""
    return isinstance(item, Mapping) and "section" in item


class LMTemplateParser:
    """Writes messages as text, in the format of a `meta_template`; without one, a line per message."""

    def __init__(self, meta_template: Any = None) -> None:
        self.meta_template = meta_template
        self.roles: dict[str, dict[str, Any]] = {}
        if not meta_template:
            return
        if not isinstance(meta_template.get("round"), list):
            raise TypeError("a meta_template needs a list of roles under 'round'")
        for entry in (*meta_template["round"], *meta_template.get("reserved_roles", ())):
            if isinstance(entry, str):
                continue
            if entry["role"] in self.roles:
                raise TypeError(f"the meta_template has the role {entry['role']} twice")
            self.roles[entry["role"]] = dict(entry)

    def parse_template(self, prompt_template: Any, mode: str) -> Any:
        """Return a prompt in the format of the model; a plain list is a batch of prompts."""
        if mode not in MODES:
            raise ValueError(f"mode should be {' or '.join(MODES)}, not {mode!r}")
        if isinstance(prompt_template, str):
            return prompt_template
        if not isinstance(prompt_template, (list, tuple)):
            raise TypeError(f"a prompt should be a text or a PromptList, not {type(prompt_template).__name__}")
        if not isinstance(prompt_template, PromptList):
            return [self.parse_template(prompt, mode) for prompt in prompt_template]
        return self._format(prompt_template, mode) if self.meta_template else self._join(prompt_template)

    def _join(self, prompt: PromptList) -> Any:
        """Return the texts of all messages, one per line; an empty one still separates the next from the start."""
        texts = [item if isinstance(item, str) else item.get("prompt", "") for item in prompt if not is_marker(item)]
        return "".join(f"\n{text}" if index else text for index, text in enumerate(texts) if text)

    def _format(self, prompt: PromptList, mode: str) -> Any:
        text = self.meta_template.get("begin", "")
        for entry, is_answer in self._walk(prompt, is_generation=mode == "gen"):
            if is_answer:
                return text + entry.get("begin", "")
            text += self._format_text(entry)
        return text + self.meta_template.get("end", "")

    @staticmethod
    def _format_text(entry: Any) -> str:
        if isinstance(entry, str):
            return entry
        return f"{entry.get('begin', '')}{entry.get('prompt', '')}{entry.get('end', '')}"

    def _walk(self, prompt: PromptList, *, is_generation: bool) -> Iterator[tuple[Any, bool]]:
        """Yield texts, and messages merged with the format of their role, and whether the model writes this one."""
        open_sections: list[tuple[str, int]] = []
        for index, item in enumerate(prompt):
            if isinstance(item, str):
                yield item, False
            elif not is_marker(item):
                if open_sections and open_sections[-1][0] not in DIALOGUE_SECTIONS:
                    yield self._merge([item])[self._role_of(item)], False
            elif item["pos"] == "begin":
                open_sections.append((item["section"], index + 1))
            else:
                name, start = open_sections.pop()
                if name in DIALOGUE_SECTIONS:
                    yield from self._walk_rounds(prompt[start:index], is_generation and name == "round")

    def _walk_rounds(self, dialogue: list[Any], is_generation: bool) -> Iterator[tuple[Any, bool]]:
        bounds = self._split_rounds(dialogue)
        for start, end in pairwise(bounds):
            merged = self._merge(dialogue[start:end])
            for entry in self.meta_template["round"]:
                if isinstance(entry, str):
                    yield entry, False
                else:
                    message = merged[entry["role"]]
                    yield message, is_generation and end == bounds[-1] and bool(message.get("generate"))

    def _split_rounds(self, dialogue: list[Any]) -> list[int]:
        """Return the bounds of the rounds; a round ends where the order of the roles starts over."""
        order = [entry["role"] for entry in self.meta_template["round"] if not isinstance(entry, str)]
        bounds, previous = [0], -1
        for index, message in enumerate(dialogue):
            if isinstance(message, str):
                continue
            position = order.index(self._role_of(message))
            if position <= previous:
                bounds.append(index)
            previous = position
        return [*bounds, len(dialogue)]

    def _merge(self, messages: list[Any]) -> dict[str, dict[str, Any]]:
        """Return the format of every role with the messages of these roles in it."""
        merged = deepcopy(self.roles)
        for message in messages:
            if not isinstance(message, str):
                merged[self._role_of(message)].update(message)
        return merged

    def _role_of(self, message: Mapping[str, Any]) -> str:
        role, fallback = message["role"], message.get("fallback_role")
        if role not in self.roles and fallback not in self.roles:
            raise KeyError(f"the meta_template has no role {role}, and the message has no fallback_role that it has")
        return str(role if role in self.roles else fallback)


class APITemplateParser(LMTemplateParser):
    """Writes messages with the names that a server uses for the roles; without a `meta_template`, as text."""

    def _join(self, prompt: PromptList) -> Any:
        parts = [part for item in prompt if isinstance(item, dict) for part in item.get("prompt_mm", ())]
        return super()._join(prompt) or parts

    def _format(self, prompt: PromptList, mode: str) -> PromptList:
        messages = PromptList()
        for entry, is_answer in self._walk(prompt, is_generation=mode == "gen"):
            if is_answer:
                break
            if not isinstance(entry, str):  # a server accepts no text without a role
                self._append(messages, entry)
        begin = self.meta_template.get("begin")
        return PromptList([begin, *messages]) if begin else messages

    def _append(self, messages: PromptList, entry: Mapping[str, Any]) -> None:
        """Append a message; one of the same role as the last one is joined to it."""
        if "prompt" not in entry and "prompt_mm" not in entry:
            raise ValueError(f"the message of {entry['role']} has neither prompt nor prompt_mm")
        content = self._format_text(entry) if "prompt" in entry else entry["prompt_mm"]
        role = entry["api_role"]
        if messages and messages[-1]["role"] == role:
            messages[-1]["prompt"] += f"\n{content}" if isinstance(content, str) else content
        else:
            messages.append({"role": role, "prompt": content})
