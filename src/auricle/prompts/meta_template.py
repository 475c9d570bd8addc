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
from auricle.core.yaml_files import read_yaml_with_locations

ROLE_ALIASES = {"human": "user", "bot": "assistant"}
"""Other frameworks' names of the roles."""
ROLES = ("system", "user", "assistant")
KEYS = ("begin", "end", "roles", "round", "reserved_roles", "eos_token_id")
ROLE_KEYS = ("role", "begin", "end", "generate", "api_role", "prompt", "fallback_role")


@dataclass(frozen=True, slots=True)
class RoleFormat:
    """What stands around the words of one role."""

    begin: str = ""
    end: str = ""
    api_role: str = ""
    """What a server calls it."""


@dataclass(frozen=True, slots=True)
class MetaTemplate:
    """How a conversation is written down for a model."""

    roles: Mapping[str, RoleFormat] = field(default_factory=dict)
    begin: str = ""
    end: str = ""

    @classmethod
    def of(cls, value: Any) -> MetaTemplate:
        """A chat format from a YAML file's path, or from its parts by name."""
        if isinstance(value, MetaTemplate):
            return value
        if isinstance(value, (str, Path)):
            content, marks = read_yaml_with_locations(Path(value))
            with marks.annotate_errors():
                return cls.of(content.get("meta_template", content))
        if not isinstance(value, Mapping):
            raise _template_error(f"should be a file or have {', '.join(KEYS[:3])}, not {value!r}")
        _check_keys(value, KEYS)
        return cls(
            roles=_parse_roles(value),
            begin=_require_text(value.get("begin", ""), "begin"),
            end=_require_text(value.get("end", ""), "end"),
        )

    def render(self, turns: Sequence[Turn], turn_text: Callable[[Turn], str]) -> str:
        """What a model reads, up to the place where it goes on; `words` reads a turn."""
        begun = bool(turns) and turns[-1].role == "assistant"
        done = turns[:-1] if begun else turns
        said = "".join(self._render_turn(turn, turn_text) for turn in done)
        last = turn_text(turns[-1]) if begun else ""
        return f"{self.begin}{said}{self._role_format('assistant').begin}{last}"

    def api_role(self, role: str) -> str:
        """What a server calls a role."""
        speaker = self.roles.get(role)
        return speaker.api_role if speaker and speaker.api_role else role

    def _render_turn(self, turn: Turn, turn_text: Callable[[Turn], str]) -> str:
        speaker = self._role_format(turn.role)
        return f"{speaker.begin}{turn_text(turn)}{speaker.end}"

    def _role_format(self, role: str) -> RoleFormat:
        """A role's, or the user's where a format knows no system message."""
        return self.roles.get(role) or self.roles.get("user", RoleFormat())


def _parse_roles(template: Mapping[str, Any]) -> dict[str, RoleFormat]:
    listed = [*_get_role_list(template, "round"), *_get_role_list(template, "reserved_roles")]
    named = template.get("roles") or {}
    if not isinstance(named, Mapping):
        raise _template_error("should have roles by name", "roles")
    found = [(str(each.get("role", "")), each) for each in listed] + list(named.items())
    if not found:
        raise _template_error("knows no role: it needs `roles`, or a `round`")
    speakers: dict[str, RoleFormat] = {}
    for name, about in found:
        role = ROLE_ALIASES.get(name.lower(), name.lower())
        if role not in ROLES:
            raise _template_error(f"has the role {name!r}; roles are {', '.join(ROLES)}, HUMAN and BOT")
        if not isinstance(about, Mapping):
            raise _template_error(f"should say `begin` and `end` of {name}, not {about!r}", "roles", name)
        _check_keys(about, ROLE_KEYS, "roles", name)
        begin, end = (_require_text(about.get(side, ""), side) for side in ("begin", "end"))
        own = str(about.get("api_role", ""))
        speakers[role] = RoleFormat(begin, end, ROLE_ALIASES.get(own.lower(), own))
    return speakers


def _get_role_list(template: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = template.get(name) or []
    if not isinstance(value, Sequence) or not all(isinstance(each, Mapping) for each in value):
        raise _template_error(f"should have a list of roles under {name}", name)
    return list(value)


def _require_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _template_error(f"should have text under {name}, not {value!r}", name)
    return value


def _check_keys(mapping: Mapping[str, Any], allowed_keys: Sequence[str], *where: str) -> None:
    if unknown := [str(name) for name in mapping if name not in allowed_keys]:
        raise _template_error(f"has no {unknown[0]}; it has {', '.join(allowed_keys)}", *where, unknown[0])


def _template_error(problem: str, *where: str) -> SpecError:
    return SpecError(f"The meta_template {problem}.", location=where)
