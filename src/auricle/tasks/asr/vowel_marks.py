"""Vowel marks that only references or only answers have, so that right words count as errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from auricle.core.types import Generation, Record
from auricle.metrics.base import Metric
from auricle.scoring.record_observers import RecordObserver
from auricle.text.profile_options import OPTION_MARK, OPTIONS

MIN_SHARE = 0.1
"""Share of the texts of a script from which on such marks are noted."""
_LETTERS = {"harakat": re.compile("[\u0621-\u064a]"), "niqqud": re.compile("[\u05d0-\u05ea]")}
"""The letters of a script by the profile option that removes its vowel marks."""
_NAMES = {"harakat": "Arabic vowel marks", "niqqud": "Hebrew points"}


class VowelMarks(RecordObserver):
    """Counts the pairs of reference and answer of which only one has vowel marks that the profile keeps."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        profiles = [metric.profile for metric in metrics if metric.profile]
        removed = {option for profile in profiles for option in profile.split(OPTION_MARK)}
        self._profile = next(iter(profiles), "")
        self._options = [name for name in _LETTERS if profiles and name not in removed]
        self._pairs: Counter[str] = Counter()
        self._marked: Counter[tuple[str, str]] = Counter()

    def see(self, record: Record) -> None:
        reference = record.sample.target
        for output in record.outputs:
            if isinstance(reference, str) and isinstance(output, Generation):
                self._count(reference, output.text)

    def _count(self, reference: str, answer: str) -> None:
        for name in self._options:
            letters, remove = _LETTERS[name], OPTIONS[name].in_nfkc
            if not (remove and letters.search(reference) and letters.search(answer)):
                continue
            self._pairs[name] += 1
            has_reference, has_answer = remove(reference) != reference, remove(answer) != answer
            if has_reference != has_answer:
                self._marked[name, "references" if has_reference else "answers"] += 1

    def notes(self) -> list[str]:
        """Return a sentence for each kind of marks that a considerable share of one side has alone."""
        others = {"references": "answers", "answers": "references"}
        return [
            f"{count:,} of {self._pairs[name]:,} {side} have {_NAMES[name]} that their {others[side]} lack, so that "
            f"right words count as errors. Ignore the marks with --profile {self._profile}{OPTION_MARK}{name}."
            for (name, side), count in sorted(self._marked.items())
            if count >= MIN_SHARE * self._pairs[name]
        ]
