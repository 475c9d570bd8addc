"""What answers took and what they cost; what is not known is never counted as nothing.

Prices come from a file, by the model's name as its server knows it. A `Tally` sums records;
a `Purse` watches a run and stops it once it has spent what it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

import orjson

from auricle.audio import Audio
from auricle.core.errors import AudioError, SpecError
from auricle.core.serialization import digest
from auricle.core.types import Generation, Output, Record, Sample, has_media, list_parts
from auricle.runs.run_directory import Run

RATE_FIELDS = ("input", "output", "audio_minute", "request")
MILLION = 1_000_000
PRICES_FILE = "prices.json"
"""In a run's folder: the price it was run under, so that scoring again tells the same cost."""
MAX_UNPRICED_ANSWERS = 10  # answers without a known cost, and none with one, after which a limit is no limit


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: a million tokens read and written, a minute of sound, a request."""

    model: str
    input: float = 0.0
    output: float = 0.0
    audio_minute: float = 0.0
    request: float = 0.0
    currency: str = "USD"

    @classmethod
    def parse(cls, model: str, entry: Any, currency: str, source: str) -> Price:
        """A price from an entry of a file, or what is wrong with it."""
        known = ", ".join((*RATE_FIELDS, "currency"))
        if not isinstance(entry, Mapping) or not entry:
            raise SpecError(f"{source}: {model} should hold some of {known}.")
        if unknown := [str(name) for name in entry if name not in (*RATE_FIELDS, "currency")]:
            raise SpecError(f"{source}: {model}: unknown {', '.join(unknown)}; known are {known}.")
        for name in RATE_FIELDS:
            rate = entry.get(name, 0.0)
            if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not rate >= 0:
                raise SpecError(f"{source}: {model}: {name} should be a number, not {rate!r}.")
        return cls(model, **{"currency": currency, **entry})

    @classmethod
    def load(cls, run_path: Path) -> Price | None:
        """The price a run was run under, if it was given one."""
        with suppress(FileNotFoundError, orjson.JSONDecodeError, TypeError):
            return cls(**orjson.loads((run_path / PRICES_FILE).read_bytes()))
        return None

    def save(self, run: Run) -> None:
        run.write(PRICES_FILE, orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))


@dataclass(frozen=True, slots=True)
class Prices:
    """A file of prices: a pattern of model names a line."""

    entries: tuple[Price, ...]
    source: str

    @classmethod
    def parse(cls, content: Mapping[str, Any], source: str) -> Prices:
        rest = dict(content)
        currency = str(rest.pop("currency", "USD"))
        entries = (Price.parse(str(name), each, currency, source) for name, each in rest.items())
        return cls(tuple(entries), source)

    def find(self, model: str) -> Price:
        """The entry of that very name, else the first whose pattern fits."""
        exact = (each for each in self.entries if each.model == model)
        fitting = (each for each in self.entries if fnmatchcase(model, each.model))
        if found := next(exact, None) or next(fitting, None):
            return found
        listed = ", ".join(each.model for each in self.entries) or "none"
        raise SpecError(
            f"{self.source} has no price for {model}; it has {listed}. Add a line such as "
            f"`{model}: {{input: 2.5, output: 10}}`, per million tokens."
        )


class UsageTotals:
    """What the answered samples of a run took, and what is known of its cost."""

    def __init__(self, price: Price | None = None) -> None:
        self.price = price
        self.requests = self.attempts = self.cached = self.without_usage = 0
        self.cost, self.with_price, self.without_cost = 0.0, 0, 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.audio_seconds: float | None = None

    def count_records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Count records as they go by."""
        for record in records:
            self.add(record)
            yield record

    def add(self, record: Record) -> None:
        self.attempts += record.attempts
        outputs = record.outputs
        if record.error or not outputs:
            return
        self.requests += len(outputs)
        if record.cached:
            self.cached += record.cached
            if record.cached >= len(outputs):
                return  # nobody was asked, so nothing was used
        if record.audio_seconds is not None:
            self.audio_seconds = (self.audio_seconds or 0.0) + record.audio_seconds
        if self.price is None and _lacks_token_counts(outputs):  # as in every local run
            self.without_usage += 1
        else:
            self._add_usage(record, outputs)

    def _add_usage(self, record: Record, outputs: Sequence[Output]) -> None:
        """Add the tokens that are told of, and what they cost."""
        read, all_read = _sum_known([getattr(each, "input_tokens", None) for each in outputs])
        wrote, all_wrote = _sum_known([getattr(each, "tokens", None) for each in outputs])
        if read is not None:
            self.input_tokens = (self.input_tokens or 0) + read
        if wrote is not None:
            self.output_tokens = (self.output_tokens or 0) + wrote
        self.without_usage += not (all_read and all_wrote)
        if self.price:
            self._add_cost(self.price, record, (read, all_read), (wrote, all_wrote))

    def _add_cost(self, price: Price, record: Record, input_count: PartialCount, output_count: PartialCount) -> None:
        """Add what is known of a record's cost, and note if that is not all of it."""
        heard = record.audio_seconds
        if heard is None and not has_media(record.sample):
            heard = 0.0
        self.cost += price.request * (len(record.outputs) - record.cached)
        self.cost += (price.input * (input_count[0] or 0) + price.output * (output_count[0] or 0)) / MILLION
        self.cost += price.audio_minute * (heard or 0.0) / 60
        known = (input_count[1] or not price.input) and (output_count[1] or not price.output)
        whole = known and (heard is not None or not price.audio_minute)
        self.with_price += 1
        self.without_cost += not whole

    def to_dict(self) -> dict[str, Any]:
        """As `metrics.json` has it: what is not known is null."""
        known = self.price and (self.cost or not self.without_cost)
        return {
            "requests": self.requests,
            "attempts": self.attempts,
            "cached": self.cached,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "audio_seconds": None if self.audio_seconds is None else round(self.audio_seconds, 3),
            "cost": round(self.cost, 6) if known else None,
            "currency": self.price.currency if self.price else None,
            "samples_without_usage": self.without_usage,
            "samples_without_cost": self.without_cost if self.price else None,
        }


PartialCount = tuple[int | None, bool]


def _lacks_token_counts(outputs: Sequence[Output]) -> bool:
    """Do the answers tell no tokens? Numbers never do."""
    for each in outputs:
        if isinstance(each, Generation) and (each.tokens, each.input_tokens) != (None, None):
            return False
    return True


def _sum_known(counts: list[int | None]) -> PartialCount:
    """What is known of a sum, and whether that is all of it."""
    if len(counts) == 1:  # as nearly always
        return counts[0], counts[0] is not None
    known = [each for each in counts if each is not None]
    return (sum(known) if known else None), len(known) == len(counts)


def sample_audio_seconds(sample: Sample) -> float | None:
    """How long a sample's sounds are, from their headers; None where one does not tell."""
    total = 0.0
    for value in sample.inputs.values():
        for part in list_parts(value):
            if isinstance(part, Audio):
                try:
                    total += part.seconds
                except AudioError:
                    return None
    return round(total, 4)


class Observer(Protocol):
    """Whoever else wants to see a run go by."""

    def on_result(self, record: Record) -> None: ...
    def on_skipped(self) -> None: ...
    def on_in_flight(self, count: int) -> None: ...


class Budget:
    """A watch that counts what runs cost, and stops the one that has spent what it may."""

    def __init__(self, price: Price, limit: float | None = None) -> None:
        self.totals = UsageTotals(price)
        self.price, self.limit = price, limit
        self.stop_reason = ""
        """Why a run was stopped; empty while there is no reason to."""
        self._observer: Observer | None = None
        self._stop: Callable[[], None] = lambda: None
        self._counted_keys: dict[int, str] = {}

    def with_observer(self, observer: Observer) -> Budget:
        """The same purse, telling `watch` of what it sees."""
        self._observer = observer
        return self

    def start(self, run: Run, stop: Callable[[], None]) -> None:
        """Count what the run spent before; `stop` ends it."""
        self.price.save(run)
        self._stop, self._counted_keys = stop, {}
        if self.limit is None:
            return
        for record in run.records():
            self.totals.add(record)
            if not record.error:
                self._counted_keys[digest(record.sample.id)] = record.key
        if not run.read_progress().get("complete"):  # a finished run asks nothing, so costs nothing
            self._check_limit()

    def on_result(self, record: Record) -> None:
        if self._observer:
            self._observer.on_result(record)
        if self.limit is None or self._counted_keys.get(digest(record.sample.id)) == record.key:
            return  # an answer held already, told anew because its target or place changed
        self.totals.add(record)
        self._check_limit()

    def on_skipped(self) -> None:
        if self._observer:
            self._observer.on_skipped()

    def on_in_flight(self, count: int) -> None:
        if self._observer:
            self._observer.on_in_flight(count)

    def _check_limit(self) -> None:
        assert self.limit is not None
        told = self.totals
        if round(told.cost, 9) >= self.limit:  # ten times 0.3 is a little less than 3
            floor = "at least " if told.without_cost else ""
            self.stop_reason = (
                f"{floor}{format_money(told.cost, self.price.currency)} are spent, and "
                f"{format_money(self.limit, self.price.currency)} were allowed"
            )
        elif not told.cost and told.without_cost >= MAX_UNPRICED_ANSWERS and told.without_cost == told.with_price:
            self.stop_reason = (
                f"the answers of {self.price.model} do not tell what {self.price.model} charges "
                "for, so --max-cost cannot be kept"
            )
        if self.stop_reason:
            self._stop()


def format_money(amount: float, currency: str) -> str:
    """Cents where they tell something; four significant digits of what is less."""
    digits = f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.4g}"
    return f"{digits} {currency}"
