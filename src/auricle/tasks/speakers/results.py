"""Scores of verification trials: two names and a number per line, joined with a list of trials by the names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Failure, Prediction, RejectedRow
from auricle.data.file_formats import Row, read_rows
from auricle.frameworks.exchange.result_files import (
    NOT_ANSWERED,
    ImportedResults,
    ImportedSample,
    ResultFormat,
    ResultLine,
)
from auricle.tasks.speakers.kind import A_COLUMNS, B_COLUMNS
from auricle.tasks.speakers.trial_lists import is_trial_list, read_scores, read_trials

Pair: TypeAlias = tuple[str, str]
NAMED_EXAMPLES = 3


class TrialScoreFormat(ResultFormat):
    """A file of scores, which needs a list of trials."""

    def with_reference(self, reference: Path, options: Mapping[str, Any]) -> ResultFormat:
        return replace(self, read=partial(join_scores, reference))

    def find_files(self, path: Path) -> list[Path]:
        if path.is_file():
            return [path]
        raise DataError(f"{path} is not a file. Import {self.file_example}.")

    def read_lines(self, path: Path) -> list[ResultLine]:
        lines = [(line.origin, {"a": line.a, "b": line.b, "score": line.score}) for line in read_scores(path)]
        if not lines:
            raise DataError(f"{path} has no scores.")
        return lines


def refuse_without_trials(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Refuse scores whose trials are not named."""
    raise SpecError(f"{path} has scores but no labels. Name the list of trials: --reference TRIALS.")


def join_scores(reference: Path, path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Give each trial its score; trials without one are failed samples."""
    scores = ScoreIndex.of(lines)
    trials = list(_read_trials(reference))
    if not trials:
        raise DataError(f"{reference} has no trials.")
    pairs = Counter(pair for _, _, pair in trials)
    samples = [scores.answer(origin, values, pair, pairs) for origin, values, pair in trials]
    if not any(sample.outputs for sample in samples):
        raise DataError(
            f"No trial of {reference} has a score in {path}: the names differ. First trial: {' '.join(trials[0][2])}; "
            f"first score: {lines[0][1]['a']} {lines[0][1]['b']}."
        )
    return ImportedResults(
        path=path,
        model=path.stem,
        dataset=reference.stem,
        samples=samples,
        kind="verify",
        task_options={"root": str(reference.resolve().parent)},
        extra_files=(reference,),
        notes=tuple(_describe(scores, pairs)),
    )


def _read_trials(path: Path) -> Iterator[tuple[str, Mapping[str, Any], Pair]]:
    """Yield the origin, the columns and the names of each trial."""
    for row in read_trials(path) if is_trial_list(path) else read_rows(path):
        if isinstance(row, RejectedRow):
            raise DataError(f"{row.origin}: {row.reason}. Fix or delete the line.")
        yield row.origin, row.values, _find_names(row)


def _find_names(row: Row) -> Pair:
    columns = {name.casefold(): value for name, value in row.values.items()}
    a, b = (next((columns[name] for name in names if name in columns), None) for names in (A_COLUMNS, B_COLUMNS))
    if not isinstance(a, str) or not isinstance(b, str):
        raise DataError(f"{row.origin}: a trial needs the names of two recordings, for example audio_a and audio_b.")
    return a, b


@dataclass(frozen=True)
class ScoreIndex:
    """Scores by the names of both sides."""

    scores: Mapping[Pair, list[float]]

    @classmethod
    def of(cls, lines: Sequence[ResultLine]) -> ScoreIndex:
        scores: dict[Pair, list[float]] = {}
        for _, values in lines:
            scores.setdefault((values["a"], values["b"]), []).append(values["score"])
        return cls(scores)

    def find(self, pair: Pair, pairs: Mapping[Pair, int]) -> list[float]:
        """Return the scores of a trial; those of the swapped names count unless these are a trial, too."""
        own = self.scores.get(pair)
        if own is not None:
            return own
        swapped = pair[1], pair[0]
        return [] if swapped in pairs else self.scores.get(swapped, [])

    def answer(self, origin: str, values: Mapping[str, Any], pair: Pair, pairs: Mapping[Pair, int]) -> ImportedSample:
        """Return a trial with its score, or with the reason why it has none."""
        scores = self.find(pair, pairs)
        if len(set(scores)) == 1:
            answer = Prediction(values={"score": scores[0]}, scale="continuous")
            return ImportedSample(manifest_row=values, origin=origin, outputs=(answer,))
        reason = f"{len(scores)} different scores: {', '.join(f'{score:g}' for score in scores[:3])}"
        failure = Failure(NOT_ANSWERED, reason if scores else "no score")
        return ImportedSample(manifest_row=values, origin=origin, error=failure)


def _describe(scores: ScoreIndex, pairs: Mapping[Pair, int]) -> Iterator[str]:
    """Yield notes on trials and scores that do not match one to one, each with examples."""
    listed = {*pairs} | {(b, a) for a, b in pairs}
    facts = {
        "without a score": [pair for pair in pairs if not scores.find(pair, pairs)],
        "listed more than once": [pair for pair, count in pairs.items() if count > 1],
        "with several scores": [pair for pair, values in scores.scores.items() if len(values) > 1],
        "scored but not listed": [pair for pair in scores.scores if pair not in listed],
        "scored with swapped names": [pair for pair in scores.scores if pair not in pairs and pair in listed],
    }
    for fact, matching in facts.items():
        if matching:
            examples = ", ".join(" ".join(pair) for pair in matching[:NAMED_EXAMPLES])
            rest = ", …" if len(matching) > NAMED_EXAMPLES else ""
            yield f"Trials {fact}: {len(matching):,} ({examples}{rest})."


FORMAT = TrialScoreFormat(
    name="trial-scores",
    title="speaker verification",
    required_columns=("a", "b", "score"),
    file_pattern="*",
    file_example="a text file with two names and a score per line",
    read=refuse_without_trials,
)
