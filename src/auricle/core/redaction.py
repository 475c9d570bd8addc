"""Keep keys, tokens and passwords out of files, logs and terminals.

A secret is recognised by the name of an argument (`api_key`, `X-Api-Key`, `accessToken`), by its place (users, queries
and fragments of URLs, headers), or by its value: the value of a secret argument or environment variable, wherever it
appears again, private keys, connection strings, and values that look generated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOBase
from typing import Any, NamedTuple, TextIO

HIDDEN = "…"
MIN_SECRET_CHARS = 8
"""Shorter values are hidden by name only: in texts they could be ordinary words."""
PREFIX_CHARS = 12
"""Characters from which on the beginning of a secret is hidden, too, with what follows in the same word."""
MIN_BASE64_CHARS = 14
"""Shortest secret whose base64 forms are long enough to be recognised."""

URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>`]*[^\s\"'<>`.,:;!?)\]}]", re.IGNORECASE)
USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")
_PARAMETER = re.compile(r"([?&]([\w-]+)=)([^&\s'\"]+)")
_PUBLIC_PARAMETER = re.compile(
    r"(api[-_]?)?version|v|alt|format|encoding|sample_rate|channels|lang(uage)?|locale|region|model|deployment|tier|intent"
    r"|revision|ref|split|page|limit|offset|start|end|length|download|raw|list-type|prefix|delimiter",
    re.IGNORECASE,
)
"""Parameters in the query of a URL that are shown; the values of all others may be secret."""
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
WORDS = re.compile(r"([a-z]+([-_.][a-z0-9]+)*)?")
_FIELD_OF_CONNECTION = re.compile(r"(?:^|[;\s])([A-Za-z]\w*(?: \w+){0,2}) ?= ?([^;\s]+)")
_URL_ARGUMENT = re.compile(r"(^|_)(url|uri|endpoint|host|server|webhook)$")
"""Arguments with URLs whose path may contain a key."""
VARIABLE_REFERENCE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
"""An environment variable in the value of a header."""

# Names, after `_normalise_name`: words in lower case, joined by `_`, without plural and trailing digits.
_SECRET_WORD = re.compile(
    r"(^|_)(pass(word|wd|phrase|code)|pwd|secret|credential|cred|bearer|cookie|authori[sz]ation|authentication|jwt|x?api_?key"
    r"|(access|private|secret|signing|encryption|subscription|licen[cs]e)_?key"
    r"|(access|api|auth|bearer|client|csrf|hf|id|refresh|secret|session)_?(token|secret))(_|$)"
)
_SECRET_END = re.compile(
    r"(^|_)(?P<kind>key|token|auth|sas|pass|pw|pin|psk|t?otp|pem|sig|signature|dsn|conn(ection)?_?str(ing)?|mnemonic)$"
)
_HARMLESS_END = re.compile(r"(^|_)(env|variable|name|path|file|folder|dir|url|type|count|length|limit|expiry)$")
_HEADERS = re.compile(r"(^|_)header$")
_PUBLIC_HEADER = re.compile(r"^(accept|connection|cache-control)|(type|version|agent|language|beta)$", re.IGNORECASE)
_HARMLESS_KEY = re.compile(
    r"((^|_)(answer|audio|cache|choice|column|content|data|dict|field|foreign|group|hash|id|image|index|item|join|json"
    r"|label|lookup|message|meta|metric|order|partition|primary|prompt|question|record|reference|response|result|row"
    r"|sample|sort|split|target|text|video)_key|^key)$"
)
_HARMLESS_TOKEN = re.compile(
    r"(^|_)(audio|begin|blank|bos|boundary|cls|completion|context|decoder|delimiter|end|eos|first|forced|generated|ice"
    r"|image|input|language|last|mask|max|min|n|new|next|num|output|pad|padding|per|placeholder|prompt|replace|sep"
    r"|separator|silence|special|speech|start|stop|task|text|think|thinking|time|total|unk|video|wake)_token$"
)
_ARGUMENT_OF_CONTENT = re.compile(
    r"(^|_)(checkpoint|checksum|commit|digest|file|folder|hash|id|model|name|path|pretrained|prompt|question|revision"
    r"|root|seed|sha|system|tag|template|text|url|version|voice|weight)$"
)
"""Arguments whose values may look generated without being secret, such as the commit of a model."""

_PREFIXED_KEY = re.compile(
    r"(?<![A-Za-z0-9])("
    r"(sk|pk|rk|gsk|gh[opsu]|github_pat|glpat|nvapi|xox[abeprs]|r8|whsec)[-_]([a-z]+\d*[-_])*(?=[a-z]*[A-Z\d])[A-Za-z0-9]{12,}"
    r"|hf_[A-Za-z0-9]{30,}|AIza[\w-]{30,}|(AKIA|ASIA)[A-Z0-9]{12,}|eyJ[\w-]{10,}\.[\w-]{10,})[\w.-]*"
)
"""Keys of well-known providers, and JSON web tokens."""
_LONG_WORD = re.compile(r"[A-Za-z0-9]{20,}")


def is_secret_name(name: str) -> bool:
    """Return whether an argument, header or environment variable of this name contains a secret.

    >>> [is_secret_name(name) for name in ("X-Api-Key", "accessToken2", "max_tokens", "api_key_env")]
    [True, True, False, False]
    """
    normalised, is_plural = _normalise_name(name)
    if _HARMLESS_END.search(normalised):
        return False
    if _SECRET_WORD.search(normalised):
        return True
    match = _SECRET_END.search(normalised)
    if match is None:
        return False
    if match["kind"] == "token":
        return not is_plural and not _HARMLESS_TOKEN.search(normalised)
    return match["kind"] != "key" or not _HARMLESS_KEY.search(normalised)


def _normalise_name(name: str) -> tuple[str, bool]:
    """Return a name as words in lower case without plural and digits at the end, and whether it was a plural."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    words = re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")
    singular = re.sub(r"_?\d+$", "", words)
    is_plural = singular.endswith("s") and not singular.endswith(("ss", "sas"))
    return singular.removesuffix("s") if is_plural else singular, is_plural


def looks_generated(value: str) -> bool:
    """Return whether a value looks like a generated key rather than a name, a number or a path."""
    if _PREFIXED_KEY.search(value):
        return True
    return "/" not in value and "\\" not in value and any(map(_is_random, _LONG_WORD.findall(value)))


def _is_random(word: str) -> bool:
    """Return whether letters, capitals and digits alternate as often as they do in random characters."""
    if not re.search(r"\d", word) or not re.search(r"[A-Za-z]", word):
        return False
    if re.fullmatch(r"[0-9a-f]{32,}|[0-9A-F]{32,}", word):
        return True
    changes = len(re.findall(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=\d)(?=[A-Za-z])", word))
    has_both_cases = re.search("[a-z]", word) and re.search("[A-Z]", word)
    return changes >= len(word) * 0.45 if has_both_cases else len(word) >= 24 and changes >= len(word) * 0.25


class Form(NamedTuple):
    """One way in which a secret may be written."""

    start: bytes
    """What to search for, in lower case."""
    whole: bytes
    """Pattern of the secret."""
    beginning: bytes
    """Pattern of a word that begins like the secret; empty if only the whole is distinctive."""

    @classmethod
    def of(cls, text: str) -> Form:
        whole = text.encode()
        if len(text) <= PREFIX_CHARS or re.search(r'[\s"\\]', text):  # a passphrase, or quoted in JSON
            return cls(whole.lower(), re.escape(whole), b"")
        start = text[:PREFIX_CHARS].encode()
        return cls(start.lower(), re.escape(whole), re.escape(start) + rb"(\.?[\w\-+/=%*~])*")


class SecretRegistry:
    """The secrets of this process, which are removed from everything that is stored or shown.

    A run registers its arguments before anything is written. Environment variables are read at the same time, and
    on first use.
    """

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._has_read_environment = False
        self._plain_forms: tuple[Form, ...] = ()
        self._base64_forms: tuple[Form, ...] = ()

    def register(self, *arguments: Mapping[str, Any]) -> None:
        """Register the secrets among the arguments of models, and those in environment variables."""
        self._has_read_environment = True
        self.add(secret for mapping in arguments for secret in find_secrets(mapping))
        self.add(_find_environment_secrets())

    def add(self, values: Iterable[str]) -> None:
        """Register values; those that could be ordinary words are ignored."""
        for value in {value for value in values if _is_distinctive(value)} - self._values:
            self._values.add(value)
            self._plain_forms += tuple(map(Form.of, _plain_forms(value)))
            self._base64_forms += tuple(map(Form.of, _base64_forms(value)))

    def clear(self) -> None:
        """Forget all secrets."""
        self._values, self._plain_forms, self._base64_forms = set(), (), ()
        self._has_read_environment = False

    def _has_secrets(self) -> bool:
        if not self._has_read_environment:
            self.register()
        return bool(self._values)

    def redact(self, text: str) -> str:
        """Return a text without secrets."""
        if not self._has_secrets():
            return text
        return self.redact_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def redact_bytes(self, content: bytes) -> bytes:
        """Return a document without secrets, in any of their forms."""
        return _replace_forms(content, self._plain_forms + self._base64_forms) if self._has_secrets() else content

    def redact_line(self, line: bytes) -> bytes:
        """Return a line of a journal without secrets; this runs for every sample, so base64 is not searched for."""
        return _replace_forms(line, self._plain_forms) if self._has_secrets() else line


def _replace_forms(content: bytes, forms: Iterable[Form]) -> bytes:
    lowered = content.lower()
    present = [form for form in forms if form.start in lowered]  # much faster than a pattern that ignores case
    if not present:
        return content
    patterns = [form.whole for form in present] + [form.beginning for form in present if form.beginning]
    return re.sub(b"|".join(patterns), HIDDEN.encode(), content, flags=re.IGNORECASE)


def _plain_forms(value: str) -> set[str]:
    """Return a secret as it is, and as it appears in URLs, JSON and HTML."""
    import html  # commands that only print start faster without these modules
    import json
    from urllib.parse import quote

    return {value, quote(value, safe=""), json.dumps(value, ensure_ascii=False)[1:-1], html.escape(value)}


def _base64_forms(value: str) -> list[str]:
    """Return what base64 makes of a secret that begins anywhere within a group of three bytes."""
    import base64

    if len(value) < MIN_BASE64_CHARS:
        return []
    padded = (base64.b64encode(b"\0" * offset + value.encode()).decode() for offset in range(3))
    return [form[mixed:] for form, mixed in zip(padded, (0, 2, 3), strict=True)]


SECRETS = SecretRegistry()


class RedactingStream(TextIOBase):
    """A text stream that removes secrets from what is written to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(SECRETS.redact(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def redact(arguments: Mapping[str, Any], *, hide_generated: bool = True) -> dict[str, Any]:
    """Return arguments with secrets replaced by `…`.

    Arguments ending in `_env` name an environment variable and are kept. Any header may contain a secret, so only
    the names of headers are kept, and references to environment variables. Of a value that looks generated under a
    harmless name a short digest is kept, so that two values stay different.

    Args:
        arguments: Arguments of a model or a task, which may be nested.
        hide_generated: Whether to hide values that look generated; not those of a task, which are data.

    >>> redact({"api_key": "sk-1", "api_key_env": "OPENAI_API_KEY"})
    {'api_key': '…', 'api_key_env': 'OPENAI_API_KEY'}
    """
    return {name: _redact_argument(str(name), value, hide_generated) for name, value in arguments.items()}


def redact_text(text: str) -> str:
    """Return a text without registered secrets, private keys, and what may be secret in URLs."""
    without_keys = _PARAMETER.sub(_redact_secret_parameter, PRIVATE_KEY.sub(HIDDEN, text))
    return SECRETS.redact(URL.sub(_redact_url, without_keys))


def _redact_secret_parameter(parameter: re.Match[str]) -> str:
    """Return a parameter of an address that may lack its scheme, `host/v1?key=…`, without a secret."""
    return f"{parameter[1]}{HIDDEN}" if _is_secret_parameter(parameter[2]) else parameter[0]


def _redact_url(url: re.Match[str]) -> str:
    """Return a URL without its user, its fragment, and all values of its query that are not known to be public."""
    address, has_fragment, _ = url[0].partition("#")
    address, mark, query = address.partition("?")
    address = "/".join(_PREFIXED_KEY.sub(HIDDEN, part) for part in USER_IN_URL.sub(f"{HIDDEN}@", address).split("/"))
    query = re.sub(r"(?<![^&;])([^=&;]+)(?:=([^&;]*))?", _redact_parameter, query)
    return f"{address}{mark}{query}{f'#{HIDDEN}' if has_fragment else ''}"


def _redact_parameter(parameter: re.Match[str]) -> str:
    name, value = parameter.groups()
    if value is None:  # a query that is nothing but a token
        return HIDDEN
    return parameter[0] if not value or _is_public(name, value) else f"{name}={HIDDEN}"


def _is_public(name: str, value: str) -> bool:
    """Return whether a parameter of a URL may be shown."""
    if _is_secret_parameter(name):
        return False
    return bool(_PUBLIC_PARAMETER.fullmatch(name) or re.fullmatch(r"\d{1,4}|true|false", value))


def _is_secret_parameter(name: str) -> bool:
    return is_secret_name(name) or name.lower() in ("key", "code")


def _redact_argument(name: str, value: Any, hide_generated: bool) -> Any:
    if _is_hidden(name, value):
        return HIDDEN
    if isinstance(value, Mapping):
        if _HEADERS.search(_normalise_name(name)[0]):
            return {header: text if _is_reference(text) else HIDDEN for header, text in value.items()}
        return redact(value, hide_generated=hide_generated)
    if isinstance(value, (list, tuple)):
        return [_redact_argument(name, item, hide_generated) for item in value]
    return _redact_value(name, value, hide_generated) if isinstance(value, str) else value


def _redact_value(name: str, value: str, hide_generated: bool) -> str:
    from hashlib import blake2b

    normalised = _normalise_name(name)[0]
    if hide_generated and looks_generated(value) and not _ARGUMENT_OF_CONTENT.search(normalised):
        return f"{HIDDEN}#{blake2b(value.encode(), digest_size=4).hexdigest()}"
    for secret in _find_in_connection(value):
        value = value.replace(secret, HIDDEN)
    if hide_generated and _URL_ARGUMENT.search(normalised):
        value = "/".join(HIDDEN if looks_generated(part) else part for part in value.split("/"))
    return redact_text(value)


def _is_reference(header: Any) -> bool:
    """Return whether a header only names an environment variable, as in `Bearer $KEY`."""
    return isinstance(header, str) and VARIABLE_REFERENCE.sub("", header).strip() in ("", "Basic", "Bearer", "Token")


def _is_hidden(name: str, value: Any) -> bool:
    """Return whether an argument is hidden as a whole; switches such as `use_auth_token=True` are not."""
    if not value or isinstance(value, bool):
        return False
    return is_secret_name(name) or (not isinstance(value, Mapping) and bool(_HEADERS.search(_normalise_name(name)[0])))


def find_secrets(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values among arguments that `redact` would hide."""
    for name, value in arguments.items():
        yield from _find_in_value(str(name), value)


def _find_in_value(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if _HEADERS.search(_normalise_name(name)[0]):
            yield from _find_in_headers(value)
        is_secret = is_secret_name(name)
        for inner_name, inner_value in value.items():
            yield from _find_in_value(name if is_secret else str(inner_name), inner_value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _find_in_value(name, item)
    elif isinstance(value, str):
        yield from _find_in_text(name, value)


def _find_in_headers(headers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of headers unless their name is known to be harmless, and of variables they refer to."""
    for name, value in headers.items():
        for match in VARIABLE_REFERENCE.finditer(str(value)):
            yield from _find_in_variable(match[1])
        if isinstance(value, str) and "$" not in value and not _PUBLIC_HEADER.search(str(name)):
            yield from dict.fromkeys((value, *value.split()))


def _find_in_variable(name: str) -> list[str]:
    value = os.environ.get(name, "")
    return [] if _is_path(value) else [value]


def _find_in_text(name: str, text: str) -> Iterator[str]:
    if name.endswith("_env"):
        yield from _find_in_variable(text)
    for url in URL.findall(text):
        yield from _find_in_url(url, has_key_in_path=bool(_URL_ARGUMENT.search(_normalise_name(name)[0])))
    for key in PRIVATE_KEY.finditer(text):
        yield from key[0].split("\n")[1:-1]
    yield from _find_in_connection(text)
    if is_secret_name(name):
        yield from (text, *text.split())  # also the key of `Bearer KEY`
    elif not _ARGUMENT_OF_CONTENT.search(_normalise_name(name)[0]):
        yield from filter(looks_generated, re.split(r"[\s,;=]+", text))


def _find_environment_secrets() -> Iterator[str]:
    for name, value in os.environ.items():
        if not _is_path(value):
            yield from _find_in_text(name, value)


def _is_path(value: str) -> bool:
    return value.startswith(("/", "~", "."))


def _find_in_url(url: str, *, has_key_in_path: bool) -> Iterator[str]:
    """Yield what would be hidden in a URL, unless it looks like ordinary words."""
    address, _, fragment = url.partition("#")
    address, _, query = address.partition("?")
    if user := USER_IN_URL.search(address):
        name, has_password, password = user[0].removesuffix("@").partition(":")
        yield password if has_password else name
    for parameter in re.split("[&;]", query):
        name, has_value, value = parameter.partition("=")
        if not has_value:
            name, value = "", parameter
        if _is_secret_parameter(name) or not (_is_public(name, value) or WORDS.fullmatch(value)):
            yield value
    if not WORDS.fullmatch(fragment):
        yield from (fragment, fragment.partition("=")[2])
    if has_key_in_path:
        yield from filter(looks_generated, address.split("/"))


def _find_in_connection(text: str) -> Iterator[str]:
    """Yield the secrets in a list of settings, such as `Server=db;Password=…` or `host=db password=…`."""
    fields = _FIELD_OF_CONNECTION.findall(text)
    if len(fields) > 1:
        yield from (value for name, value in fields if is_secret_name(name))


def _is_distinctive(value: str) -> bool:
    """Return whether a value is long enough, and unlike a word or a number, to be searched for in texts."""
    if len(value) < MIN_SECRET_CHARS or not value.isprintable() or not re.search(r"[A-Za-z]", value):
        return False
    return len(value) >= 16 or bool(re.search(r"\d|[a-z].*[A-Z]", value))
