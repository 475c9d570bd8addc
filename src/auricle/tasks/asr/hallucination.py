"""Words that a recogniser writes though they were not spoken.

What is written where the reference is empty, loops, long insertions, another script, and replies that describe the
recording instead of transcribing it. Words are counted after normalising; in scripts without spaces each character is
a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Array, ConstantBounds, Details, MeanAggregator, Metric, RatioAggregator
from auricle.metrics.targets import reference_text
from auricle.text import get_profile, split_mixed
from auricle.text.reading.no_speech import states_no_speech
from auricle.text.scripts import count_scripts, script_of_language

MIN_REPEATS = 4
"""How many times in a row words are repeated in a loop."""
MAX_PERIOD = 30
"""Most words that one turn of a loop has."""
MIN_BURST = 5
"""Fewest inserted words in a row that are a burst."""

ShareScore = Callable[[Sequence[str], Sequence[str]], tuple[float, ...]]


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


def _is_empty_reference(sample: Sample, split: Callable[[str], list[str]]) -> bool:
    return sample.target is not None and not split(reference_text(sample.target))


def _splitter(profile_name: str) -> tuple[Callable[[str], list[str]], str]:
    """Return a function that splits texts into normalised words, and the signature of the normaliser."""
    profile = get_profile(profile_name)
    return lambda text: split_mixed(profile.apply(text)), profile.signature


def words_per_minute_metric(profile_name: str) -> Metric:
    """Make the metric of words written per minute of sound without speech."""
    split, signature = _splitter(profile_name)

    def score(sample: Sample, output: Generation, *, audio_seconds: float | None = None) -> tuple[float, ...]:
        if not audio_seconds:
            raise SampleError("the duration of its audio is unknown")
        is_statement = states_no_speech(output.text)
        count = 0 if is_statement else len(split(output.text))
        return count, audio_seconds / 60, len(output.text.split()), float(is_statement)

    return Metric(
        "nonspeech_words_per_minute",
        score,
        RatioAggregator(details=_words_per_minute_details),
        higher_is_better=False,
        title="Words per minute of non-speech",
        variant=f"pooled.mixed.{signature}",
        profile=profile_name,
        unit="points",
        with_profile=words_per_minute_metric,
        applies=partial(_is_empty_reference, split=split),
        facts=("audio_seconds",),
    )


def _words_per_minute_details(totals: Array) -> Details:
    return {
        "words": int(totals[0]),
        "minutes": round(float(totals[1]), 4),
        "words_before_normalising": int(totals[2]),
        "statements_of_no_speech": int(totals[3]),
    }


def nonspeech_output_metric(profile_name: str) -> Metric:
    """Make the metric of the share of sounds without speech for which any word is written."""
    split, signature = _splitter(profile_name)

    def score(sample: Sample, output: Generation) -> tuple[float, float]:
        has_words = bool(split(output.text)) and not states_no_speech(output.text)
        return float(has_words), float(bool(output.text.strip()))

    return _share_metric(
        "nonspeech_output",
        "Non-speech with output",
        score,
        ("with_words", "not_empty"),
        variant=f"mixed.{signature}",
        profile=profile_name,
        with_profile=nonspeech_output_metric,
        applies=partial(_is_empty_reference, split=split),
    )


# --- any sound -----------------------------------------------------------------------------------


def _share_metric(
    name: str, title: str, score: Callable[..., Stat | None], columns: Sequence[str], **fields: object
) -> Metric:
    """Make a metric of the share of samples whose only or first number is 1; `columns` name the totals in details."""

    def details(totals: Array) -> Details:
        return {column: int(total) for column, total in zip(columns, totals, strict=False)}

    rest = (0.0,) * (len(columns) - 1)
    limits = ((1.0, *rest), (0.0, *rest)) if rest else (1.0, 0.0)
    return Metric(
        name,
        score,
        MeanAggregator(details),
        higher_is_better=False,
        title=title,
        bounds=ConstantBounds(*limits),
        unit="share",
        credit=lambda stat: 1.0 - (stat[0] if rest else stat),
        **fields,
    )


def _word_metric(name: str, title: str, measure: ShareScore, columns: Sequence[str], profile_name: str) -> Metric:
    """Make a metric of the share of samples in which `measure(reference words, words)` detects something."""
    split, signature = _splitter(profile_name)

    def score(sample: Sample, output: Generation) -> tuple[float, ...]:
        return measure(split(_reference_or_empty(sample)), split(output.text))

    return _share_metric(
        name,
        title,
        score,
        columns,
        variant=f"mixed.{signature}",
        profile=profile_name,
        with_profile=partial(_word_metric, name, title, measure, columns),
    )


def _reference_or_empty(sample: Sample) -> str:
    return "" if sample.target is None else reference_text(sample.target)


def _measure_loops(reference: Sequence[str], words: Sequence[str]) -> tuple[float, ...]:
    loops = find_loops(words)
    if loops:
        spoken = {loop.cycle for loop in find_loops(reference)}
        loops = [loop for loop in loops if loop.cycle not in spoken]
    repeated = {index for loop in loops for index in range(loop.start, loop.end)}
    return float(bool(loops)), len(repeated), len(words)


def _measure_bursts(reference: Sequence[str], words: Sequence[str]) -> tuple[float, ...]:
    runs = list_insertion_runs(reference, words)
    bursts = [run for run in runs if run >= MIN_BURST]
    return float(bool(bursts)), sum(bursts), sum(runs)


def other_script_metric(language: str) -> Metric:
    """Make the metric of answers in another script than the reference, or than the language if that is empty."""
    expected_script = script_of_language(language)

    def score(sample: Sample, output: Generation) -> float | None:
        expected = set(count_scripts(_reference_or_empty(sample))) or {expected_script} - {""}
        if not expected:  # nothing shows which script is right
            return None
        letters = count_scripts(output.text)
        others = sum(count for script, count in letters.items() if script not in expected)
        return float(others > letters.total() / 2)

    return _share_metric(
        "other_script",
        "Other script",
        score,
        ("in_another_script",),
        variant=f"majority.{expected_script or 'reference'}",
        with_language=other_script_metric,
    )


def _score_statement(sample: Sample, output: Generation) -> float:
    is_spoken = states_no_speech(_reference_or_empty(sample))
    return float(not is_spoken and states_no_speech(output.text))


nonspeech_words_per_minute = words_per_minute_metric("basic")
nonspeech_output = nonspeech_output_metric("basic")
repetition_loops = _word_metric(
    "repetition_loops", "Repetition loops", _measure_loops, ("with_loops", "words_in_loops", "words"), "basic"
)
insertion_bursts = _word_metric(
    "insertion_bursts", "Insertion bursts", _measure_bursts, ("with_bursts", "inserted_in_bursts", "inserted"), "basic"
)
other_script = other_script_metric("")
nothing_heard = _share_metric("nothing_heard", "Nothing heard", _score_statement, ("statements",))
"""Replies that state that nothing can be heard, or decline, in the place of a transcript."""

hallucination = (
    nonspeech_output,  # first, since a few loops decide the words per minute
    nonspeech_words_per_minute,
    repetition_loops,
    insertion_bursts,
    other_script,
    nothing_heard,
)
"""All of these metrics, for `--add-metrics hallucination`."""
