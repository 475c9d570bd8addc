"""Where a prompt ends and what is asked about begins; and what of it a model reads at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Likelihood, LogLikelihood, Turn, list_media


@dataclass(frozen=True, slots=True)
class ScoringInput:
    """What a model reads, and from which token on it is asked about."""

    tokens: Sequence[int]
    score_from: int


def common_prefix_length(context: Sequence[int], full: Sequence[int]) -> int:
    """How many tokens both begin with: where they meet, a tokeniser may have joined letters."""
    pairs = zip(context, full, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(context))


def append_continuation(context: Sequence[int], context_text: Sequence[int], full_text: Sequence[int]) -> ScoringInput:
    """`context` with what `whole` has and `short` has not: the continuation, tokenised in place.

    `short` is the text of `context`, in which a sound stands for one token and not for hundreds.
    """
    same = common_prefix_length(context_text, full_text)
    start = len(context) - (len(context_text) - same)
    if len(full_text) == same:
        raise SampleError("the continuation is empty, so nothing is asked about")
    if start < 1:
        raise SampleError("nothing stands before the continuation, not even a start token")
    return ScoringInput((*context[:start], *full_text[same:]), start)


def score_all_tokens(tokens: Sequence[int]) -> ScoringInput:
    """A text asked about as a whole: all of it but the first token, before which nothing stands."""
    if len(tokens) < 2:
        raise SampleError("the text has one token, and nothing stands before it to predict it from")
    return ScoringInput(tuple(tokens), 1)


def split_trailing_space(text: str) -> tuple[str, str]:
    """A text without the white space at its end, and that white space.

    It belongs to what follows: a tokeniser makes one token of ` Paris`, and none of a blank alone.
    """
    kept = text.rstrip()
    return kept, text[len(kept) :]


def move_trailing_space(turns: tuple[Turn, ...], continuation: str) -> tuple[tuple[Turn, ...], str]:
    """The same where an answer has been begun; a chat template might drop what it ends with."""
    last = turns[-1].parts[-1] if turns and turns[-1].parts else ""
    if not isinstance(last, str) or turns[-1:] == () or turns[-1].role != "assistant":
        return turns, continuation
    kept, space = split_trailing_space(last)
    if not kept:
        return turns, continuation
    parts = (*turns[-1].parts[:-1], kept)
    return (*turns[:-1], Turn("assistant", parts)), space + continuation


def check_scorable(request: LogLikelihood) -> None:
    """A question about no text, or about tokens of a sound, has no answer."""
    if not request.continuation:
        raise SampleError("the continuation is empty, so nothing is asked about")
    if request.include_context and list_media(request):
        raise SampleError(
            "the rule asks about every token of the prompt, too, and a sound in it has no tokens "
            "whose likelihood could be told; choose by the continuation alone (whole: false)"
        )


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """How many tokens a model reads at once, and how a longer text is asked about."""

    size: int | None = None
    stride: int = 1
    """Tokens asked about anew in each further window."""

    @classmethod
    def from_options(
        cls, model_name: str, model_limit: int | None, window: int | None, stride: int | None
    ) -> ContextWindow:
        """What a model reads at `most`, made smaller and divided as `-M window=… stride=…` say."""
        for option, value in (("window", window), ("stride", stride)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SpecError(f"{model_name}: {option} should be a number of tokens, not {value!r}.")
        if window and model_limit and window > model_limit:
            raise SpecError(f"{model_name}: the model reads {model_limit} tokens at once, not {window}.")
        known = window or model_limit
        if known and stride and stride > known:
            raise SpecError(f"{model_name}: stride={stride} is more than the window of {known} tokens.")
        return cls(known, stride or max(1, (known or 2) // 2))

    def split(self, scoring_input: ScoringInput) -> list[ScoringInput]:
        """Rows that fit: each token is asked about once, with as much before it as fits.

        The last token of a row is predicted and not read, so a row has one more than a window.
        """
        most = self.size
        if most is None or len(scoring_input.tokens) <= most + 1:
            return [scoring_input]
        if scoring_input.score_from > most:
            raise SampleError(
                f"{scoring_input.score_from} tokens stand before the continuation, and the model reads at most {most}"
            )
        rows: list[ScoringInput] = []
        done, end = scoring_input.score_from, most + 1
        while done < len(scoring_input.tokens):
            begin = end - most - 1
            rows.append(ScoringInput(scoring_input.tokens[begin:end], done - begin))
            done, end = end, min(len(scoring_input.tokens), end + self.stride)
        return rows


def join_likelihoods(parts: Sequence[Likelihood]) -> Likelihood:
    """The likelihood of a text from those of its pieces."""
    greedy = [each.greedy for each in parts]
    return Likelihood(
        logprobs=tuple(chain.from_iterable(each.logprobs for each in parts)),
        greedy=None if None in greedy else all(greedy),
    )
