"""The samples of a run with their answers and scores, as formats with a line per sample need them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.direction import Direction
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Json, Likelihood, Output, Prediction, Record
from auricle.frameworks.exchange.result_export import get_audio_uris
from auricle.metrics.multi_answer import get_turns
from auricle.report.transcript import transcript_lines
from auricle.runs.metrics import Number
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.scoring.stored_stats import load_stats
from auricle.sharing.exports.base import FinishedRun

ROLES = {
    "System": "system",
    "User": "user",
    "Assistant": "assistant",
    "Answer": "assistant",
    "Caller": "user",
    "Agent": "assistant",
    "Tool": "tool",
}
"""Roles of messages, by the speakers of conversations and live calls."""


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """A sample that was answered, with its value for each metric that has one."""

    record: Record
    values: Mapping[str, float]
    reading: str = ""
    """How the answer was read from the reply; empty if it was not."""

    @property
    def texts(self) -> list[str]:
        """The answers as texts."""
        return [_to_text(output) for output in self.record.outputs]

    @property
    def messages(self) -> list[dict[str, str]]:
        """Role and content of the messages of a conversation or a live call; none if the sample is one question."""
        is_call = any(isinstance(output, CallRecording) for output in self.record.outputs)
        if not is_call and not get_turns(self.record.sample):
            return []
        lines = transcript_lines(self.record, max_lines=sys.maxsize)
        roles = [(ROLES[line.speaker], line.text) for line in lines if line.speaker != "Reference"]
        return [{"role": role, "content": text} for role, text in roles]

    @property
    def references(self) -> list[str]:
        """The correct answers as texts; none if the sample has none."""
        target = self.record.sample.target
        if target is None:
            return []
        return [to_text(item) for item in target] if isinstance(target, list | tuple) else [to_text(target)]

    @property
    def input_text(self) -> str:
        """The texts of the sample's inputs, without media; of a conversation, the words of the user or caller."""
        if messages := self.messages:
            return "\n".join(message["content"] for message in messages if message["role"] == "user")
        return "\n".join(value for value in self.record.sample.inputs.values() if isinstance(value, str))

    @property
    def file_names(self) -> list[str]:
        """The names of the sample's recordings, without folders, which are those of one machine."""
        return [PurePath(uri).name for uri in get_audio_uris(self.record)]

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Tokens of the requests and of the answers; None if they are unknown."""
        counts = [
            (output.input_tokens, output.tokens) for output in self.record.outputs if isinstance(output, Generation)
        ]
        if not counts or any(count is None for pair in counts for count in pair):
            return None
        return sum(pair[0] or 0 for pair in counts), sum(pair[1] or 0 for pair in counts)


def load_scored_samples(run: FinishedRun, numbers: Sequence[Number]) -> list[ScoredSample]:
    """Return the answered samples in the order of the data, with their values for the metrics of these numbers.

    A sample has no value where the metric does not apply, could not read the answer, or is only defined over several
    samples. Metrics that a run names by a file are not executed.
    """
    values: dict[str, dict[str, float]] = {}
    for number in numbers:
        stored = load_stats(run.path, number)
        for sample_id, value in stored.compute_sample_values() if stored else ():
            values.setdefault(sample_id, {})[number.metric] = value
    readings = {line.id: line.reading for line in read_scores(run.path)}
    records = sorted((record for record in Run.load(run.path).records() if not record.error), key=lambda item: item.row)
    return [
        ScoredSample(record, values.get(record.sample.id, {}), readings.get(record.sample.id, "")) for record in records
    ]


def is_right(number: Number, value: float) -> bool:
    """Return whether the value of a sample is the best possible one of a metric that is a share."""
    return value >= 1.0 if is_higher_better(number) else number.direction is not Direction.NONE and value == 0.0


def is_higher_better(number: Number) -> bool | None:
    """Return whether higher values of a metric are better; None if neither higher nor lower ones are."""
    return None if number.optimum else number.higher_is_better


def to_text(value: Json | Any) -> str:
    """Return a text unchanged, and any other value as JSON."""
    return value if isinstance(value, str) else dumps(value).decode().strip()


def _to_text(output: Output) -> str:
    if isinstance(output, Generation):
        return output.text
    if isinstance(output, Prediction):
        return to_text(dict(output.values))
    return to_text(list(output.logprobs)) if isinstance(output, Likelihood) else output.text
