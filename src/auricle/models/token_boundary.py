"""Where a prompt ends and what is asked about begins; and what of it a model reads at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Likelihood, LogLikelihood, Turn, media


@dataclass(frozen=True, slots=True)
class Row:
    """What a model reads, and from which token on it is asked about."""

    tokens: Sequence[int]
    start: int


def seam(context: Sequence[int], whole: Sequence[int]) -> int:
    """How many tokens both begin with: where they meet, a tokeniser may have joined letters."""
    pairs = zip(context, whole, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(context))


def extended(context: Sequence[int], short: Sequence[int], whole: Sequence[int]) -> Row:
    """`context` with what `whole` has and `short` has not: the continuation, tokenised in place.

    `short` is the text of `context`, in which a sound stands for one token and not for hundreds.
    """
    same = seam(short, whole)
    start = len(context) - (len(short) - same)
    if len(whole) == same:
        raise SampleError("the continuation is empty, so nothing is asked about")
    if start < 1:
        raise SampleError("nothing stands before the continuation, not even a start token")
    return Row((*context[:start], *whole[same:]), start)


def all_of(tokens: Sequence[int]) -> Row:
    """A text asked about as a whole: all of it but the first token, before which nothing stands."""
    if len(tokens) < 2:
        raise SampleError("the text has one token, and nothing stands before it to predict it from")
    return Row(tuple(tokens), 1)


def parted(text: str) -> tuple[str, str]:
    """A text without the white space at its end, and that white space.

    It belongs to what follows: a tokeniser makes one token of ` Paris`, and none of a blank alone.
    """
    kept = text.rstrip()
    return kept, text[len(kept) :]


def begun(turns: tuple[Turn, ...], continuation: str) -> tuple[tuple[Turn, ...], str]:
    """The same where an answer has been begun; a chat template might drop what it ends with."""
    last = turns[-1].parts[-1] if turns and turns[-1].parts else ""
    if not isinstance(last, str) or turns[-1:] == () or turns[-1].role != "assistant":
        return turns, continuation
    kept, space = parted(last)
    if not kept:
        return turns, continuation
    parts = (*turns[-1].parts[:-1], kept)
    return (*turns[:-1], Turn("assistant", parts)), space + continuation


def refuse_nothing(request: LogLikelihood) -> None:
    """A question about no text, or about tokens of a sound, has no answer."""
    if not request.continuation:
        raise SampleError("the continuation is empty, so nothing is asked about")
    if request.whole and media(request):
        raise SampleError(
            "the rule asks about every token of the prompt, too, and a sound in it has no tokens "
            "whose likelihood could be told; choose by the continuation alone (whole: false)"
        )


@dataclass(frozen=True, slots=True)
class Reach:
    """How many tokens a model reads at once, and how a longer text is asked about."""

    window: int | None = None
    stride: int = 1
    """Tokens asked about anew in each further window."""

    @classmethod
    def of(cls, name: str, most: int | None, window: int | None, stride: int | None) -> Reach:
        """What a model reads at `most`, made smaller and divided as `-M window=… stride=…` say."""
        for option, value in (("window", window), ("stride", stride)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise SpecError(f"{name}: {option} should be a number of tokens, not {value!r}.")
        if window and most and window > most:
            raise SpecError(f"{name}: the model reads {most} tokens at once, not {window}.")
        known = window or most
        if known and stride and stride > known:
            raise SpecError(f"{name}: stride={stride} is more than the window of {known} tokens.")
        return cls(known, stride or max(1, (known or 2) // 2))

    def windows(self, row: Row) -> list[Row]:
        """Rows that fit: each token is asked about once, with as much before it as fits.

        The last token of a row is predicted and not read, so a row has one more than a window.
        """
        most = self.window
        if most is None or len(row.tokens) <= most + 1:
            return [row]
        if row.start > most:
            raise SampleError(
                f"{row.start} tokens stand before the continuation, and the model reads at most "
                f"{most}"
            )
        rows: list[Row] = []
        done, end = row.start, most + 1
        while done < len(row.tokens):
            begin = end - most - 1
            rows.append(Row(row.tokens[begin:end], done - begin))
            done, end = end, min(len(row.tokens), end + self.stride)
        return rows


def joined(pieces: Sequence[Likelihood]) -> Likelihood:
    """The likelihood of a text from those of its pieces."""
    greedy = [each.greedy for each in pieces]
    return Likelihood(
        logprobs=tuple(chain.from_iterable(each.logprobs for each in pieces)),
        greedy=None if None in greedy else all(greedy),
    )
