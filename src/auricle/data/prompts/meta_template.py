r"""Chat formats for models whose tokeniser has none.

    begin: "<s>"
    roles:
      system: {begin: "<<SYS>>", end: "<</SYS>>\n"}
      user: {begin: "[INST] ", end: " [/INST]"}
      assistant: {begin: " ", end: "</s>"}

The format of AISBench and OpenCompass, with `round` and `reserved_roles`, is also accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Turn
from auricle.core.yaml_files import read_yaml_with_locations

ROLE_ALIASES = {"human": "user", "bot": "assistant"}  # role names of other frameworks
ROLES = ("system", "user", "assistant")
KEYS = ("begin", "end", "roles", "round", "reserved_roles", "eos_token_id")
ROLE_KEYS = ("role", "begin", "end", "generate", "api_role", "prompt", "fallback_role")


@dataclass(frozen=True, slots=True)
class RoleFormat:
    """The text before and after a message of one role."""

    begin: str = ""
    end: str = ""
    api_role: str = ""
    """Name of the role in API requests."""


@dataclass(frozen=True, slots=True)
class MetaTemplate:
    """A chat format, which writes a conversation as text."""

    roles: Mapping[str, RoleFormat] = field(default_factory=dict)
    begin: str = ""
    end: str = ""

    @classmethod
    def of(cls, value: Any) -> MetaTemplate:
        """Build a chat format from a mapping or a YAML file."""
        if isinstance(value, MetaTemplate):
            return value
        if isinstance(value, (str, Path)):
            content, locations = read_yaml_with_locations(Path(value))
            with locations.annotate_errors():
                return cls.of(content.get("meta_template", content))
        if not isinstance(value, Mapping):
            raise _template_error(f"must be a file or a mapping with {', '.join(KEYS[:3])}, not {value!r}")
        _check_keys(value, KEYS)
        return cls(
            roles=_parse_roles(value),
            begin=_require_text(value.get("begin", ""), "begin"),
            end=_require_text(value.get("end", ""), "end"),
        )

    def render(self, turns: Sequence[Turn], turn_text: Callable[[Turn], str]) -> str:
        """Return the prompt up to the point where the model continues; `turn_text` returns the text of a turn."""
        prefilled = bool(turns) and turns[-1].role == "assistant"
        complete = turns[:-1] if prefilled else turns
        formats = [(self._role_format(turn.role), turn) for turn in complete]
        text = "".join(f"{role.begin}{turn_text(turn)}{role.end}" for role, turn in formats)
        prefix = turn_text(turns[-1]) if prefilled else ""
        return f"{self.begin}{text}{self._role_format('assistant').begin}{prefix}"

    def api_role(self, role: str) -> str:
        """Return the name of a role in API requests."""
        role_format = self.roles.get(role)
        return role_format.api_role if role_format and role_format.api_role else role

    def _role_format(self, role: str) -> RoleFormat:
        """Return the format of a role; the user's if the format has no such role."""
        return self.roles.get(role) or self.roles.get("user", RoleFormat())


def _parse_roles(template: Mapping[str, Any]) -> dict[str, RoleFormat]:
    role_list = [*_get_role_list(template, "round"), *_get_role_list(template, "reserved_roles")]
    role_mapping = template.get("roles") or {}
    if not isinstance(role_mapping, Mapping):
        raise _template_error("must have a mapping under roles", "roles")
    entries = [(str(entry.get("role", "")), entry) for entry in role_list] + list(role_mapping.items())
    if not entries:
        raise _template_error("has no roles: set `roles` or `round`")
    formats: dict[str, RoleFormat] = {}
    for name, options in entries:
        role = ROLE_ALIASES.get(name.lower(), name.lower())
        if role not in ROLES:
            raise _template_error(f"has the unknown role {name!r}; expected {', '.join(ROLES)}, HUMAN or BOT")
        if not isinstance(options, Mapping):
            raise _template_error(f"must have `begin` and `end` for the role {name}, not {options!r}", "roles", name)
        _check_keys(options, ROLE_KEYS, "roles", name)
        begin, end = (_require_text(options.get(side, ""), side) for side in ("begin", "end"))
        api_role = str(options.get("api_role", ""))
        formats[role] = RoleFormat(begin, end, ROLE_ALIASES.get(api_role.lower(), api_role))
    return formats


def _get_role_list(template: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = template.get(name) or []
    if not isinstance(value, Sequence) or not all(isinstance(role, Mapping) for role in value):
        raise _template_error(f"must have a list of roles under {name}", name)
    return list(value)


def _require_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _template_error(f"must have text under {name}, not {value!r}", name)
    return value


def _check_keys(mapping: Mapping[str, Any], allowed_keys: Sequence[str], *where: str) -> None:
    if unknown := [str(name) for name in mapping if name not in allowed_keys]:
        raise _template_error(
            f"has the unknown key {unknown[0]}; expected {', '.join(allowed_keys)}", *where, unknown[0]
        )


def _template_error(problem: str, *where: str) -> SpecError:
    return SpecError(f"The meta_template {problem}.", location=where)
