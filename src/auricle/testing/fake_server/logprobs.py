"""How likely the server finds words: made up, but the same words after the same have the same."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from auricle.testing.fake_server.request_parsing import split_tokens
from auricle.testing.fake_server.script import compute_digest

Document = dict[str, Any]
GREEDY_THRESHOLD = -2.0
"""Whatever is likelier than this counts as the likeliest there was."""


def compute_logprob(token: str, context: str = "") -> float:
    """A number between -4 and 0 that belongs to a token and all that stands before it."""
    said = context.encode() + b"\0" if context else b""
    return -4 * int(compute_digest(said + token.encode())[:4], 16) / 0xFFFF


def compute_text_logprobs(text: str) -> list[tuple[str, float | None]]:
    """Each token of a text and how likely it is after those before it; the first is after none."""
    found: list[tuple[str, float | None]] = []
    at = 0
    for token in split_tokens(text):
        found.append((token, compute_logprob(token, text[:at]) if at else None))
        at += len(token)
    return found


def render_prompt_logprobs(text: str) -> list[Document | None]:
    """As vLLM tells them: one object a token, null for the first."""
    return [
        None if logprob is None else {_token_id(token): _prompt_entry(token, logprob)}
        for token, logprob in compute_text_logprobs(text)
    ]


def _token_id(token: str) -> str:
    return str(int(compute_digest(token.encode())[:6], 16))


def _prompt_entry(token: str, logprob: float) -> Document:
    rank = 1 if logprob > GREEDY_THRESHOLD else 2
    return {"logprob": logprob, "rank": rank, "decoded_token": token}


def render_echo_logprobs(text: str) -> Document:
    """As OpenAI's completions told them: lists of equal length."""
    found = compute_text_logprobs(text)
    tokens = [token for token, _ in found]
    best = [None if each is None else {token: max(each, GREEDY_THRESHOLD)} for token, each in found]
    return {
        "tokens": tokens,
        "token_logprobs": [logprob for _, logprob in found],
        "top_logprobs": best,
        "text_offset": [len("".join(tokens[:at])) for at in range(len(tokens))],
    }


def render_token_logprobs(tokens: Sequence[str], top_count: int) -> Document:
    """As chat completions tell them: each token, and the likeliest in its place."""
    return {"content": [{**_token_entry(token), "top_logprobs": _top_entries(token, top_count)} for token in tokens]}


def _top_entries(token: str, top_count: int) -> list[Document]:
    """The likeliest of the token itself and the letters; without a number asked for, itself."""
    if not top_count:
        return [_token_entry(token)]
    known = [_token_entry(each) for each in dict.fromkeys((token, *ascii_uppercase))]
    return sorted(known, key=lambda each: -float(each["logprob"]))[:top_count]


def _token_entry(token: str) -> Document:
    return {"token": token, "logprob": compute_logprob(token), "bytes": list(token.encode())}
