"""Where a server is, who asks, and how long one waits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

from auricle.core.errors import SpecError
from auricle.core.redaction import redact

ENV_REFERENCE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Where a server is, who asks, and how long one waits: `-M name=value` of every API model."""

    model: str = ""
    base_url: str | Sequence[str] = ""
    """One server, or several that serve the same: a list, or with commas between."""
    api_key_env: str = ""
    """The environment variable that holds the key; the key itself is never written down."""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers; `$NAME` in a value stands for an environment variable."""
    timeout: float = 600.0
    """Seconds for a whole answer."""
    connect_timeout: float = 10.0
    read_timeout: float = 180.0
    """Seconds without a byte."""
    rpm: float | None = None
    """Requests a minute."""
    tpm: float | None = None
    """Tokens a minute."""
    adaptive: bool = True
    """Find out how many requests at once help; otherwise send all that the run allows."""
    audio_format: str = "auto"
    sample_rate: int | None = None
    max_megabytes: float = 25.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Anything else the body should hold."""

    @classmethod
    def from_options(cls, name: str, options: Mapping[str, Any]) -> ServiceConfig:
        known = [each.name for each in fields(cls)]
        if unknown := [each for each in options if each not in known]:
            raise SpecError(f"{name} takes no {', '.join(unknown)}; it takes {', '.join(known)}.")
        service = cls(**options)
        service._check(name)
        return service

    def _check(self, name: str) -> None:
        for limit in ("timeout", "connect_timeout", "read_timeout", "max_megabytes", "rpm", "tpm"):
            value = getattr(self, limit)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise SpecError(f"{name}: {limit} should be a number above 0, not {value!r}.")
        for mapping in ("headers", "extra"):
            if not isinstance(getattr(self, mapping), Mapping):
                raise SpecError(f'{name}: {mapping} should be an object: -M \'{mapping}={{"name": "value"}}\'.')

    def resolve_urls(self, default: str = "") -> list[str]:
        given = self.base_url or default
        listed = given.split(",") if isinstance(given, str) else list(given)
        found = [each.strip().rstrip("/") for each in listed if each.strip()]
        for url in found:
            if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
                shown = redact({"base_url": url})["base_url"]
                raise SpecError(f"base_url should be http://host:port/path, not {shown!r}.")
        return found

    def resolve_api_key(self, default_env: str = "") -> str:
        """The key, from where it was said to be; a variable that was named must be set."""
        if self.api_key:
            return str(self.api_key).strip()
        if self.api_key_env and not os.environ.get(self.api_key_env):
            raise SpecError(f"api_key_env names {self.api_key_env}, which is not set.")
        return os.environ.get(self.api_key_env or default_env, "").strip()

    def resolve_headers(self) -> dict[str, str]:
        return {name: ENV_REFERENCE.sub(_expand_variable, str(value)) for name, value in self.headers.items()}


def _expand_variable(match: re.Match[str]) -> str:
    """What a variable in a header stands for; sent as it is, it would pass for a wrong key."""
    name = match[1] or match[2]
    if name not in os.environ:
        raise SpecError(f"headers names {name}, which is not set.")
    return os.environ[name].strip()
