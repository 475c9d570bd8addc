"""Remove reasoning and markup from a reply, and make marked answers explicit."""

from __future__ import annotations

import re
import unicodedata

from auricle.core.truncation import THOUGHT_TAGS
from auricle.text.profiles import simplify_chinese

_PUNCTUATION = str.maketrans(
    {**dict.fromkeys("“”„«»「」『』", '"'), **dict.fromkeys("‘’´", "'"), "【": "[", "】": "]", "−": "-"}
)
_EMOJI = re.compile("(?![🌟👍👎])[\U0001f300-\U0001faff\u2639-\u263b\u266a\u266b\u2728\u2764\ufe0f\u200d]+")
"""Pictures without meaning for an answer; stars, thumbs, ticks and crosses have one."""
_ANSWER_FIELDS = (
    "answer|antwort|réponse|reponse|respuesta|resposta|risposta|ответ|答案|回答|答え|解答|正解|정답|답변|답|대답"
)
_MARKED_ANSWER = r"\nanswer: \1\n"
_QUOTES = re.compile("[\"']")
_MAX_QUOTES = 200
"""Quotation marks up to which a reply is taken to quote something."""
MAX_START, MAX_END = 2_000, 4_000
"""Characters at the start and the end of a reply that are read; a model that repeats itself may write a million."""

# Each row removes one kind of markup; the order matters, inner before outer.
_UNWRAP = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL | re.MULTILINE), replacement)
    for pattern, replacement in (
        (rf"<({THOUGHT_TAGS})>.*?(?:</\1>|\Z)", "\n"),
        (rf"\A.*</(?:{THOUGHT_TAGS})>", ""),
        (r"\\(?:text|math|operatorname)[a-z]*\s*\{([^{}]*)\}", r"\1"),
        (r"\\f?boxed\s*\{\s*([^{}]*)\}", _MARKED_ANSWER),
        (r"\[\[([^\[\]]*)\]\]", _MARKED_ANSWER),
        (r"<(?:final[_ ]?)?answer>(.*?)(?:</(?:final[_ ]?)?answer>|\Z)", _MARKED_ANSWER),
        (rf"\"(?:final[_ ])?({_ANSWER_FIELDS})\"\s*:\s*\"([^\"\n]*)\"", r"\n\1: \2\n"),
        (r"<\|[^<>|]{0,40}\|>|</?[a-z][^<>]{0,40}>", " "),
        (r"\\[()\[\]]|\$|\\(?=\s)", " "),
        (r"~~[^~\n]+~~", " "),
        (r"```(?:[a-z]+(?=\n))?", "\n"),
        (r"[*`]+", ""),
        (r"(?<![^\W_])_+|_+(?![^\W_])", ""),
        (r"^[ \t]*(?:[#>•+-]+[ \t]+)+", ""),
        (r"[ \t]{200,}", "   "),
    )
)


_HAN, _KANA = re.compile("[\u4e00-\u9fff]"), re.compile("[\u3041-\u30ff]")


def simplify(text: str) -> str:
    """Return Chinese text with simplified characters, and other text unchanged."""
    return simplify_chinese(text) if _HAN.search(text) and not _KANA.search(text) else text


def clean_reply(reply: str) -> str:
    """Return a reply as plain text, without reasoning and markup, and without the middle if it is very long."""
    text = _EMOJI.sub(" ", unicodedata.normalize("NFKC", reply).translate(_PUNCTUATION))
    for pattern, replacement in _UNWRAP:
        text = pattern.sub(replacement, text)
    text = simplify(text.strip())
    if len(text) > MAX_START + MAX_END:
        text = f"{text[:MAX_START]}\n{text[-MAX_END:]}"
    return text if len(_QUOTES.findall(text)) <= _MAX_QUOTES else _QUOTES.sub("", text)
