"""`ratings.jsonl`: what listeners answered, appended line by line, and `links.json`: how they reach the test.

Every line is on disk before its listener sees the next trial, so that a crash loses nothing that was answered. The last
answer to a trial counts. A line has a checksum, as in the journal of a run.
"""

from __future__ import annotations

import math
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from auricle.core.checked_lines import CHECKSUM_FIELD, add_checksum, find_damage
from auricle.core.errors import DataError
from auricle.core.serialization import dump_canonical
from auricle.runs.documents import decode, read_document, write_document
from auricle.runs.journal import read_lines, truncate_partial_line
from auricle.studies.people.description import ListeningTest, Trial

RATINGS_FILE, LINKS_FILE = "ratings.jsonl", "links.json"


class InvalidAnswer(DataError):
    """An answer does not belong to the trial, or is not on its scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The answer of a listener to one trial."""

    listener: str
    trial: str
    answers: dict[str, float]
    """A number for each sound (A, B, …), or the `choice` or `comparison` of a pair."""
    seconds: float | None = None
    """Time from the first view of the trial to the answer."""
    played: dict[str, float] = field(default_factory=dict)
    """Seconds of each sound that were played."""
    time: str = ""


def check_answer(test: ListeningTest, trial: Trial, answers: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of an answer.

    Raises:
        InvalidAnswer: if a number is missing, superfluous or not on the scale.
    """
    names = test.answer_names(trial)
    if set(answers) != set(names):
        raise InvalidAnswer(f"Trial {trial.id} expects {', '.join(names)}, not {', '.join(answers) or 'nothing'}.")
    for name in names:
        value = answers[name]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not is_number or not test.scale.accepts(float(value)):
            raise InvalidAnswer(f"{value!r} is not an answer from {test.scale.low:g} to {test.scale.high:g}.")
    return {name: float(answers[name]) for name in names}


class RatingJournal:
    """Appends answers; several threads may do so."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RATINGS_FILE
        self._lock = threading.Lock()
        if self._path.exists():
            truncate_partial_line(self._path)

    def append(self, rating: Rating) -> None:
        """Append an answer; it is on disk when this returns."""
        stamped = replace(rating, time=rating.time or datetime.now(UTC).isoformat(timespec="milliseconds"))
        fields = {name: getattr(stamped, name) for name in Rating.__slots__}
        line = add_checksum(dump_canonical(fields))
        with self._lock:
            try:
                with self._path.open("ab") as file:
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError:  # such as a full disk; the next line must not continue this one
                truncate_partial_line(self._path)
                raise


def read_ratings(folder: Path) -> tuple[list[Rating], int]:
    """Return the last answer to each trial of each listener, in order, and the number of damaged lines."""
    path = folder / RATINGS_FILE
    ratings: dict[tuple[str, str], Rating] = {}
    damaged = 0
    for _, line in read_lines(path) if path.exists() else ():
        if find_damage(line):
            damaged += 1
            continue
        fields = orjson.loads(line)
        fields.pop(CHECKSUM_FIELD)
        try:
            rating: Rating = decode(Rating, fields)
        except DataError:
            damaged += 1
            continue
        ratings[rating.listener, rating.trial] = rating
    return list(ratings.values()), damaged


def list_answered(test: ListeningTest, ratings: list[Rating]) -> Iterator[tuple[Rating, Trial]]:
    """Yield answers with their trials; answers of unknown listeners or trials are left out."""
    trials = {(listener.id, trial.id): trial for listener in test.listeners for trial in listener.trials}
    for rating in ratings:
        if (trial := trials.get((rating.listener, rating.trial))) is not None:
            yield rating, trial


# --- links --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The secret part of the links of listeners, and of the link with which people enrol themselves."""

    format: int = 1
    tokens: dict[str, str]
    """Token of each listener."""
    enrolment: str
    enrolled: tuple[str, ...] = ()
    """Listeners whose place was taken with the enrolment link."""

    @classmethod
    def open(cls, folder: Path, test: ListeningTest) -> Links:
        """Read the links of a test, or create them."""
        path = folder / LINKS_FILE
        if path.exists():
            return read_document(path, cls)
        links = cls(
            tokens={listener.id: secrets.token_urlsafe(12) for listener in test.listeners},
            enrolment=secrets.token_urlsafe(12),
        )
        links.save(folder)
        return links

    def save(self, folder: Path) -> None:
        write_document(folder / LINKS_FILE, self, mode=0o600)

    def find_listener(self, token: str) -> str:
        """Return the listener with a token, or an empty text."""
        matches = (name for name, own in self.tokens.items() if secrets.compare_digest(own.encode(), token.encode()))
        return next(matches, "")
