"""Made-up but deterministic log-probabilities, and how each protocol renders them."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from auricle.testing.fake_server.request_parsing import split_tokens
from auricle.testing.fake_server.script import compute_digest

Document = dict[str, Any]
GREEDY_THRESHOLD = -2.0
"""Log-probability above which a token counts as the most likely one."""


def compute_logprob(token: str, context: str = "") -> float:
    """Compute the log-probability, between -4 and 0, of a token after a context."""
    prefix = context.encode() + b"\0" if context else b""
    return -4 * int(compute_digest(prefix + token.encode())[:4], 16) / 0xFFFF


def compute_text_logprobs(text: str) -> list[tuple[str, float | None]]:
    """Return each token of a text with its log-probability after the tokens before it; None for the first."""
    logprobs: list[tuple[str, float | None]] = []
    offset = 0
    for token in split_tokens(text):
        logprobs.append((token, compute_logprob(token, text[:offset]) if offset else None))
        offset += len(token)
    return logprobs


def render_prompt_logprobs(text: str) -> list[Document | None]:
    """Render log-probabilities of a prompt as vLLM does: one object per token, null for the first."""
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
    """Render log-probabilities as OpenAI's completions API does: lists of equal length."""
    logprobs = compute_text_logprobs(text)
    tokens = [token for token, _ in logprobs]
    return {
        "tokens": tokens,
        "token_logprobs": [logprob for _, logprob in logprobs],
        "top_logprobs": [
            None if logprob is None else {token: max(logprob, GREEDY_THRESHOLD)} for token, logprob in logprobs
        ],
        "text_offset": [len("".join(tokens[:index])) for index in range(len(tokens))],
    }


def render_token_logprobs(tokens: Sequence[str], top_count: int) -> Document:
    """Render log-probabilities as chat completions do: each token, with the most likely alternatives."""
    return {"content": [{**_token_entry(token), "top_logprobs": _top_entries(token, top_count)} for token in tokens]}


def _top_entries(token: str, top_count: int) -> list[Document]:
    """Return the most likely of the token itself and the capital letters; only the token if `top_count` is 0."""
    if not top_count:
        return [_token_entry(token)]
    entries = [_token_entry(candidate) for candidate in dict.fromkeys((token, *ascii_uppercase))]
    return sorted(entries, key=lambda entry: -float(entry["logprob"]))[:top_count]


def _token_entry(token: str) -> Document:
    return {"token": token, "logprob": compute_logprob(token), "bytes": list(token.encode())}
