"""Parse requests of each protocol into what an answer needs, and reject malformed ones."""

from __future__ import annotations

import binascii
import io
import re
import wave
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import orjson

from auricle.testing.fake_server.script import compute_digest

BYTES_PER_TOKEN = 640
"""Bytes of audio per input token: 50 tokens per second of 16 kHz audio."""
MAX_TOP_LOGPROBS = 20
"""OpenAI's limit."""
MAX_QUOTED_CHARS = 200
MEDIA_VERBS = {"audio": "heard", "image": "saw", "video": "watched"}
RESPONSE_FORMATS = ("json", "text", "verbose_json")
GRANULARITIES = ("word", "segment")
TOKEN_PATTERN = re.compile(r"\s*[\u3040-\u30ff\u3400-\u9fff]|\s*[^\s\u3040-\u30ff\u3400-\u9fff]+|\s+")
BOUNDARY_PATTERN = re.compile(r'boundary="?([^";]+)')
NAME_PATTERN = re.compile(r';\s*name=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))')


class Refusal(Exception):
    """A rejected request; `code` is the name under which it is counted."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def invalid_request(message: str) -> Refusal:
    return Refusal(400, "invalid_request", message)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRequest:
    """A request of any protocol: the text of its reply and the requested format."""

    model: str
    reply_text: str
    """Text to answer, unless the script sets a reply or knows the sounds."""
    input_tokens: int
    sounds: tuple[bytes, ...] = ()
    """Audio files to which the request asks for an answer."""
    question: str = ""
    """Text beside the sounds."""
    max_tokens: int | None = None
    stream: bool = False
    chunk_format: Literal["chat", "completion", "transcript", "gemini", "response", "speech"] = "chat"
    """Protocol of the events of a stream."""
    include_usage: bool = False
    """Whether a stream ends with token counts."""
    continuous_usage: bool = False
    """Whether every event of a stream has the token count so far, a vLLM extension."""
    logprobs: bool = False
    top_logprobs: int = 0
    """Number of most likely tokens to list for each token of the answer."""
    prompt: str = ""
    """The prompt as one text, if log-probabilities of its tokens are requested."""
    prompt_logprobs: bool = False
    echo: bool = False
    audio_format: str = ""
    """Format of a spoken answer: `wav` or `pcm16`; empty for text."""
    response_format: str = "json"
    language: str = "english"
    task: str = "transcribe"
    audio_seconds: float = 0.0
    granularities: tuple[str, ...] = ()
    """What a transcript has the times of: `word`, `segment` or both."""


class RequestBody:
    """The body of a request, split at form boundaries if it is multipart."""

    def __init__(self, content: bytes, content_type: str) -> None:
        self.content = content
        boundary = BOUNDARY_PATTERN.search(content_type) if content_type.startswith("multipart/") else None
        self._sections = content.split(b"--" + boundary[1].encode()) if boundary else [content]
        self._is_multipart = bool(boundary)

    @cached_property
    def digest(self) -> str:
        """Digest of the body without form boundaries, which differ each time the same form is sent."""
        return compute_digest(*self._sections)

    def parse_json(self) -> dict[str, Any]:
        try:
            document = orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise invalid_request(f"The body is not JSON: {error}.") from error
        if not isinstance(document, dict):
            raise invalid_request("The body must be a JSON object.")
        return document

    def parse_form(self) -> dict[str, bytes]:
        """Return the content of each form field, by name."""
        if not self._is_multipart:
            raise invalid_request("The body must be multipart/form-data.")
        return dict(map(_parse_field, self._sections[1:-1]))

    def list_values(self, *names: str) -> list[str]:
        """Return the values of a form field that may occur several times, under any of its names."""
        fields = map(_parse_field, self._sections[1:-1])
        return [value.decode("utf-8", "replace") for name, value in fields if name in names]


def _parse_field(section: bytes) -> tuple[str, bytes]:
    head, _, value = section.partition(b"\r\n\r\n")
    name = NAME_PATTERN.search(head.decode("utf-8", "replace"))
    return name[1] or name[2] if name else "", value.removesuffix(b"\r\n")


def split_tokens(text: str) -> list[str]:
    """Split a text into words with the space before them; a Chinese or Japanese character is a token."""
    return TOKEN_PATTERN.findall(text)


def describe_media(verb: str, content: bytes) -> str:
    """Describe audio, an image or a video by a digest of its bytes, such as `heard 3f2a9c`."""
    return f"{verb} {compute_digest(content)[:6]}"


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A part of a message; base64 content is decoded only when the answer needs it."""

    verb: str
    """`heard` for audio, `saw` for images, `watched` for videos, empty for text."""
    content: str
    is_base64: bool = False
    file: Path | None = None
    """A file of this machine that contains the media."""

    @property
    def token_count(self) -> int:
        if not self.verb:
            return len(split_tokens(self.content))
        size = self.file.stat().st_size if self.file else len(self.content) * 3 // 4
        return max(1, size // BYTES_PER_TOKEN)

    def to_text(self) -> str:
        return describe_media(self.verb, self.read()) if self.verb else self.content

    def read(self) -> bytes:
        if self.file:
            return self.file.read_bytes()
        return _decode_base64(self.content) if self.is_base64 else self.content.encode()


ChatTurns = list[tuple[Any, list[ContentPart]]]
"""Role and parts of each message."""


class LastTurn:
    """The last user turn, which is the one to answer."""

    def __init__(self, turns: ChatTurns) -> None:
        self._parts: list[ContentPart] = next((parts for role, parts in reversed(turns) if role == "user"), [])

    def describe(self) -> str:
        """Return descriptions of the media, or the text if there are none."""
        return " ".join(part.to_text() for part in self._parts if part.verb) or self.text

    @property
    def text(self) -> str:
        return "\n".join(part.content for part in self._parts if not part.verb)

    @property
    def sounds(self) -> tuple[bytes, ...]:
        return tuple(part.read() for part in self._parts if part.verb == MEDIA_VERBS["audio"])


def count_tokens(turns: ChatTurns) -> int:
    return sum(part.token_count for _, parts in turns for part in parts)


# --- OpenAI chat completions -----------------------------------------------------


def read_chat(body: RequestBody, path_model: str | None) -> ParsedRequest:
    document = body.parse_json()
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid_request("`messages` must be a list of at least one message.")
    turns = [(message.get("role"), list(parse_parts(message))) for message in map(require_object, messages)]
    last_turn = LastTurn(turns)
    top = document.get("top_logprobs") or 0
    if not isinstance(top, int) or not 0 <= top <= MAX_TOP_LOGPROBS:
        raise invalid_request(f"`top_logprobs` must be an integer from 0 to {MAX_TOP_LOGPROBS}, not {top!r:.40}.")
    if top and not document.get("logprobs"):
        raise invalid_request("`top_logprobs` requires `logprobs` to be true.")
    return ParsedRequest(
        model=path_model or require_model(document),
        reply_text=last_turn.describe(),
        sounds=last_turn.sounds,
        question=last_turn.text,
        input_tokens=count_tokens(turns),
        max_tokens=parse_max_tokens(document, "max_completion_tokens", "max_tokens"),
        stream=bool(document.get("stream")),
        include_usage=bool(_get_object(document, "stream_options").get("include_usage")),
        continuous_usage=bool(_get_object(document, "stream_options").get("continuous_usage_stats")),
        logprobs=bool(document.get("logprobs")),
        top_logprobs=top,
        prompt=_render_chat(turns, document) if _wants_prompt_logprobs(document) else "",
        prompt_logprobs=_wants_prompt_logprobs(document),
        audio_format=_parse_audio_format(document),
    )


def _wants_prompt_logprobs(document: Mapping[str, Any]) -> bool:
    """Return whether log-probabilities of the prompt are requested; 0 requests them without alternatives."""
    return document.get("prompt_logprobs") is not None


def _render_chat(turns: ChatTurns, document: Mapping[str, Any]) -> str:
    """Render a chat as one line per turn; the last line stays open if it is to be continued."""
    text = "".join(f"{role}: {' '.join(part.to_text() for part in parts)}\n" for role, parts in turns)
    if document.get("continue_final_message"):
        return text.removesuffix("\n")
    return f"{text}assistant: " if document.get("add_generation_prompt", True) else text


# --- OpenAI completions --------------------------------------------------------------


def read_completion(body: RequestBody, path_model: str | None) -> ParsedRequest:
    """Read a completion request; the answer is the last line of its prompt."""
    document = body.parse_json()
    prompt = document.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise invalid_request("`prompt` must be a non-empty string.")
    echo = bool(document.get("echo"))
    echo_only = echo and document.get("max_tokens") == 0
    return ParsedRequest(
        model=path_model or require_model(document),
        reply_text="" if echo_only else prompt.rstrip().rpartition("\n")[2],
        input_tokens=len(split_tokens(prompt)),
        max_tokens=None if echo_only else parse_max_tokens(document, "max_tokens"),
        stream=bool(document.get("stream")),
        chunk_format="completion",
        include_usage=bool(_get_object(document, "stream_options").get("include_usage")),
        logprobs=document.get("logprobs") is not None,
        prompt=prompt,
        prompt_logprobs=_wants_prompt_logprobs(document),
        echo=echo,
    )


def parse_parts(message: Mapping[str, Any]) -> Iterator[ContentPart]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        yield ContentPart("", content or "")
    elif isinstance(content, list):
        yield from map(_parse_part, content)
    else:
        raise invalid_request("A message's `content` must be a string or a list of parts.")


def _parse_part(part: Any) -> ContentPart:
    match part:
        case {"type": "text", "text": str(text)}:
            return ContentPart("", text)
        case {"type": "input_audio", "input_audio": {"data": str(data), "format": str()}}:
            return ContentPart("heard", data, is_base64=True)
        case {"type": "audio_url", "audio_url": {"url": str(url)}}:
            return _parse_media_url("heard", url)
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return _parse_media_url("saw", url)
        case {"type": "video_url", "video_url": {"url": str(url)}}:
            return _parse_media_url("watched", url)
    kind = part.get("type") if isinstance(part, dict) else type(part).__name__
    expected = "text, input_audio, audio_url, image_url, video_url"
    raise invalid_request(f"Unknown content part: {kind!r}. Expected one of: {expected}.")


def _parse_media_url(verb: str, url: str) -> ContentPart:
    """Read a data URL or find a file of this machine; a web address is not fetched, and stands for its content."""
    head, comma, data = url.partition(",")
    if url.startswith("data:") and comma and head.endswith(";base64"):
        return ContentPart(verb, data, is_base64=True)
    if url.startswith(("http://", "https://", "data:")):
        return ContentPart(verb, url)
    path = Path(unquote(urlsplit(url).path) if url.startswith("file://") else url)
    try:
        if path.is_file():
            return ContentPart(verb, url, file=path)
    except (OSError, ValueError):  # too long, or not a path at all
        pass
    raise invalid_request(f"No such file on the server: {url[:MAX_QUOTED_CHARS]!r}. Send a data URL or a web address.")


def _parse_audio_format(document: Mapping[str, Any]) -> str:
    if "audio" not in (document.get("modalities") or ()):
        return ""
    audio_format = _get_object(document, "audio").get("format", "wav")
    if audio_format not in ("wav", "pcm16"):
        raise invalid_request(f"`audio.format` must be wav or pcm16, not {audio_format!r}.")
    return str(audio_format)


# --- OpenAI transcriptions and translations --------------------------------------


def read_upload(task: str, body: RequestBody, path_model: str | None) -> ParsedRequest:
    """Read a form with audio to transcribe or translate."""
    fields = body.parse_form()
    if "file" not in fields:
        raise invalid_request("The form has no field `file`.")
    values = {key: value.decode("utf-8", "replace") for key, value in fields.items() if key != "file"}
    response_format = values.get("response_format", "json")
    if response_format not in RESPONSE_FORMATS:
        formats = ", ".join(RESPONSE_FORMATS)
        raise invalid_request(f"`response_format` must be one of {formats}, not {response_format!r}.")
    content = fields["file"]
    granularities = body.list_values("timestamp_granularities[]", "timestamp_granularities")
    if granularities and response_format != "verbose_json":
        raise invalid_request("`timestamp_granularities` requires `response_format` to be verbose_json.")
    if unknown := [value for value in granularities if value not in GRANULARITIES]:
        raise invalid_request(f"`timestamp_granularities` must be word or segment, not {unknown[0]!r:.40}.")
    return ParsedRequest(
        model=path_model or require_model(values),
        reply_text=describe_media(MEDIA_VERBS["audio"], content),
        sounds=(content,),
        question=values.get("prompt", ""),
        input_tokens=max(1, len(content) // BYTES_PER_TOKEN),
        response_format=response_format,
        stream=values.get("stream") == "true",
        chunk_format="transcript",
        include_usage=True,
        task=task,
        language="english" if task == "translate" else values.get("language", "english"),
        audio_seconds=measure_seconds(content),
        granularities=tuple(granularities),
    )


def measure_seconds(content: bytes) -> float:
    """Return the length of audio by its WAV header; other formats count as 16-bit PCM at 16 kHz."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            return float(file.getnframes() / file.getframerate())
    except (wave.Error, EOFError):
        return len(content) / 32_000


# --- Gemini ----------------------------------------------------------------------


def read_gemini_stream(body: RequestBody, path_model: str | None) -> ParsedRequest:
    return replace(read_gemini(body, path_model), stream=True, chunk_format="gemini", include_usage=True)


def read_gemini(body: RequestBody, path_model: str | None) -> ParsedRequest:
    document = body.parse_json()
    contents = document.get("contents")
    if not isinstance(contents, list) or not contents:
        raise invalid_request("`contents` must be a list of at least one content.")
    turns = [
        (content.get("role", "user"), [_parse_gemini_part(part) for part in content.get("parts") or ()])
        for content in map(require_object, contents)
    ]
    config = _get_object(document, "generationConfig") or _get_object(document, "generation_config")
    last_turn = LastTurn(turns)
    return ParsedRequest(
        model=path_model or "",
        reply_text=last_turn.describe(),
        sounds=last_turn.sounds,
        question=last_turn.text,
        input_tokens=count_tokens(turns),
        max_tokens=parse_max_tokens(config, "maxOutputTokens", "max_output_tokens"),
    )


def _parse_gemini_part(part: Any) -> ContentPart:
    match part:
        case {"text": str(text)}:
            return ContentPart("", text)
        case {"inlineData": dict(inline)} | {"inline_data": dict(inline)}:
            kind = str(inline.get("mimeType") or inline.get("mime_type"))
            verb = MEDIA_VERBS.get(kind.partition("/")[0], "saw")
            return ContentPart(verb, str(inline.get("data", "")), is_base64=True)
        case {"fileData": dict(file)} | {"file_data": dict(file)}:
            return ContentPart("heard", str(file.get("fileUri") or file.get("file_uri")))
    raise invalid_request("A part must have a field text, inlineData or fileData.")


def require_model(document: Mapping[str, Any]) -> str:
    model = document.get("model")
    if not model or not isinstance(model, str):
        raise invalid_request("`model` must be a non-empty string.")
    return model


def parse_max_tokens(document: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        limit = document.get(name)
        if limit is None:
            continue
        if not isinstance(limit, int) or limit < 1:
            raise invalid_request(f"`{name}` must be a positive integer, not {limit!r:.40}.")
        return limit
    return None


def _get_object(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    return require_object(document.get(name) or {})


def require_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise invalid_request(f"Expected an object, not {value!r:.40}.")
    return value


def _decode_base64(data: str) -> bytes:
    try:
        return binascii.a2b_base64(data.encode(), strict_mode=True)
    except binascii.Error as error:
        raise invalid_request(f"Audio or image data is not valid base64: {error}.") from error
