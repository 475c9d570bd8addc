"""Count tokens, audio and cost of a run. Unknown amounts are never counted as zero.

Prices come from a file, by the model's name on its server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

from auricle.core.errors import AudioError, SpecError
from auricle.core.types import Output, Record, Sample, get_call, has_media, list_audio
from auricle.runs.documents import read_document, write_document
from auricle.runs.metrics import Usage
from auricle.runs.run_directory import Run

RATE_FIELDS = ("input", "output", "audio_minute", "request")
MILLION = 1_000_000
PRICES_FILE = "prices.json"
"""File in a run directory with the prices that were used, so that scoring again gives the same cost."""
CALL_TOKENS = {"input_tokens": "input_tokens", "tokens": "output_tokens"}
"""Names of token counts in the usage of a live call, by the field of a generation."""

PartialCount: TypeAlias = tuple[int | None, bool]
"""The known part of a sum, and whether it is complete."""
PartialCost: TypeAlias = tuple[float, bool]


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model: per million input and output tokens, per minute of audio, per request."""

    model: str
    input: float = 0.0
    output: float = 0.0
    audio_minute: float = 0.0
    request: float = 0.0
    currency: str = "USD"

    @classmethod
    def parse(cls, model: str, entry: Any, currency: str, source: str) -> Price:
        """Parse an entry of a price file.

        Raises:
            SpecError: if the entry has unknown fields or invalid numbers.
        """
        allowed = ", ".join((*RATE_FIELDS, "currency"))
        if not isinstance(entry, Mapping) or not entry:
            raise SpecError(f"{source}: {model} should have some of the fields {allowed}.")
        if unknown := [str(name) for name in entry if name not in (*RATE_FIELDS, "currency")]:
            raise SpecError(f"{source}: {model}: unknown field {', '.join(unknown)}. Expected: {allowed}.")
        for name, rate in entry.items():
            is_number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
            if name != "currency" and not (is_number and rate >= 0):
                raise SpecError(f"{source}: {model}: {name} should be a number, not {rate!r}.")
        return cls(model, **{"currency": currency, **entry})

    def compute_cost(
        self, requests: int, input_count: PartialCount, output_count: PartialCount, audio_seconds: float | None = 0.0
    ) -> PartialCost:
        """Return the known part of the cost of some requests, and whether that is all of it."""
        cost = self.request * requests
        cost += (self.input * (input_count[0] or 0) + self.output * (output_count[0] or 0)) / MILLION
        cost += self.audio_minute * (audio_seconds or 0.0) / 60
        tokens_known = (input_count[1] or not self.input) and (output_count[1] or not self.output)
        return cost, tokens_known and (audio_seconds is not None or not self.audio_minute)


@dataclass(frozen=True, slots=True)
class RunPrices:
    """The prices that a run used: that of its model and those of its judges, by name."""

    model: Price | None = None
    judges: dict[str, Price] = field(default_factory=dict)

    @classmethod
    def load(cls, run_path: Path) -> RunPrices:
        """Read the prices that a run used; none if it had none."""
        with suppress(FileNotFoundError):
            return read_document(run_path / PRICES_FILE, cls)
        return cls()

    def save(self, run: Run) -> None:
        """Write these prices; those that the run used before and that are not among them are kept."""
        earlier = self.load(run.path)
        kept = RunPrices(self.model or earlier.model, {**earlier.judges, **self.judges})
        if kept != earlier:
            write_document(run.path / PRICES_FILE, kept)


@dataclass(frozen=True, slots=True)
class Prices:
    """The entries of a price file, by model name or pattern."""

    entries: tuple[Price, ...]
    source: str

    @classmethod
    def parse(cls, content: Mapping[str, Any], source: str) -> Prices:
        content = dict(content)
        currency = str(content.pop("currency", "USD"))
        entries = (Price.parse(str(name), entry, currency, source) for name, entry in content.items())
        return cls(tuple(entries), source)

    def has(self, model: str) -> bool:
        return self._find(model) is not None

    def _find(self, model: str) -> Price | None:
        exact = (price for price in self.entries if price.model == model)
        matching = (price for price in self.entries if fnmatchcase(model, price.model))
        return next(exact, None) or next(matching, None)

    def find(self, model: str) -> Price:
        """Return the entry of that name, or else the first whose pattern matches.

        Raises:
            SpecError: if there is none.
        """
        if price := self._find(model):
            return price
        listed = ", ".join(price.model for price in self.entries) or "none"
        raise SpecError(
            f"{self.source} has no price for {model}; it has: {listed}. Add a line such as "
            f"`{model}: {{input: 2.5, output: 10}}`, per million tokens."
        )


class UsageTotals:
    """Token counts, audio duration and cost of the answered samples of a run."""

    def __init__(self, price: Price | None = None) -> None:
        self.price = price
        self.requests = self.attempts = self.cached = self.without_usage = 0
        self.cost, self.with_price, self.without_cost = 0.0, 0, 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.audio_seconds: float | None = None
        self.call_seconds: float | None = None

    def add(self, record: Record) -> None:
        self.attempts += record.attempts
        outputs = record.outputs
        if record.error or not outputs:
            return
        self.requests += len(outputs)
        self.cached += record.cached
        if record.is_cached:
            return  # nothing was used
        if record.audio_seconds is not None:
            self.audio_seconds = (self.audio_seconds or 0.0) + record.audio_seconds
        if (call_seconds := _sum_call_seconds(outputs)) is not None:
            self.call_seconds = (self.call_seconds or 0.0) + call_seconds
        self._add_usage(record, outputs)

    def _add_usage(self, record: Record, outputs: Sequence[Output]) -> None:
        """Add the token counts that the model reports, and their cost."""
        input_count = _count_tokens(outputs, "input_tokens")
        output_count = _count_tokens(outputs, "tokens")
        if input_count[0] is not None:
            self.input_tokens = (self.input_tokens or 0) + input_count[0]
        if output_count[0] is not None:
            self.output_tokens = (self.output_tokens or 0) + output_count[0]
        self.without_usage += not (input_count[1] and output_count[1])
        if self.price:
            self._add_cost(self.price, record, input_count, output_count)

    def _add_cost(self, price: Price, record: Record, input_count: PartialCount, output_count: PartialCount) -> None:
        """Add the known part of a record's cost, and count the record if a part is unknown."""
        call_seconds = _sum_call_seconds(record.outputs)  # audio is sent all the time, silence included
        audio_seconds = record.audio_seconds if call_seconds is None else call_seconds
        if audio_seconds is None and not has_media(record.sample):
            audio_seconds = 0.0
        requests = len(record.outputs) - record.cached
        cost, is_known = price.compute_cost(requests, input_count, output_count, audio_seconds)
        self.cost += cost
        self.with_price += 1
        self.without_cost += not is_known

    def to_usage(self) -> Usage:
        """Return the totals; unknown amounts are None."""
        cost_known = self.price and (self.cost or not self.without_cost)
        return Usage(
            requests=self.requests,
            attempts=self.attempts,
            cached=self.cached,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            audio_seconds=None if self.audio_seconds is None else round(self.audio_seconds, 3),
            cost=round(self.cost, 6) if cost_known else None,
            currency=self.price.currency if self.price else None,
            samples_without_usage=self.without_usage,
            samples_without_cost=self.without_cost if self.price else None,
            call_seconds=None if self.call_seconds is None else round(self.call_seconds, 3),
        )


@dataclass(frozen=True, slots=True)
class VerdictUsage:
    """What one verdict used, as far as a price may be charged for it; None if it is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    audio_seconds: float | None = 0.0

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> VerdictUsage:
        """Read the usage of a verdict from its line, which has no duration if the judge heard nothing."""
        return cls(line.get("input_tokens"), line.get("tokens"), line.get("audio_seconds", 0.0))


class VerdictCosts:
    """Cost of the verdicts of judges whose prices are known."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self.cost, self.with_price, self.without_cost = 0.0, 0, 0

    def add(self, judge: str, usage: VerdictUsage) -> None:
        """Add a verdict of a judge; one without a price is ignored."""
        if price := self._prices.get(judge):
            tokens = (usage.input_tokens, usage.output_tokens)
            input_count, output_count = ((count, count is not None) for count in tokens)
            cost, is_known = price.compute_cost(1, input_count, output_count, usage.audio_seconds)
            self.cost += cost
            self.with_price += 1
            self.without_cost += not is_known


def _count_tokens(outputs: Sequence[Output], field: str) -> PartialCount:
    total, is_complete = None, True
    for output in outputs:
        count = _get_tokens(output, field)
        if count is None:
            is_complete = False
        else:
            total = count if total is None else total + count
    return total, is_complete


def _get_tokens(output: Output, field: str) -> int | None:
    """Return a token count of an output; that of a live call is what the model reported during it."""
    count: int | None = getattr(output, field, None)
    if count is None and (call := get_call(output)):
        reported = call.usage.get(CALL_TOKENS[field])
        return None if reported is None else int(reported)
    return count


def _sum_call_seconds(outputs: Sequence[Output]) -> float | None:
    calls = [call for output in outputs if (call := get_call(output))]
    return sum(call.seconds for call in calls) if calls else None


def sample_audio_seconds(sample: Sample) -> float | None:
    """Return the duration of a sample's audio from the headers; None if one cannot be read."""
    total = 0.0
    for audio in list_audio(sample):
        try:
            total += audio.seconds
        except AudioError:
            return None
    return round(total, 4)
