"""The structure of a reply: its thought, markup, and fields of JSON.

A thought is no part of the answer. What markup or a field of structured output holds is the answer, so nothing else in
the reply is looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auricle.core.truncation import THOUGHT_TAGS
from auricle.text.reading.words import fold

MAX_START, MAX_END = 2_000, 4_000
"""Characters at the start and the end of a reply that are read; a model that repeats itself may write a million."""
_MAX_JSON, _MAX_OBJECTS, _MAX_FIELDS = 20_000, 50, 30
_THOUGHT_OPENS = re.compile(rf"<(?:({THOUGHT_TAGS})|\|({THOUGHT_TAGS})\|)>", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(rf"<(?:/(?:{THOUGHT_TAGS})|\|/(?:{THOUGHT_TAGS})\|)>", re.IGNORECASE)
_MARKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\\f?boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}",
        r"<(?:final[_ ]?)?answer>([^<]*)(?:</|\Z)",
        r"\[\[([^\[\]]*)\]\]",
        r"<<([^<>]*)>>",
    )
)
_MARKUP = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"\A\s*<<[^<>\n]*>>[ \t]*\n(?=\s*\S)", ""),  # a title
        (r"\[\[|\]\]|<<|>>", " "),
        (r"\\(?:text|math|operatorname)[a-z]*\s*\{([^{}]*)\}", r"\1"),
        (r"\\f?boxed\s*\{([^{}]*)\}", r"\1"),
        (r"<\|[^<>|]{0,40}\|>|</?[a-z][^<>]{0,40}>", " "),
        (r"\\[()\[\]]|\\(?=\s)", " "),
        (r"~~[^~\n]+~~", " "),
        (r"```(?:[a-z]+(?=\n))?", "\n"),
        (r"[*`]+", ""),
        (r"^[ \t]*(?:[#>•+-]+[ \t]+)+", ""),
        (r"^(?:assistant|model|user)[ \t]*:?[ \t]*$", ""),
    )
)
_EMOJI = re.compile("(?![🌟👍👎])[\U0001f300-\U0001faff\u2639-\u263b\u266a\u266b\u2728\u2764\ufe0f\u200d]+")
"""Pictures without meaning for an answer; stars, thumbs, ticks and crosses have one."""


def drop_thought(reply: str) -> str:
    """Return a reply without its thoughts; what follows one without an end is part of it."""
    kept, at = [], 0
    while opened := _THOUGHT_OPENS.search(reply, at):
        kept.append(reply[at : opened.start()])
        name = opened[1] or opened[2]
        ends = re.compile(rf"</{name}>|<\|/{name}\|>", re.IGNORECASE).search(reply, opened.end())
        at = ends.end() if ends else len(reply)
    rest = "".join(kept) + reply[at:]
    *_, last = [0, *(match.end() for match in _THOUGHT_ENDS.finditer(rest))]  # an end without a beginning
    return rest[last:]


def clean_reply(reply: str) -> str:
    """Return a reply as plain text, without thought and markup, and without the middle if it is very long."""
    text = drop_thought(reply)
    if len(text) > MAX_START + MAX_END:
        text = f"{text[:MAX_START]}\n{text[-MAX_END:]}"
    text = fold(_EMOJI.sub(" ", text))
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    text = text.strip()
    return text[1:-1] if text[:1] == text[-1:] == '"' and text.count('"') == 2 else text


def marked_answers(reply: str) -> list[str]:
    """Return what markup for answers holds, such as `[[B]]`, `<answer>B</answer>` or a LaTeX box."""
    for pattern in _MARKED:
        if hit := pattern.findall(reply):
            return list(dict.fromkeys(hit))
    return []


# --- fields -----------------------------------------------------------------------------

_OBJECT_START = re.compile(r"\{\s*[\"']|\[\s*\{")
_ANSWER_KEYS, _OTHER_KEYS = (
    frozenset(words.split())
    for words in (
        """answer answers final prediction predicted choice option label letter result selected selection response
        verdict antwort réponse respuesta resposta risposta ответ 答案 回答 答え 解答 정답 답변""",
        """alternative alternatives second runner transcription transcript text quote lyrics confidence probability
        certainty reason reasoning explanation rationale thought thoughts analysis evidence note notes comment
        justification options choices candidates question example wrong rejected excluded not other others id index
        language""",
    )
)
"""Words of the names of fields that hold the answer, and of those that never do."""
_KEY_WORD = re.compile(r"[^\W\d_]+")


def parse_object(reply: str) -> Mapping[str, Any] | None:
    """Return the JSON object or list of objects in a reply; the last one, if there are several."""
    if "{" not in reply or len(reply) > _MAX_JSON:
        return None
    decoder, at, hit = json.JSONDecoder(strict=False), 0, None
    for _ in range(_MAX_OBJECTS):
        start = _OBJECT_START.search(reply, at)
        if not start:
            break
        try:
            value, at = decoder.raw_decode(reply, start.start())
        except (ValueError, RecursionError):
            at = start.end()
            continue
        hit = value if isinstance(value, dict) else {"": value}
    return hit


_FIELD_LINE = re.compile(r"[\s\-*\"']*([^\W\d_][\w \-]{0,30}?)[\"'*]*\s*[:=]\s*(\S.*)")


def parse_lines(reply: str) -> Mapping[str, Any] | None:
    """Return the fields of a reply of which every line is one: "emotion: sad", "confidence: 0.9"."""
    lines = [line for line in reply.split("\n") if line.strip() and not line.startswith("```")]
    if not 2 <= len(lines) <= _MAX_FIELDS:
        return None
    fields = [_FIELD_LINE.fullmatch(line) for line in lines]
    return {field[1]: field[2] for field in fields if field} if all(fields) else None


def answer_fields(fields: Mapping[str, Any], asked: str = "") -> Iterator[list[Any]]:
    """Yield the values of fields that may hold the answer: first of answer-like keys, then of all others.

    Args:
        fields: A JSON object.
        asked: The question, whose words may be keys of answers.
    """
    by_rank: dict[int, list[Any]] = {}
    for path, value in _leaves(fields, ()):
        words = {word.casefold() for word in _KEY_WORD.findall(" ".join(path).replace("_", " "))}
        if words & _OTHER_KEYS:
            continue
        rank = 0 if words & _ANSWER_KEYS else 1 if words & set(asked.casefold().split()) else 2
        by_rank.setdefault(rank, []).append(value)
    for _, values in sorted(by_rank.items()):
        yield values


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _leaves(child, (*path, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for child in value:
            yield from _leaves(child, path)
    else:
        yield path, value
