"""Samples of a column with the answers of all models side by side: those that set models apart, and the worst."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from auricle.core.errors import DataError
from auricle.core.types import Record
from auricle.report.audio_clips import AudioClips, Clip
from auricle.report.sample_view import SampleView
from auricle.report.worst_samples import ScoredRecord, view_worst_samples
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.scoring.stored_stats import get_stat
from auricle.studies.leaderboards.column_stats import ColumnStats, LoadedResult


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model to a sample."""

    place: int
    """The place of its row in the leaderboard."""
    run: str
    view: SampleView
    value: float | None
    """The number of this sample alone; None if it was not scored, or if the metric has no number for one sample."""


@dataclass(frozen=True, slots=True)
class ComparedSample:
    """A sample, and the answers of all models that have it, in the order of the leaderboard."""

    sample: SampleView
    """What all models received, and the reference."""
    answers: tuple[Answer, ...]
    sounds: tuple[Clip, ...] = ()
    """The recordings that all models received."""
    note: str = ""
    """Why a recording cannot be played, or is cut."""

    @property
    def id(self) -> str:
        return self.sample.id

    @property
    def values(self) -> list[float]:
        return [answer.value for answer in self.answers if answer.value is not None]

    @property
    def mean(self) -> float | None:
        return float(np.mean(self.values)) if self.values else None


# --- which samples --------------------------------------------------------------------------------------


def choose_samples(stats: ColumnStats, count: int) -> list[str]:
    """Choose the samples on which models differ most and those that all find hard, by turns.

    Args:
        stats: The statistics of the column.
        count: Number of samples.
    """
    ids = list(dict.fromkeys(chain.from_iterable(result.stored.ids for result in stats.results)))
    if not ids or count < 1:
        return []
    at = {sample: index for index, sample in enumerate(ids)}
    ratings = np.full((len(stats.results), len(ids)), math.nan)
    for row, result in zip(ratings, stats.results, strict=True):
        stored = result.stored
        row[[at[sample] for sample in stored.ids]] = stored.metric.rate_stats(stored.stats, stored.stats)
    ratings[~np.isfinite(ratings)] = math.nan  # samples that cannot be rated
    counts = np.maximum(1, (~np.isnan(ratings)).sum(axis=0))
    badness = np.nansum(ratings, axis=0) / counts
    spread = np.nan_to_num(np.fmax.reduce(ratings, axis=0) - np.fmin.reduce(ratings, axis=0))
    orders = [np.lexsort((-badness, -spread)), np.lexsort((-spread, -badness))]
    chosen = dict.fromkeys(int(index) for pair in zip(*orders, strict=True) for index in pair)
    return [ids[index] for index in list(chosen)[:count]]


# --- the answers ----------------------------------------------------------------------------------------


def compare_samples(stats: ColumnStats, ids: Sequence[str], *, audio: bool) -> Iterator[ComparedSample]:
    """Yield samples with the answers of all models; samples that no journal contains are left out.

    Args:
        stats: The statistics of the column.
        ids: The samples.
        audio: Whether to include recordings and spoken answers, within the limits of a page.
    """
    entries: dict[str, list[tuple[LoadedResult, ScoredRecord]]] = {sample: [] for sample in ids}
    for result in stats.results:
        for entry in _load_records(result, set(ids)):
            entries[entry[0].sample.id].append((result, entry))
    for answered in entries.values():
        if answered:
            yield _compare_answers(answered, audio=audio)


def _load_records(result: LoadedResult, ids: set[str]) -> list[ScoredRecord]:
    number = result.cell.number
    try:
        lines = {line.id: line for line in read_scores(result.path) if line.id in ids}
        with Run.load(result.path).open_index() as index:
            records = [(record, lines[sample]) for sample in lines if (record := index.get(sample))]
    except DataError:  # the page of the run shows why
        return []
    return [(record, replace(line, stats={number.metric: get_stat(line, number)})) for record, line in records]


def _compare_answers(entries: Sequence[tuple[LoadedResult, ScoredRecord]], *, audio: bool) -> ComparedSample:
    answers = [_view_answer(result, entry) for result, entry in entries]
    records = [record for _, (record, _) in entries]
    if audio:
        clips = _encode_answers(records)
        answers = [
            replace(answer, view=replace(answer.view, audio=sounds))
            for answer, sounds in zip(answers, clips, strict=True)
        ]
    sounds, note = _encode_inputs(records[0]) if audio else ((), "")
    return ComparedSample(answers[0].view, tuple(answers), sounds, note)


def _view_answer(result: LoadedResult, entry: ScoredRecord) -> Answer:
    number = result.cell.number
    metric = result.stored.metric.replace(name=number.metric)
    stat = entry[1].stats[number.metric]
    if stat is None:
        entry = (entry[0], replace(entry[1], stats={}))
    (view,) = view_worst_samples([entry], metric, audio=False)
    value = math.nan if stat is None else metric.sample_value(stat)
    return Answer(result.place, result.cell.run, view, value if math.isfinite(value) else None)


def _encode_inputs(record: Record) -> tuple[tuple[Clip, ...], str]:
    """Return the recordings that a sample consists of, and notes about them."""
    asked = replace(record, outputs=())
    with AudioClips([asked]) as clips:
        sounds, notes = clips.get(asked)
    return sounds, " ".join(notes)


def _encode_answers(records: Sequence[Record]) -> list[tuple[Clip, ...]]:
    """Return the spoken answers of each record, or the recording of its call."""
    spoken = [replace(record, sample=replace(record.sample, inputs={})) for record in records]
    with AudioClips(spoken) as clips:
        return [clips.get(record)[0] for record in spoken]
