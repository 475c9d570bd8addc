"""Split text between context and continuation, and long inputs into windows, for log-likelihoods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Likelihood, LogLikelihood, Turn
from auricle.models.request_input import join_turns

EMPTY_CONTINUATION = "the continuation is empty, so there is nothing to score"


@dataclass(frozen=True, slots=True)
class ScoringInput:
    """The tokens a model reads, and the index of the first token to score."""

    tokens: Sequence[int]
    score_from: int


def common_prefix_length(context: Sequence[int], full: Sequence[int]) -> int:
    """Return the length of the common prefix.

    It may be shorter than the context, because a tokeniser may merge characters across the boundary.
    """
    pairs = zip(context, full, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), len(context))


def append_continuation(context: Sequence[int], context_text: Sequence[int], full_text: Sequence[int]) -> ScoringInput:
    """Append the continuation, tokenised together with its context.

    Args:
        context: Tokens of the context as the model reads them; an audio clip takes hundreds.
        context_text: Tokens of the context as text, in which an audio clip is one placeholder.
        full_text: Tokens of context and continuation as text.
    """
    prefix = common_prefix_length(context_text, full_text)
    start = len(context) - (len(context_text) - prefix)
    if len(full_text) == prefix:
        raise SampleError(EMPTY_CONTINUATION)
    if start < 1:
        raise SampleError("the continuation has no context, not even a start token")
    return ScoringInput((*context[:start], *full_text[prefix:]), start)


def score_all_tokens(tokens: Sequence[int]) -> ScoringInput:
    """Score every token of a text but the first, which has no context."""
    if len(tokens) < 2:
        raise SampleError("the text has only one token, so there is nothing to predict it from")
    return ScoringInput(tuple(tokens), 1)


def split_trailing_space(text: str) -> tuple[str, str]:
    """Split a text into the text without its trailing white space and that white space.

    The white space belongs to the continuation: tokenisers encode ` Paris` as one token.
    """
    stripped = text.rstrip()
    return stripped, text[len(stripped) :]


def move_trailing_space(turns: tuple[Turn, ...], continuation: str) -> tuple[tuple[Turn, ...], str]:
    """Move the trailing white space of a prefilled answer to the continuation; chat templates may drop it."""
    last = turns[-1].parts[-1] if turns and turns[-1].parts else ""
    if not isinstance(last, str) or turns[-1:] == () or turns[-1].role != "assistant":
        return turns, continuation
    stripped, space = split_trailing_space(last)
    if not stripped:
        return turns, continuation
    parts = (*turns[-1].parts[:-1], stripped)
    return (*turns[:-1], Turn("assistant", parts)), space + continuation


def split_chat_request(request: LogLikelihood) -> tuple[tuple[Turn, ...], str]:
    """Return the turns and the continuation for a chat format.

    White space at the beginning of a continuation separates it from the prompt in plain text. It is dropped where the
    continuation begins a message of its own, unless the whole conversation is scored as it is written.
    """
    if request.turns and request.turns[-1].role != "assistant" and not request.include_context:
        return request.turns, request.continuation.lstrip() or request.continuation
    return move_trailing_space(request.turns, request.continuation)


def split_request(
    request: LogLikelihood, render: Callable[[Sequence[Turn]], str], *, uses_chat: bool
) -> tuple[str, str]:
    """Return the context as text, and the continuation.

    Trailing white space of the context belongs to the continuation. White space that is part of a chat format stays
    in the context, because it is not part of an answer.
    """
    if uses_chat and request.turns:
        turns, continuation = split_chat_request(request)
        return render(turns), continuation
    text, space = split_trailing_space(join_turns(request.turns))
    return text, space + request.continuation


def start_tokens(tokenizer: Any) -> list[int]:
    """Return the token put before a text without a context: the start token, or else the end token."""
    token_ids = (tokenizer.bos_token_id, tokenizer.eos_token_id)
    return [token for token in token_ids if token is not None][:1]


def merge_spellings(candidates: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return log-probabilities by token; of equal spellings the more likely one counts."""
    logprobs: dict[str, float] = {}
    for token, logprob in candidates:
        logprobs[token] = max(logprob, logprobs.get(token, logprob))
    return logprobs


def check_scorable(request: LogLikelihood) -> None:
    """Raise if the continuation is empty, or if audio tokens would have to be scored."""
    if not request.continuation:
        raise SampleError(EMPTY_CONTINUATION)
    if request.include_context and request.media:
        raise SampleError(
            "the whole prompt was to be scored, but audio has no token log-probabilities; "
            "score only the continuation (whole: false)"
        )


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """How many tokens a model reads at once, and how longer texts are split."""

    size: int | None = None
    stride: int = 1
    """Tokens scored in each further window."""

    @classmethod
    def from_options(
        cls, model_name: str, model_limit: int | None, window: int | None, stride: int | None
    ) -> ContextWindow:
        """Combine the limit of the model with the options `-M window=…` and `-M stride=…`."""
        for option, value in (("window", window), ("stride", stride)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SpecError(f"{model_name}: {option} must be a positive number of tokens, not {value!r}.")
        if window and model_limit and window > model_limit:
            raise SpecError(f"{model_name}: window={window} exceeds the model's limit of {model_limit} tokens.")
        size = window or model_limit
        if size and stride and stride > size:
            raise SpecError(f"{model_name}: stride={stride} exceeds the window of {size} tokens.")
        return cls(size, stride or max(1, (size or 2) // 2))

    def split(self, scoring_input: ScoringInput) -> list[ScoringInput]:
        """Split an input into windows so that each token is scored once, with as much context as fits.

        The last token of a window is predicted but not read, so an input may have one token more than the window.
        """
        size = self.size
        if size is None or len(scoring_input.tokens) <= size + 1:
            return [scoring_input]
        if scoring_input.score_from > size:
            raise SampleError(f"the context has {scoring_input.score_from} tokens, but the model reads at most {size}")
        windows: list[ScoringInput] = []
        scored_until, end = scoring_input.score_from, size + 1
        while scored_until < len(scoring_input.tokens):
            start = end - size - 1
            windows.append(ScoringInput(scoring_input.tokens[start:end], scored_until - start))
            scored_until, end = end, min(len(scoring_input.tokens), end + self.stride)
        return windows


def score_in_windows(
    inputs: Sequence[ScoringInput], window: ContextWindow, score: Callable[[list[ScoringInput]], Iterable[Likelihood]]
) -> list[Likelihood]:
    """Score each input, split into windows if it is too long; `score` gets the windows of all inputs."""
    windows = [window.split(scoring_input) for scoring_input in inputs]
    likelihoods = iter(score(list(chain.from_iterable(windows))))
    return [join_likelihoods([next(likelihoods) for _ in input_windows]) for input_windows in windows]


def join_likelihoods(parts: Sequence[Likelihood]) -> Likelihood:
    """Join the likelihoods of consecutive parts of a text."""
    greedy = [part.greedy for part in parts]
    logprobs = tuple(chain.from_iterable(part.logprobs for part in parts))
    return Likelihood(logprobs=logprobs, greedy=None if None in greedy else all(greedy))
