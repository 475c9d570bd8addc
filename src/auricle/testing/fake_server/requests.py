"""Requests as they arrive, reduced to what an answer needs; the malformed are refused."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

import orjson

from auricle.testing.fake_server import tone
from auricle.testing.fake_server.script import digest_of

BYTES_PER_TOKEN = 640
"""Fifty tokens a second of 16 kHz sound."""
MOST_TOP = 20
"""As OpenAI has it."""
FORMATS = ("json", "text", "verbose_json")
TOKEN = re.compile(r"\s*[\u3040-\u30ff\u3400-\u9fff]|\s*[^\s\u3040-\u30ff\u3400-\u9fff]+|\s+")
BOUNDARY = re.compile(r'boundary="?([^";]+)')
LABEL = re.compile(r';\s*(name|filename\*?)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))')


class Refusal(Exception):
    """A request that is not answered, and why; `code` is what it is counted as."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def bad(message: str) -> Refusal:
    return Refusal(400, "invalid_request", message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request of any protocol: what follows from it, and in which form it wants that."""

    model: str
    words: str
    """What to answer unless the script says otherwise."""
    input_tokens: int
    limit: int | None = None
    """The most tokens wanted."""
    stream: bool = False
    usage: bool = False
    """Is a stream to end with token counts?"""
    counting: bool = False
    """Is it to tell with all its words how many tokens they are so far, as vLLM can?"""
    logprobs: bool = False
    top: int = 0
    """How many of the likeliest tokens to tell in each place of the answer."""
    prompt: str = ""
    """All that was read as one text, where its tokens are asked about."""
    prompt_logprobs: bool = False
    echo: bool = False
    voice: str = ""
    """The sound format of a spoken answer: `wav` or `pcm16`."""
    form: str = "json"
    language: str = "english"
    task: str = "transcribe"
    seconds: float = 0.0


class Body:
    """The bytes of a request, and what they are said to be."""

    def __init__(self, content: bytes, content_type: str) -> None:
        self.content = content
        found = BOUNDARY.search(content_type) if content_type.startswith("multipart/") else None
        self._pieces = content.split(b"--" + found[1].encode()) if found else [content]
        self._multipart = bool(found)

    @cached_property
    def digest(self) -> str:
        """Without the boundaries of a form, which differ each time the same is sent."""
        return digest_of(*self._pieces)

    def document(self) -> dict[str, Any]:
        try:
            document = orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            raise bad(f"The body is not JSON: {error}.") from error
        if not isinstance(document, dict):
            raise bad("The body must be a JSON object.")
        return document

    def form(self) -> dict[str, tuple[str, bytes]]:
        """Fields of a form by name: file name and content."""
        if not self._multipart:
            raise bad("The body must be multipart/form-data.")
        return dict(_field(piece) for piece in self._pieces[1:-1])


def _field(piece: bytes) -> tuple[str, tuple[str, bytes]]:
    head, _, value = piece.partition(b"\r\n\r\n")
    labels = {
        label[1]: label[2] or label[3] or ""
        for label in LABEL.finditer(head.decode("utf-8", "replace"))
    }
    extended = labels.get("filename*", "").rpartition("''")[2]
    return labels.get("name", ""), (
        unquote(extended or labels.get("filename", "")),
        value.removesuffix(b"\r\n"),
    )


def tokens_of(text: str) -> list[str]:
    """Words with the space before them; a Chinese or Japanese character is a token."""
    return TOKEN.findall(text)


def noticed(verb: str, content: bytes) -> str:
    """All that this server understands of a sound or picture: `heard 3f2a9c`."""
    return f"{verb} {digest_of(content)[:6]}"


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message; what is encoded is decoded only if the answer is about it."""

    verb: str
    text: str
    encoded: bool = False

    @property
    def tokens(self) -> int:
        if not self.verb:
            return len(tokens_of(self.text))
        return max(1, len(self.text) * 3 // 4 // BYTES_PER_TOKEN)

    def words(self) -> str:
        if not self.verb:
            return self.text
        return noticed(self.verb, _decoded(self.text) if self.encoded else self.text.encode())


Turns = list[tuple[Any, list[Part]]]
"""Roles and what they said."""


def _words(turns: Turns) -> str:
    """What was heard and seen in the user's last turn, or else its text."""
    last: list[Part] = next((parts for role, parts in reversed(turns) if role == "user"), [])
    media = [part for part in last if part.verb]
    if media:
        return " ".join(part.words() for part in media)
    return "\n".join(part.text for part in last)


def _tokens(turns: Turns) -> int:
    return sum(part.tokens for _, parts in turns for part in parts)


# --- OpenAI's conversations ------------------------------------------------------


def read_chat(body: Body, name: str | None) -> Question:
    document = body.document()
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise bad("`messages` must be a list of at least one message.")
    turns = [(message.get("role"), list(_parts(message))) for message in map(_object, messages)]
    return Question(
        model=name or _model(document),
        words=_words(turns),
        input_tokens=_tokens(turns),
        limit=_limit(document, "max_completion_tokens", "max_tokens"),
        stream=bool(document.get("stream")),
        usage=bool(_inner(document, "stream_options").get("include_usage")),
        counting=bool(_inner(document, "stream_options").get("continuous_usage_stats")),
        logprobs=bool(document.get("logprobs")),
        top=_top(document),
        prompt=_rendered(turns, document) if _asks_of_prompt(document) else "",
        prompt_logprobs=_asks_of_prompt(document),
        voice=_voice(document),
    )


def _asks_of_prompt(document: Mapping[str, Any]) -> bool:
    """Zero is a number, too: of each token itself, and of no other."""
    return document.get("prompt_logprobs") is not None


def _top(document: Mapping[str, Any]) -> int:
    top = document.get("top_logprobs") or 0
    if not isinstance(top, int) or not 0 <= top <= MOST_TOP:
        raise bad(f"`top_logprobs` must be a number from 0 to {MOST_TOP}, not {top!r:.40}.")
    if top and not document.get("logprobs"):
        raise bad("`top_logprobs` needs `logprobs` to be true.")
    return top


def _rendered(turns: Turns, document: Mapping[str, Any]) -> str:
    """A chat template of its own: a line a turn, and the last one left open if it goes on."""
    text = "".join(f"{role}: {' '.join(part.words() for part in said)}\n" for role, said in turns)
    if document.get("continue_final_message"):
        return text.removesuffix("\n")
    return f"{text}assistant: " if document.get("add_generation_prompt", True) else text


# --- OpenAI's older completions ----------------------------------------------------


def read_completion(body: Body, name: str | None) -> Question:
    """A bare text; what it says last is what is answered."""
    document = body.document()
    prompt = document.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise bad("`prompt` must be a text.")
    echo = bool(document.get("echo"))
    silent = echo and document.get("max_tokens") == 0
    return Question(
        model=name or _model(document),
        words="" if silent else prompt.rstrip().rpartition("\n")[2],
        input_tokens=len(tokens_of(prompt)),
        limit=None if silent else _limit(document, "max_tokens"),
        logprobs=document.get("logprobs") is not None,
        prompt=prompt,
        prompt_logprobs=_asks_of_prompt(document),
        echo=echo,
    )


def _parts(message: Mapping[str, Any]) -> Iterator[Part]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        yield Part("", content or "")
    elif isinstance(content, list):
        for each in content:
            yield _part(each)
    else:
        raise bad("A message's `content` must be a string or a list of parts.")


def _part(part: Any) -> Part:
    match part:
        case {"type": "text", "text": str(text)}:
            return Part("", text)
        case {"type": "input_audio", "input_audio": {"data": str(data), "format": str()}}:
            return Part("heard", data, encoded=True)
        case {"type": "audio_url", "audio_url": {"url": str(url)}}:
            return _linked("heard", url)
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return _linked("saw", url)
    kind = part.get("type") if isinstance(part, dict) else type(part).__name__
    raise bad(f"Not a content part: {kind!r}. Known: text, input_audio, audio_url, image_url.")


def _linked(verb: str, url: str) -> Part:
    """A data URL holds its content; any other stands for it, as nothing is fetched."""
    head, comma, data = url.partition(",")
    if url.startswith("data:") and comma and head.endswith(";base64"):
        return Part(verb, data, encoded=True)
    return Part(verb, url)


def _voice(document: Mapping[str, Any]) -> str:
    if "audio" not in (document.get("modalities") or ()):
        return ""
    form = _inner(document, "audio").get("format", "wav")
    if form not in ("wav", "pcm16"):
        raise bad(f"`audio.format` must be wav or pcm16 here, not {form!r}.")
    return str(form)


# --- OpenAI's uploads ------------------------------------------------------------


def read_upload(task: str) -> Callable[[Body, str | None], Question]:
    """Read a form with a sound, to be transcribed or translated."""

    def read(body: Body, name: str | None) -> Question:
        fields = body.form()
        if "file" not in fields:
            raise bad("The form has no field `file`.")
        texts = {key: value.decode("utf-8", "replace") for key, (_, value) in fields.items()}
        form = texts.get("response_format", "json")
        if form not in FORMATS:
            raise bad(f"`response_format` must be one of {', '.join(FORMATS)}, not {form!r}.")
        file_name, content = fields["file"]
        words = PurePath(file_name).stem.replace("_", " ")
        return Question(
            model=name or _model(texts),
            words=words or noticed("heard", content),
            input_tokens=max(1, len(content) // BYTES_PER_TOKEN),
            form=form,
            task=task,
            language="english" if task == "translate" else texts.get("language", "english"),
            seconds=tone.seconds(content),
        )

    return read


# --- Gemini ----------------------------------------------------------------------


def read_gemini(body: Body, name: str | None) -> Question:
    document = body.document()
    contents = document.get("contents")
    if not isinstance(contents, list) or not contents:
        raise bad("`contents` must be a list of at least one content.")
    turns = [
        (content.get("role", "user"), [_gemini_part(part) for part in content.get("parts") or ()])
        for content in map(_object, contents)
    ]
    config = _inner(document, "generationConfig") or _inner(document, "generation_config")
    return Question(
        model=name or "",
        words=_words(turns),
        input_tokens=_tokens(turns),
        limit=_limit(config, "maxOutputTokens", "max_output_tokens"),
    )


def _gemini_part(part: Any) -> Part:
    match part:
        case {"text": str(text)}:
            return Part("", text)
        case {"inlineData": dict(inline)} | {"inline_data": dict(inline)}:
            kind = str(inline.get("mimeType") or inline.get("mime_type"))
            verb = "heard" if kind.startswith("audio/") else "saw"
            return Part(verb, str(inline.get("data", "")), encoded=True)
        case {"fileData": dict(file)} | {"file_data": dict(file)}:
            return Part("heard", str(file.get("fileUri") or file.get("file_uri")))
    raise bad("A part must have one of text, inlineData and fileData.")


def _model(document: Mapping[str, Any]) -> str:
    model = document.get("model")
    if not model or not isinstance(model, str):
        raise bad("`model` must be named.")
    return model


def _limit(document: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        limit = document.get(name)
        if limit is None:
            continue
        if not isinstance(limit, int) or limit < 1:
            raise bad(f"`{name}` must be a number of tokens, not {limit!r:.40}.")
        return limit
    return None


def _inner(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    return _object(document.get(name) or {})


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise bad(f"An object was due, not {value!r:.40}.")
    return value


def _decoded(data: str) -> bytes:
    try:
        return binascii.a2b_base64(data.encode(), strict_mode=True)
    except binascii.Error as error:
        raise bad(f"A sound or picture is not base64: {error}.") from error
