"""Words that a recogniser writes though they were not spoken.

What is written where the reference is empty, loops, long insertions, another script, and replies that describe the
recording instead of transcribing it. Words are counted after normalising; in scripts without spaces each character is
a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample
from auricle.metrics.base import Array, ConstantBounds, Details, MeanAggregator, Metric, RatioAggregator
from auricle.metrics.capabilities import Credited, Localized, Restricted
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import TextMetric
from auricle.text.reading.no_speech import states_no_speech
from auricle.text.scripts import count_scripts, script_of_language

MIN_REPEATS = 4
"""How many times in a row words are repeated in a loop."""
MAX_PERIOD = 30
"""Most words that one turn of a loop has."""
MIN_BURST = 5
"""Fewest inserted words in a row that are a burst."""


class Loop(NamedTuple):
    """Words from `start` to `end` that repeat the same `unit` of words."""

    unit: tuple[str, ...]
    start: int
    end: int

    @property
    def cycle(self) -> tuple[str, ...]:
        """The words of one turn, wherever it begins: the same for `a b a b` and `b a b a`."""
        return min(self.unit[index:] + self.unit[:index] for index in range(len(self.unit)))


def find_loops(words: Sequence[str]) -> list[Loop]:
    """Return where the same one to `MAX_PERIOD` words are repeated at least `MIN_REPEATS` times in a row.

    >>> [(len(loop.unit), loop.end) for loop in find_loops("so it is it is it is it is".split())]
    [(2, 9)]
    """
    loops: list[Loop] = []
    for period in range(1, min(MAX_PERIOD, len(words) // MIN_REPEATS) + 1):
        equal = 0
        for index in range(period, len(words) + 1):
            if index < len(words) and words[index] == words[index - period]:
                equal += 1
                continue
            start = index - equal - period
            # Four times `no` are also two times `no no`, which is not another loop.
            is_new = not any(loop.start <= start and index <= loop.end for loop in loops)
            if equal >= period * (MIN_REPEATS - 1) and is_new:
                loops.append(Loop(tuple(words[start : start + period]), start, index))
            equal = 0
    return loops


def list_insertion_runs(reference: Sequence[str], hypothesis: Sequence[str]) -> list[int]:
    """Return the lengths of all runs of inserted words in a minimum-cost alignment.

    >>> list_insertion_runs("a b".split(), "a x y b z".split())
    [2, 1]
    """
    runs: list[int] = []
    previous = (-1, -1)
    for edit in Levenshtein.editops(reference, hypothesis):
        if edit.tag != "insert":
            continue
        if runs and previous == (edit.src_pos, edit.dest_pos - 1):
            runs[-1] += 1
        else:
            runs.append(1)
        previous = edit.src_pos, edit.dest_pos
    return runs


# --- sound without speech ------------------------------------------------------------------------


def _words_per_minute_details(totals: Array) -> Details:
    return {
        "words": int(totals[0]),
        "minutes": round(float(totals[1]), 4),
        "words_before_normalising": int(totals[2]),
        "statements_of_no_speech": int(totals[3]),
    }


class ShareOfSamples(Metric, Credited):
    """The share of samples whose only or first number is 1; `columns` name the totals in the details."""

    higher_is_better, unit = False, "share"
    columns: Sequence[str]

    def __init__(self, name: str = "", **parts: Any) -> None:
        rest = (0.0,) * (len(self.columns) - 1)
        bounds = ConstantBounds((1.0, *rest), (0.0, *rest)) if rest else ConstantBounds(1.0, 0.0)
        super().__init__(name, aggregate=MeanAggregator(self._describe), bounds=bounds, **parts)

    def credit(self, stat: Any) -> float:
        return 1.0 - float(stat[0] if len(self.columns) > 1 else stat)

    def _describe(self, totals: Array) -> Details:
        return {column: int(total) for column, total in zip(self.columns, totals, strict=False)}


class NonspeechText(TextMetric, Restricted):
    """A metric of what is written for sounds without speech."""

    def applies(self, sample: Sample) -> bool:
        return sample.target is not None and not self.split(reference_text(sample.target))


class WordsPerMinute(NonspeechText):
    """Words written per minute of sound without speech."""

    name, title = "nonspeech_words_per_minute", "Words per minute of non-speech"
    higher_is_better, unit = False, "points"
    aggregate = RatioAggregator(details=_words_per_minute_details)
    convention = "pooled.mixed"
    facts = ("audio_seconds",)

    def score(self, sample: Sample, output: Generation, *, audio_seconds: float | None = None) -> tuple[float, ...]:
        if not audio_seconds:
            raise SampleError("the duration of its audio is unknown")
        is_statement = states_no_speech(output.text)
        count = 0 if is_statement else len(self.split(output.text))
        return count, audio_seconds / 60, len(output.text.split()), float(is_statement)


class NonspeechOutput(ShareOfSamples, NonspeechText):
    """The share of sounds without speech for which any word is written."""

    name, title = "nonspeech_output", "Non-speech with output"
    convention = "mixed"
    columns = ("with_words", "not_empty")

    def score(self, sample: Sample, output: Generation) -> tuple[float, float]:
        has_words = bool(self.split(output.text)) and not states_no_speech(output.text)
        return float(has_words), float(bool(output.text.strip()))


# --- any sound -----------------------------------------------------------------------------------


def _reference_or_empty(sample: Sample) -> str:
    return "" if sample.target is None else reference_text(sample.target)


class RepetitionLoops(ShareOfSamples, TextMetric):
    """The share of samples with loops that the reference does not have."""

    name, title = "repetition_loops", "Repetition loops"
    convention = "mixed"
    columns = ("with_loops", "words_in_loops", "words")

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        words = self.split(output.text)
        loops = find_loops(words)
        if loops:
            spoken = {loop.cycle for loop in find_loops(self.split(_reference_or_empty(sample)))}
            loops = [loop for loop in loops if loop.cycle not in spoken]
        repeated = {index for loop in loops for index in range(loop.start, loop.end)}
        return float(bool(loops)), len(repeated), len(words)


class InsertionBursts(ShareOfSamples, TextMetric):
    """The share of samples with many inserted words in a row."""

    name, title = "insertion_bursts", "Insertion bursts"
    convention = "mixed"
    columns = ("with_bursts", "inserted_in_bursts", "inserted")

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        runs = list_insertion_runs(self.split(_reference_or_empty(sample)), self.split(output.text))
        bursts = [run for run in runs if run >= MIN_BURST]
        return float(bool(bursts)), sum(bursts), sum(runs)


class OtherScript(ShareOfSamples, Localized):
    """The share of answers in another script than the reference, or than the language if that is empty."""

    name, title = "other_script", "Other script"
    columns = ("in_another_script",)

    def __init__(self, language: str) -> None:
        self._expected = script_of_language(language)
        super().__init__(variant=f"majority.{self._expected or 'reference'}")

    def score(self, sample: Sample, output: Generation) -> float | None:
        expected = set(count_scripts(_reference_or_empty(sample))) or {self._expected} - {""}
        if not expected:  # nothing shows which script is right
            return None
        letters = count_scripts(output.text)
        others = sum(count for script, count in letters.items() if script not in expected)
        return float(others > letters.total() / 2)

    def with_language(self, language: str) -> Metric:
        return OtherScript(language)


class NothingHeard(ShareOfSamples):
    """The share of replies that state that nothing can be heard, or decline, in the place of a transcript."""

    name, title = "nothing_heard", "Nothing heard"
    columns = ("statements",)

    def score(self, sample: Sample, output: Generation) -> float:
        is_spoken = states_no_speech(_reference_or_empty(sample))
        return float(not is_spoken and states_no_speech(output.text))


nonspeech_words_per_minute = WordsPerMinute()
nonspeech_output = NonspeechOutput()
repetition_loops = RepetitionLoops()
insertion_bursts = InsertionBursts()
other_script = OtherScript("")
nothing_heard = NothingHeard()

hallucination = (
    nonspeech_output,  # first, since a few loops decide the words per minute
    nonspeech_words_per_minute,
    repetition_loops,
    insertion_bursts,
    other_script,
    nothing_heard,
)
"""All of these metrics, for `--add-metrics hallucination`."""
