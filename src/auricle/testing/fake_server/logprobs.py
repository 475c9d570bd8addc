"""How likely the server finds words: made up, but the same words after the same have the same."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from auricle.testing.fake_server.requests import tokens_of
from auricle.testing.fake_server.script import digest_of

Document = dict[str, Any]
GREEDY = -2.0
"""Whatever is likelier than this counts as the likeliest there was."""


def logprob_of(token: str, before: str = "") -> float:
    """A number between -4 and 0 that belongs to a token and all that stands before it."""
    said = before.encode() + b"\0" if before else b""
    return -4 * int(digest_of(said + token.encode())[:4], 16) / 0xFFFF


def text_logprobs(text: str) -> list[tuple[str, float | None]]:
    """Each token of a text and how likely it is after those before it; the first is after none."""
    found: list[tuple[str, float | None]] = []
    at = 0
    for token in tokens_of(text):
        found.append((token, logprob_of(token, text[:at]) if at else None))
        at += len(token)
    return found


def in_prompt(text: str) -> list[Document | None]:
    """As vLLM tells them: one object a token, null for the first."""
    return [
        None if logprob is None else {_number(token): _told(token, logprob)}
        for token, logprob in text_logprobs(text)
    ]


def _number(token: str) -> str:
    return str(int(digest_of(token.encode())[:6], 16))


def _told(token: str, logprob: float) -> Document:
    rank = 1 if logprob > GREEDY else 2
    return {"logprob": logprob, "rank": rank, "decoded_token": token}


def echoed(text: str) -> Document:
    """As OpenAI's completions told them: lists of equal length."""
    found = text_logprobs(text)
    tokens = [token for token, _ in found]
    best = [None if each is None else {token: max(each, GREEDY)} for token, each in found]
    return {
        "tokens": tokens,
        "token_logprobs": [logprob for _, logprob in found],
        "top_logprobs": best,
        "text_offset": [len("".join(tokens[:at])) for at in range(len(tokens))],
    }


def of_tokens(tokens: Sequence[str], top: int) -> Document:
    """As chat completions tell them: each token, and the likeliest in its place."""
    return {"content": [{**_one(token), "top_logprobs": _top(token, top)} for token in tokens]}


def _top(token: str, most: int) -> list[Document]:
    """The likeliest of the token itself and the letters; without a number asked for, itself."""
    if not most:
        return [_one(token)]
    known = [_one(each) for each in dict.fromkeys((token, *ascii_uppercase))]
    return sorted(known, key=lambda each: -float(each["logprob"]))[:most]


def _one(token: str) -> Document:
    return {"token": token, "logprob": logprob_of(token), "bytes": list(token.encode())}
