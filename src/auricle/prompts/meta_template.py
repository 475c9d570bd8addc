r"""A model's own chat format, for models whose tokeniser brings none.

    begin: "<s>"
    roles:
      system: {begin: "<<SYS>>", end: "<</SYS>>\n"}
      user: {begin: "[INST] ", end: " [/INST]"}
      assistant: {begin: " ", end: "</s>"}

The form with `round` and `reserved_roles` that AISBench and OpenCompass use is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Turn
from auricle.data.yaml_file import read_marked

KNOWN = {"human": "user", "bot": "assistant"}
"""Other frameworks' names of the roles."""
ROLES = ("system", "user", "assistant")
KEYS = ("begin", "end", "roles", "round", "reserved_roles", "eos_token_id")
ROLE_KEYS = ("role", "begin", "end", "generate", "api_role", "prompt", "fallback_role")


@dataclass(frozen=True, slots=True)
class Speaker:
    """What stands around the words of one role."""

    begin: str = ""
    end: str = ""
    api_role: str = ""
    """What a server calls it."""


@dataclass(frozen=True, slots=True)
class MetaTemplate:
    """How a conversation is written down for a model."""

    roles: Mapping[str, Speaker] = field(default_factory=dict)
    begin: str = ""
    end: str = ""

    @classmethod
    def of(cls, given: Any) -> MetaTemplate:
        """A chat format from a YAML file's path, or from its parts by name."""
        if isinstance(given, MetaTemplate):
            return given
        if isinstance(given, (str, Path)):
            content, marks = read_marked(Path(given))
            with marks.pointing():
                return cls.of(content.get("meta_template", content))
        if not isinstance(given, Mapping):
            raise _wrong(f"should be a file or have {', '.join(KEYS[:3])}, not {given!r}")
        _refuse(given, KEYS)
        return cls(
            roles=_speakers(given),
            begin=_literal(given.get("begin", ""), "begin"),
            end=_literal(given.get("end", ""), "end"),
        )

    def text(self, turns: Sequence[Turn], words: Callable[[Turn], str]) -> str:
        """What a model reads, up to the place where it goes on; `words` reads a turn."""
        begun = bool(turns) and turns[-1].role == "assistant"
        done = turns[:-1] if begun else turns
        said = "".join(self._said(turn, words) for turn in done)
        last = words(turns[-1]) if begun else ""
        return f"{self.begin}{said}{self._speaker('assistant').begin}{last}"

    def api_role(self, role: str) -> str:
        """What a server calls a role."""
        speaker = self.roles.get(role)
        return speaker.api_role if speaker and speaker.api_role else role

    def _said(self, turn: Turn, words: Callable[[Turn], str]) -> str:
        speaker = self._speaker(turn.role)
        return f"{speaker.begin}{words(turn)}{speaker.end}"

    def _speaker(self, role: str) -> Speaker:
        """A role's, or the user's where a format knows no system message."""
        return self.roles.get(role) or self.roles.get("user", Speaker())


def _speakers(given: Mapping[str, Any]) -> dict[str, Speaker]:
    listed = [*_list(given, "round"), *_list(given, "reserved_roles")]
    named = given.get("roles") or {}
    if not isinstance(named, Mapping):
        raise _wrong("should have roles by name", "roles")
    found = [(str(each.get("role", "")), each) for each in listed] + list(named.items())
    if not found:
        raise _wrong("knows no role: it needs `roles`, or a `round`")
    speakers: dict[str, Speaker] = {}
    for name, about in found:
        role = KNOWN.get(name.lower(), name.lower())
        if role not in ROLES:
            raise _wrong(f"has the role {name!r}; roles are {', '.join(ROLES)}, HUMAN and BOT")
        if not isinstance(about, Mapping):
            raise _wrong(f"should say `begin` and `end` of {name}, not {about!r}", "roles", name)
        _refuse(about, ROLE_KEYS, "roles", name)
        begin, end = (_literal(about.get(side, ""), side) for side in ("begin", "end"))
        own = str(about.get("api_role", ""))
        speakers[role] = Speaker(begin, end, KNOWN.get(own.lower(), own))
    return speakers


def _list(given: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = given.get(name) or []
    if not isinstance(value, Sequence) or not all(isinstance(each, Mapping) for each in value):
        raise _wrong(f"should have a list of roles under {name}", name)
    return list(value)


def _literal(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _wrong(f"should have text under {name}, not {value!r}", name)
    return value


def _refuse(given: Mapping[str, Any], known: Sequence[str], *where: str) -> None:
    if unknown := [str(name) for name in given if name not in known]:
        raise _wrong(f"has no {unknown[0]}; it has {', '.join(known)}", *where, unknown[0])


def _wrong(what: str, *where: str) -> SpecError:
    return SpecError(f"The meta_template {what}.", where=where)
