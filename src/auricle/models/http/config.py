"""Options of models behind an API."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from auricle.core.arguments import Hint
from auricle.core.errors import SpecError
from auricle.core.redaction import redact_text
from auricle.models.http.media import AudioFormat

POSITIVE_OPTIONS = ("timeout", "connect_timeout", "read_timeout", "max_megabytes", "response_megabytes", "rpm", "tpm")
ENV_REFERENCE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


@dataclass(frozen=True, slots=True)
class ConnectionConfig:
    """The options of every model behind a server, set with `-M name=value`."""

    model: Annotated[str, Hint(is_required=True)] = ""
    """Name of the model on the server."""
    base_url: Annotated[
        str | Sequence[str], Hint(is_required=True, is_common=True, default_attribute="default_url")
    ] = ""
    """URL of the server; several servers with the same model as a list or separated by commas."""
    api_key_env: Annotated[str, Hint("variable", is_common=True, default_attribute="default_key_env")] = ""
    """Environment variable with the API key; the key itself is never stored."""
    api_key: Annotated[str, Hint("secret")] = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Additional headers; `$NAME` in a value is replaced by the environment variable."""
    connect_timeout: float = 10.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Additional fields of the request body."""

    @property
    def has_model(self) -> bool:
        return bool(self.model)

    @classmethod
    def from_options(cls, name: str, options: Mapping[str, Any], model_options: Sequence[str] = ()) -> Self:
        """Read the options that all models share; the error message lists `model_options`, too."""
        accepted = [option.name for option in fields(cls)]
        if unknown := [option for option in options if option not in accepted]:
            known = ", ".join(dict.fromkeys([*accepted, *model_options]))
            raise SpecError(f"{name}: unknown option {', '.join(unknown)}. Accepted: {known}.")
        service = cls(**options)
        service.check(name)
        return service

    def check(self, name: str) -> None:
        """Raise `SpecError` if an option has a wrong value."""
        for limit in POSITIVE_OPTIONS:
            value = getattr(self, limit, None)
            if value is not None and not (isinstance(value, (int, float)) and value > 0):
                raise SpecError(f"{name}: {limit} must be a number above 0, not {value!r}.")
        for mapping in ("headers", "extra"):
            if not isinstance(getattr(self, mapping), Mapping):
                raise SpecError(f'{name}: {mapping} must be an object: -M \'{mapping}={{"name": "value"}}\'.')

    def resolve_urls(self, default: str = "", schemes: Sequence[str] = ("http", "https")) -> list[str]:
        base_url = self.base_url or default
        listed = base_url.split(",") if isinstance(base_url, str) else list(base_url)
        urls = [url.strip().rstrip("/") for url in listed if url.strip()]
        for url in urls:
            if urlsplit(url).scheme not in schemes or not urlsplit(url).hostname:
                raise SpecError(f"base_url must have the form {schemes[0]}://host:port/path, not {redact_text(url)!r}.")
        return urls

    def resolve_api_key(self, default_env: str = "") -> str:
        """Return the API key; a variable named in `api_key_env` must be set."""
        if self.api_key:
            return str(self.api_key).strip()
        if self.api_key_env and not os.environ.get(self.api_key_env):
            raise SpecError(f"api_key_env: the environment variable {self.api_key_env} is not set.")
        return os.environ.get(self.api_key_env or default_env, "").strip()

    def resolve_headers(self) -> dict[str, str]:
        return {name: ENV_REFERENCE.sub(_expand_variable, str(value)) for name, value in self.headers.items()}


@dataclass(frozen=True, slots=True)
class ServiceConfig(ConnectionConfig):
    """The options of every API model, set with `-M name=value`."""

    timeout: float = 600.0
    """Maximum seconds per request."""
    read_timeout: float = 180.0
    """Maximum seconds without data."""
    rpm: float | None = None
    """Maximum requests per minute."""
    tpm: float | None = None
    """Maximum tokens per minute."""
    adaptive: bool = True
    """Adapt the number of requests in flight to the server; otherwise send as many as the run allows."""
    audio_format: AudioFormat = "auto"
    """Format in which audio is sent; `auto` keeps that of the file if the server takes it."""
    sample_rate: int | None = None
    """Sample rate of the audio that is sent. By default, that of the file."""
    max_megabytes: float = 25.0
    """Maximum size of a sound, an image or a video in a request."""
    response_megabytes: float = 256.0
    """Maximum size of all responses that are being read at a time."""
    stream: bool = False
    """Whether to request streamed answers, which are timed from their first token on."""
    models: Mapping[str, float] = field(default_factory=dict)
    """Several models of the server with their weights, such as LoRA adapters, instead of one: requests are divided
    among them in these proportions, always in the same way."""

    @property
    def has_model(self) -> bool:
        return bool(self.model or self.models)

    def check(self, name: str) -> None:
        """Raise `SpecError` if an option has a wrong value."""
        ConnectionConfig.check(self, name)  # super() does not work in a dataclass with slots
        if not isinstance(self.models, Mapping):
            raise SpecError(f'{name}: models must be an object with weights: -M \'models={{"NAME": 3, "OTHER": 1}}\'.')
        if any(not isinstance(weight, (int, float)) or weight <= 0 for weight in self.models.values()):
            raise SpecError(f"{name}: the weights of models must be numbers above 0, not {dict(self.models)!r}.")


def _expand_variable(match: re.Match[str]) -> str:
    """Return the value of a variable in a header; an unset one would look like a wrong key."""
    name = match[1] or match[2]
    if name not in os.environ:
        raise SpecError(f"headers: the environment variable {name} is not set.")
    return os.environ[name].strip()
