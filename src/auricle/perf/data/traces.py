"""Requests of a recorded trace, with the times at which they were sent; `--load trace` replays them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.data.file_formats import Row, file_revision, read_rows
from auricle.engine.factory import build_task
from auricle.engine.inferencers import Respond
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.perf.data.texts import make_block, make_text
from auricle.runs.perf_files import REQUESTS_FILE
from auricle.runs.run_spec import SPEC_FILE, read_run_spec

MOONCAKE_BLOCK_TOKENS = 512
"""Tokens of a block that a hash id stands for."""
MILLISECONDS = 0.001


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A request of a trace: when it was sent, how long it and its answer were, and what it shares with others."""

    timestamp: float
    """Seconds."""
    input_tokens: int
    output_tokens: int
    block_ids: tuple[int, ...] = ()
    """Blocks that the prompt begins with; requests with the same first blocks share this part of their prompts."""

    def make_sample(self, row: int, seed: int) -> Sample:
        meta = {"timestamp": self.timestamp, "max_tokens": self.output_tokens}
        return Sample(id=str(row), inputs={"content": self._make_prompt(row, seed)}, target=None, meta=meta)

    def _make_prompt(self, row: int, seed: int) -> str:
        """Return the text of the blocks, the last one cut off, and random words for the rest."""
        import numpy as np

        texts, missing = [], self.input_tokens
        for block_id in self.block_ids:
            words = make_block((seed, block_id), MOONCAKE_BLOCK_TOKENS).split()[:missing]
            texts += words
            missing -= len(words)
        if missing:
            texts.append(make_text(missing, np.random.default_rng([3, seed, row])))
        return " ".join(texts)


def parse_mooncake(values: Mapping[str, Any]) -> TraceRequest:
    """Read a row with `timestamp` in milliseconds, `input_length`, `output_length` and perhaps `hash_ids`."""
    block_ids = values.get("hash_ids") or ()
    return TraceRequest(
        timestamp=float(values["timestamp"]) * MILLISECONDS,
        input_tokens=_parse_tokens(values["input_length"]),
        output_tokens=_parse_tokens(values["output_length"]),
        block_ids=tuple(int(block_id) for block_id in block_ids),
    )


def parse_burstgpt(values: Mapping[str, Any]) -> TraceRequest | None:
    """Read a row with `Timestamp` in seconds, `Request tokens` and `Response tokens`; None if the request failed."""
    if not int(float(values["Response tokens"])):
        return None
    input_tokens, output_tokens = (_parse_tokens(values[name]) for name in ("Request tokens", "Response tokens"))
    return TraceRequest(float(values["Timestamp"]), input_tokens, output_tokens)


def _parse_tokens(value: Any) -> int:
    tokens = int(float(value))
    if tokens < 1:
        raise ValueError(f"{value} tokens")
    return tokens


@dataclass(frozen=True)
class TraceSamples:
    """The requests of a trace file as samples with a timestamp."""

    path: Path
    parse: Callable[[Mapping[str, Any]], TraceRequest | None]
    seed: int = 0
    forces_length: bool = field(default=True, init=False)
    """Answers should be as long as in the trace."""

    @property
    def revision(self) -> str:
        return f"{self.path.name}@{file_revision(self.path)},seed={self.seed}"

    def __iter__(self) -> Iterator[Sample]:
        requests = (self._parse_row(row) for row in read_rows(self.path))
        present = (request for request in requests if request)
        return (request.make_sample(number, self.seed) for number, request in enumerate(present))

    def _parse_row(self, row: Row | RejectedRow) -> TraceRequest | None:
        """Read a row; a damaged one ends the measurement, because a trace with gaps is another load."""
        if isinstance(row, RejectedRow):
            raise DataError(f"{self.path}: a row cannot be read. Correct or remove it.")
        try:
            return self.parse(row.values)
        except KeyError as error:
            raise DataError(f"{row.origin}: missing column {error}.") from error
        except (TypeError, ValueError) as error:
            raise DataError(f"{row.origin}: a time or a number of tokens is not valid ({error}).") from error


def mooncake(*, requests: str, seed: int = 0) -> Task:
    """Build a task from a trace with hash ids of shared prefixes.

    Args:
        requests: Path of a JSONL file with `timestamp` (ms), `input_length`, `output_length` and `hash_ids`.
        seed: Random seed of the texts.
    """
    return Task(TraceSamples(Path(requests), parse_mooncake, seed), Respond("{content}"), [], name="mooncake")


def burstgpt(*, requests: str, seed: int = 0) -> Task:
    """Build a task from a trace with times and numbers of tokens; failed requests are left out.

    Args:
        requests: Path of a CSV file with `Timestamp` (s), `Request tokens` and `Response tokens`.
        seed: Random seed of the texts.
    """
    return Task(TraceSamples(Path(requests), parse_burstgpt, seed), Respond("{content}"), [], name="burstgpt")


# --- earlier load points ------------------------------------------------------------------


@dataclass(frozen=True)
class ReplayedSamples:
    """The samples of an earlier load point with the times of their requests."""

    task: Task
    entries: tuple[tuple[float, str], ...] = field(repr=False)
    """Time and sample id of each conversation, in the order of time."""

    @property
    def revision(self) -> str:
        return f"{self.task.revision}, replayed"

    def __iter__(self) -> Iterator[Sample]:
        samples = self._find_samples()
        for row, (timestamp, name) in enumerate(self.entries):
            sample = samples[name]
            yield replace(sample, id=f"{row}-{name}", meta={**sample.meta, "timestamp": timestamp})

    def _find_samples(self) -> dict[str, Sample]:
        """Return the samples that are needed by their ids; the data is read only as far as necessary."""
        missing = {name for _, name in self.entries}
        samples: dict[str, Sample] = {}
        for row in self.task.samples:
            if not missing:
                break
            if isinstance(row, Sample) and row.id in missing:
                samples[row.id] = row
                missing.discard(row.id)
        if missing:
            raise DataError(f"The data of task '{self.task.name}' has no sample {min(missing)!r} any more.")
        return samples


def journal(*, requests: str, seed: int = 0) -> Task:
    """Build a task from the requests of an earlier load point, with their samples, times and metrics.

    Args:
        requests: Folder of the load point, or of a measurement with one load point.
        seed: Not used: nothing is random.
    """
    folder = _find_point(Path(requests))
    spec = Spec.model_validate({**read_run_spec(folder).spec, "limit": None})
    task = build_task(spec)
    entries = tuple(sorted(_read_entries(folder / REQUESTS_FILE)))
    return replace(task, samples=ReplayedSamples(task, entries), name=f"{task.name}-replayed")


def _find_point(folder: Path) -> Path:
    """Return the folder of the load point in a folder."""
    if (folder / REQUESTS_FILE).exists():
        return folder
    points = sorted(path.parent for path in folder.glob(f"*/{REQUESTS_FILE}") if (path.parent / SPEC_FILE).exists())
    if len(points) == 1:
        return points[0]
    if not points:
        raise SpecError(f"Not a load point: {folder} (it has no {REQUESTS_FILE}).")
    raise SpecError(f"{folder} has several load points. Choose one: {', '.join(path.name for path in points)}.")


def _read_entries(path: Path) -> Iterator[tuple[float, str]]:
    """Yield time and sample id of each conversation that was due or sent."""
    with path.open("rb") as lines:
        for line in lines:
            request = orjson.loads(line)
            time = request.get("due", request.get("sent"))
            if not request.get("turn") and time is not None:
                yield time, request["sample"]
