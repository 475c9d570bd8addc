"""The word error rate of errors that change the meaning, as a judge decides.

Neighbouring errors of the alignment of the word error rate are one difference. The judge gets all differences of a
sample with their context and names those that change the meaning; the errors of the others do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from auricle.core.errors import Unreadable
from auricle.core.types import Generate, Generation, Sample, Turn
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, divide
from auricle.metrics.capabilities import Bounded, Judged, Voting
from auricle.metrics.rubric import Rubric, load_rubric
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import TextMetric
from auricle.tasks.asr.words.alignment import align

CONTEXT = 4
"""Words before and after a difference that the judge sees with it."""
MAX_DIFFERENCES = 40
"""Differences in one request to the judge."""
NOTHING = "∅"
_NUMBERS = re.compile(r"\d{1,9}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)\d{1,9})*", re.IGNORECASE)


class Difference(NamedTuple):
    """Neighbouring errors: words of the reference and of the answer, with the words around them."""

    reference: tuple[str, ...]
    answer: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    errors: int = 1

    def __str__(self) -> str:
        """Return the difference in its context, on one line.

        >>> str(Difference(("anna",), ("hanna",), before=("call",)))
        'call [anna → hanna]'
        """
        change = " → ".join(" ".join(words) or NOTHING for words in (self.reference, self.answer))
        return " ".join((*self.before, f"[{change}]", *self.after))


def list_differences(reference: Sequence[str], answer: Sequence[str]) -> list[Difference]:
    """Return the differences of two texts.

    >>> [difference.errors for difference in list_differences("a b c d".split(), "a x y c".split())]
    [2, 1]
    """
    pairs = [
        (
            "" if pair.reference is None else reference[pair.reference],
            "" if pair.hypothesis is None else answer[pair.hypothesis],
        )
        for pair in align(reference, answer)
    ]
    differences: list[Difference] = []
    start = 0  # of the group in the reference
    for is_equal, group in groupby(pairs, key=lambda pair: pair[0] == pair[1]):
        members = list(group)
        old, new = (tuple(filter(None, side)) for side in zip(*members, strict=True))
        end = start + len(old)
        if not is_equal:
            before, after = reference[max(0, start - CONTEXT) : start], reference[end : end + CONTEXT]
            differences.append(Difference(old, new, tuple(before), tuple(after), len(members)))
        start = end
    return differences


def parse_numbers(verdict: str, count: int) -> set[int]:
    """Read the numbers of differences from a verdict.

    >>> sorted(parse_numbers("1, 3", 3)), parse_numbers("none", 3)
    ([1, 3], set())

    Raises:
        Unreadable: if it is neither a list of numbers nor "none", or there is no such difference.
    """
    if verdict.strip("() ").casefold() == "none":
        return set()
    if not _NUMBERS.fullmatch(verdict):
        raise Unreadable(f"the judge's verdict is neither a list of numbers nor none: {verdict[:80]!r}")
    numbers = {int(number) for number in re.findall(r"\d+", verdict)}
    if unknown := [number for number in sorted(numbers) if not 1 <= number <= count]:
        raise Unreadable(f"the judge names difference {unknown[0]}, but there are {count}")
    return numbers


def _describe(totals: Array) -> Details:
    changed, errors, length = (float(total) for total in totals[:3])
    return {
        "meaning_errors": round(changed, 6),
        "harmless_errors": round(errors - changed, 6),
        "reference_length": int(length),
        "wer": divide(errors, length),
    }


class SemanticErrorRate(TextMetric, Bounded, Judged, Voting):
    """The word error rate of errors that change the meaning; a judge decides which do."""

    higher_is_better, unit = False, "share"
    name, title = "semantic_wer", "Semantic WER"
    aggregate = RatioAggregator((0,), 2, _describe)

    def __init__(self, profile_name: str, rubric: Rubric) -> None:
        self.rubric = rubric
        self.convention = f"pooled.{rubric.digest}"
        super().__init__(profile_name=profile_name, version=rubric.version)

    def with_votes(self, votes: int) -> Metric:
        return SemanticErrorRate(self.profile, self.rubric.with_votes(votes))

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        length = float(len(self.split(reference_text(sample.target))))
        return (length, length, length), (0.0, 0.0, length)

    def badness(self, stat: Sequence[float]) -> float:
        return stat[0] / max(1.0, stat[2])

    def judge_requests(self, sample: Sample, output: Generation) -> tuple[Generate, ...]:
        """Return the requests of the first vote, then those of the next; none if there is nothing to decide."""
        parts = self._list_parts(sample, output.text)
        return tuple(self._request(sample, output, part) for part in parts) * self.rubric.votes

    def score(self, sample: Sample, output: Generation, *, verdicts: Sequence[str]) -> tuple[float, float, float]:
        """Return the errors that change the meaning, all errors, and the words of the reference."""
        reference, answer = self.split(reference_text(sample.target)), self.split(output.text)
        differences = list_differences(reference, answer)
        errors = sum(difference.errors for difference in differences)
        parts = self._list_parts(sample, output.text)
        if not parts:  # an empty answer has lost everything
            return errors, errors, len(reference)
        votes = [
            self._count_changed(part, verdict)
            for part, verdict in zip(parts * self.rubric.votes, verdicts, strict=True)
        ]
        return sum(votes) / self.rubric.votes, errors, len(reference)

    def _count_changed(self, differences: Sequence[Difference], reply: str) -> int:
        changed = parse_numbers(self.rubric.find_verdict(reply), len(differences))
        return sum(differences[number - 1].errors for number in changed)

    def _list_parts(self, sample: Sample, text: str) -> list[list[Difference]]:
        """Return the differences in parts that fit into one request each; none for an empty answer."""
        reference, answer = self.split(reference_text(sample.target)), self.split(text)
        differences = list_differences(reference, answer) if answer else []
        return [differences[start : start + MAX_DIFFERENCES] for start in range(0, len(differences), MAX_DIFFERENCES)]

    def _request(self, sample: Sample, output: Generation, differences: Sequence[Difference]) -> Generate:
        lines = (f"{number}. {difference}" for number, difference in enumerate(differences, start=1))
        values = {"reference": reference_text(sample.target), "answer": output.text, "choices": "\n".join(lines)}
        turn = Turn("user", (self.rubric.fill_template(values),))
        return Generate(turns=(turn,), max_tokens=self.rubric.max_tokens, temperature=self.rubric.temperature)


semantic_wer = SemanticErrorRate("basic", load_rubric(Path(__file__).with_name("semantic-wer.yaml")))
