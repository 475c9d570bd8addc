"""Format numbers as plain text, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from auricle.core.result_table import format_number as format_number
from auricle.report.methods import mark_few_units
from auricle.runs.metrics import FailureExample, FailureKind, Metrics, Number

if TYPE_CHECKING:
    from auricle.core.types import Likelihood

MAX_CHARACTERS = 4000
CONDITION_SUFFIXES = {"context": "", "nothing": ", without a prompt", "itself": ", with the prompt"}

Bound = Literal["value", "low", "high", "worst", "best", "unread_wrong", "unread_right"]


def format_value(number: Number, bound: Bound = "value") -> str:
    """Format a metric's value or one of its bounds in its unit; a value with few independent units is marked."""
    text = format_number(getattr(number, bound), number.unit)
    if bound != "value":
        return text
    return f"{number.censored} {text}{mark_few_units(number)}".lstrip()


def group_failures(metrics: Metrics) -> list[FailureKind]:
    """Return the failures by kind; those of a suite that are the same in several parts, as of a missing file, once."""
    by_cause: dict[tuple[str, int, tuple[FailureExample, ...]], list[str]] = {}
    names = {part.name for part in metrics.parts}
    for failure in metrics.failures:
        part = next((name for name in names if failure.kind.startswith(f"{name}: ")), "")
        kind = failure.kind.removeprefix(f"{part}: ") if part else failure.kind
        examples = tuple(sorted(failure.examples, key=lambda example: example.id)) if part else failure.examples
        by_cause.setdefault((kind, failure.count, examples), []).append(part)
    return [
        FailureKind(f"{kind}{_name_parts(parts, len(names))}", count, examples)
        for (kind, count, examples), parts in by_cause.items()
    ]


def _name_parts(parts: Sequence[str], total: int) -> str:
    if not all(parts):
        return ""
    return f" in each of the {total} parts" if len(parts) == total > 1 else f" in {', '.join(parts)}"


def format_coverage(number: Number) -> str:
    """Format the share of samples whose answer was read and scored; only complete coverage is 100 %."""
    if not number.total:
        return "–"
    return "100 %" if number.read == number.total else f"{min(100 * number.coverage, 99.9):.1f} %"


def format_reading(reading: str) -> str:
    """Format how an answer was read.

    >>> format_reading("whole_reply")
    'whole reply'
    """
    return reading.replace("_", " ")


def list_readings(number: Number) -> list[tuple[str, int, float]]:
    """List how answers were read: a name, the number of answers and their share, without what did not occur."""
    total = sum(number.readings.values())
    return [(format_reading(name), count, count / total) for name, count in number.readings.items() if count]


def group_by_readings(numbers: Iterable[Number]) -> list[list[Number]]:
    """Group numbers whose metrics read all answers alike; those that do not read replies are left out."""
    groups: dict[tuple[int, ...], list[Number]] = {}
    for number in numbers:
        if number.readings:
            groups.setdefault(tuple(number.readings.values()), []).append(number)
    return list(groups.values())


COUNT_FORMATS = (
    "{words:,} words in {minutes:.3g} minutes",
    "{official:,} official, {corrected:,} corrected, {neither:,} neither",
    "{recognised:,} of {masked:,} recognised, {control_recognised:,} of {control_masked:,} control words",
    "people: same speaker {same_speaker:.4f}, different speakers {different_speaker:.4f}",
    "people: same speaker {same_speaker:.4f}",
    "people: different speakers {different_speaker:.4f}",
    "mean over {averaged} labels ({data_labels} in the data, {model_labels} of the model)",
    "over {averaged_by_size} shared labels ({data_labels} in the data, {model_labels} of the model)",
)
"""What a number consists of, by the names of its details."""


def format_counts(details: Mapping[str, Any]) -> str:
    """Format the counts that a number consists of, if it has any of `COUNT_FORMATS`: `12 words in 8.5 minutes`."""
    for template in COUNT_FORMATS:
        try:
            return template.format_map(details)
        except KeyError:
            continue
    return ""


def format_dominance(number: Number) -> str:
    """Format what one sample holds of a rate: `1 of 200 samples holds 73 % of the errors; without it 2.10 %`."""
    if not (dominant := number.details.get("dominant")):
        return ""
    what = "the errors" if number.plot == "errors" else "the total"
    without = format_number(dominant["without"], number.unit)
    return f"1 of {dominant['samples']:,} samples holds {100 * dominant['share']:.0f} % of {what}; without it {without}"


def format_silence(details: Mapping[str, Any]) -> str:
    """Format what was inserted where references are empty: `12 inserted on silence (3 of 5 samples)`."""
    if not (silence := details.get("silence")):
        return ""
    samples = f"{silence['with_insertions']:,} of {silence['samples']:,} samples"
    return f"{silence['insertions']:,} inserted on silence ({samples})"


def format_likelihood(likelihood: Likelihood, name: str = "") -> str:
    """Format a likelihood: `a cat: log-likelihood -3.1 over 2 tokens`."""
    tokens = likelihood.token_count
    named = likelihood.text.strip() or name
    count = "" if tokens is None else f" over {tokens} token{'s' * (tokens != 1)}"
    value = f"log-likelihood {likelihood.total:.3f}{count}{CONDITION_SUFFIXES[likelihood.conditioned_on]}"
    return f"{named}{': ' if named else ''}{value}"


def truncate(text: str, max_length: int = MAX_CHARACTERS) -> str:
    """Shorten a text and state how much was cut."""
    if len(text) <= max_length:
        return text
    return f"{text[:max_length]} … ({len(text) - max_length:,} more characters)"
