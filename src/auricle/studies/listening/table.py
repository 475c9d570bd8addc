"""The table of a listening check: a row for each control, with its score and how much better the model is with sound.

Imports no numerical library, so that `auricle show` starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from auricle.core.files import read_regular_file
from auricle.report.suite_views import SuiteView
from auricle.report.terminal import to_one_line
from auricle.report.text_format import format_value
from auricle.report.text_table import format_table
from auricle.runs.metrics import PART_FIELD, POSITION_FIELD, Metrics, Number
from auricle.studies.listening import LISTENING

GAIN = ".gain"
"""End of the name of a number that is a listening gain."""
FLIP_RATE, WORDS, CHANGE = "flip_rate", "nonspeech_words_per_minute", "change."
HEADER = (
    "control",
    "score",
    "gain",
    "95 % interval",
    "p",
    "adjusted p",
    "n",
    "answers that change",
    "words per minute",
)
NO_AUDIO = "no-audio"


@dataclass(frozen=True, slots=True)
class ControlRow:
    """A control, or the task with its sound, with all that is known of it."""

    name: str
    folder: str
    score: Number | None
    gain: Number | None
    others: dict[str, Number]
    """The share of answers that change, words per minute and changes of predicted numbers, by metric."""
    problem: str = ""
    """Why the control is undefined."""

    @property
    def p(self) -> str:
        return format_p(self.gain.details.get("p")) if self.gain else ""

    @property
    def adjusted_p(self) -> str:
        return format_p(self.gain.details.get("adjusted_p")) if self.gain else ""


@dataclass(frozen=True, slots=True)
class ListeningTable:
    """The controls by one metric."""

    metric: str
    title: str
    higher_is_better: bool
    rows: tuple[ControlRow, ...]


def list_tables(metrics: Metrics) -> list[ListeningTable]:
    """Return a table for each metric of the task, in their order."""
    numbers = [number for number in metrics.numbers if number.field == PART_FIELD]
    by_key = {(number.metric, number.group): number for number in numbers}
    names = dict.fromkeys(
        number.metric for number in numbers if (f"{number.metric}{GAIN}", number.group) in by_key
    ) or dict.fromkeys(number.metric for number in numbers)
    others = [
        name
        for name in dict.fromkeys(number.metric for number in numbers)
        if name in (FLIP_RATE, WORDS) or name.startswith(CHANGE)
    ]
    tables = []
    for name in names:
        first = next(number for number in numbers if number.metric == name)
        rows = tuple(
            ControlRow(
                part.name,
                part.folder,
                by_key.get((name, part.name)),
                by_key.get((f"{name}{GAIN}", part.name)),
                {other: by_key[other, part.name] for other in others if (other, part.name) in by_key},
                part.problem,
            )
            for part in metrics.parts
        )
        tables.append(ListeningTable(name, first.title, first.higher_is_better, rows))
    return tables


def format_gain(number: Number) -> str:
    """Format a gain; that of a share in percentage points."""
    return _format_points(number.value, number.unit)


def format_gain_interval(number: Number) -> str:
    """Format the interval of a gain."""
    ends = [_format_points(end, number.unit).removesuffix(" pp") for end in (number.low, number.high)]
    return "–" if None in (number.low, number.high) else " … ".join(ends)


def _format_points(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    value += 0.0  # no negative zero
    return f"{100 * value:+.2f} pp" if unit == "share" else f"{value:+.4g}"


def format_p(value: Any) -> str:
    """Format a p value."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


# --- terminal -------------------------------------------------------------------------------


def format_listening(metrics: Metrics) -> list[str]:
    """Format the controls by the first metric, what the headline means, and the changes of predicted numbers."""
    lines: list[str] = []
    tables = list_tables(metrics)
    if tables:
        first = tables[0]
        arrow = "↑" if first.higher_is_better else "↓"
        lines += ["", f"{first.title} {arrow} under each control; gain: how much better with the sound"]
        lines += format_table(HEADER, [_format_row(row) for row in first.rows])
    return [*lines, *_format_changes(metrics), *_format_positions(metrics), *format_headline(metrics)]


def _format_row(row: ControlRow) -> tuple[str, ...]:
    gain = row.gain
    return (
        row.name,
        format_value(row.score) if row.score else "undefined",
        format_gain(gain) if gain else "",
        format_gain_interval(gain) if gain else "",
        row.p,
        row.adjusted_p,
        str(gain.scored if gain else row.score.scored if row.score else 0),
        format_value(row.others[FLIP_RATE]) if FLIP_RATE in row.others else "",
        format_value(row.others[WORDS]) if WORDS in row.others else "",
    )


def _format_changes(metrics: Metrics) -> list[str]:
    changes = [number for number in metrics.numbers if number.metric.startswith(CHANGE)]
    by_control: dict[str, list[str]] = {}
    for number in changes:
        name = number.metric.removeprefix(CHANGE)
        by_control.setdefault(number.group, []).append(f"{name} {format_value(number)}")
    lines = [f"    {control}: {', '.join(values)}" for control, values in by_control.items()]
    return ["Mean absolute change of what the model predicts:", *lines] if lines else []


def _format_positions(metrics: Metrics) -> list[str]:
    positions = [number for number in metrics.numbers if number.field == POSITION_FIELD]
    bias = next((number for number in metrics.overall if number.metric == "position_bias"), None)
    if not positions or bias is None:
        return []
    shares = ", ".join(f"{number.group} {format_gain(number)} ({format_gain_interval(number)})" for number in positions)
    p = format_p(bias.details.get("p"))
    return [f"Share of each position among the answers minus its share among right options: {shares}; p {p}."]


def format_headline(metrics: Metrics) -> list[str]:
    """Format what the first number means, in whole sentences."""
    gain = next((number for number in metrics.overall if number.metric.endswith(GAIN)), None)
    if gain is None:
        return ["No control without the sound has a score, so the listening gain is undefined."]
    best = gain.details["control"]
    effect = (
        "the model uses the sound"
        if (gain.low or 0) > 0
        else "nothing shows that the model uses the sound"
        if (gain.low or 0) <= 0 <= (gain.high or 0)
        else "the model is worse with the sound"
    )
    sentences = [
        f"{gain.title} {format_gain(gain)} ({format_gain_interval(gain)}): {effect}. "
        f"The best score without the sound is that of {best}."
    ]
    text_only = next(
        (
            number
            for number in metrics.numbers
            if (number.field, number.group) == (PART_FIELD, NO_AUDIO) and f"{number.metric}{GAIN}" == gain.metric
        ),
        None,
    )
    chance = next((number for number in metrics.overall if number.metric == "chance"), None)
    facts = [f"text-only score {format_value(text_only)}"] if text_only else []
    facts += [f"chance level {format_value(chance)}"] if chance else []
    return [*sentences, *([f"For comparison: {', '.join(facts)}."] if facts else [])]


def format_samples(path: Path, metrics: Metrics, count: int) -> list[str]:
    """Format the first samples that are right in every control without the sound."""
    samples = [orjson.loads(line) for line in read_regular_file(path).splitlines()]
    share = next((number for number in metrics.overall if number.metric == "right_without_listening"), None)
    if share is None:
        return []
    lines = ["", f"{len(samples)} of {share.scored} samples are right in every control without the sound: {path}"]
    for sample in samples[:count]:
        lines.append(str(sample["id"]))
        lines.append(f"  target    {to_one_line(sample['target'])}")
        lines.append(f"  answers   {to_one_line(_join_answers(sample['answers']))}")
    return [*lines, f"… and {len(samples) - count} more"] if len(samples) > count else lines


def _join_answers(answers: dict[str, str]) -> str:
    return "; ".join(f"{control}: {answer}" for control, answer in answers.items())


class ListeningView(SuiteView):
    """Prints a table for each check."""

    def matches(self, metrics: Metrics) -> bool:
        return metrics.purpose == LISTENING

    def format_one(self, metrics: Metrics) -> list[str]:
        return format_listening(metrics)
