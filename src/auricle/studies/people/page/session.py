"""What listeners see and answer: the next trial of each, without the names of systems and files."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import compare_digest, token_urlsafe
from typing import Any

from auricle.core.errors import SpecError
from auricle.studies.people.description import LABELS, SOUNDS_FOLDER, Listener, ListeningTest, Trial, read_test
from auricle.studies.people.ratings import (
    InvalidAnswer,
    Links,
    Rating,
    RatingJournal,
    check_answer,
    list_answered,
    read_ratings,
)

REFERENCE_LABEL, X_LABEL = "R", "X"
"""Names of the open reference and of the unknown sound on a page; no test has as many sounds as these letters."""


PLACES_PER_ADDRESS = 4
"""How many people may enrol from one address: a household, but not a script that takes all places."""


class NoFreePlace(SpecError):
    """All listeners of the test have begun, or too many of them from one address."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A trial that was sent to its listener's page."""

    nonce: str = field(default_factory=lambda: token_urlsafe(12))
    """What the answer must repeat: only who received the trial knows it."""
    since: float = field(default_factory=time.monotonic)


class ListeningSession:
    """A listening test while people take it; several threads may use it."""

    def __init__(self, folder: Path, places_per_address: int = PLACES_PER_ADDRESS) -> None:
        self.folder = folder
        self.test: ListeningTest = read_test(folder)
        self.links = Links.open(folder, self.test)
        self._journal = RatingJournal(folder)
        self._lock = threading.Lock()
        self._places_per_address = places_per_address
        self._places: Counter[str] = Counter()  # addresses of people are stored nowhere
        self._shown: dict[tuple[str, str], Shown] = {}
        ratings, _ = read_ratings(folder)
        self._answered = {(rating.listener, trial.id) for rating, trial in list_answered(self.test, ratings)}

    # --- listeners ------------------------------------------------------------------------------------------------

    def enrol(self, address: str) -> str:
        """Return the token of the next listener who has not begun.

        Raises:
            NoFreePlace: if there is none, or the address of this person has too many already.
        """
        with self._lock:
            if self._places[address] >= self._places_per_address:
                raise NoFreePlace("Too many people take part from your address. Please ask who invited you.")
            taken = {listener for listener, _ in self._answered} | set(self.links.enrolled)
            free = next((listener.id for listener in self.test.listeners if listener.id not in taken), None)
            if free is None:
                raise NoFreePlace("All places of this test are taken. Thank you for your interest.")
            self.links = replace(self.links, enrolled=(*self.links.enrolled, free))
            self.links.save(self.folder)
            self._places[address] += 1
            return self.links.tokens[free]

    def find_listener(self, token: str) -> Listener | None:
        """Return the listener with a token."""
        return self.test.listener_by_id.get(self.links.find_listener(token))

    def is_finished(self, listener: Listener) -> bool:
        return self._next_trial(listener) is None

    def count_finished(self) -> int:
        """Return how many listeners have answered all trials."""
        return sum(map(self.is_finished, self.test.listeners))

    def _next_trial(self, listener: Listener) -> Trial | None:
        return next((trial for trial in listener.trials if (listener.id, trial.id) not in self._answered), None)

    # --- pages ----------------------------------------------------------------------------------------------------

    def describe(self, listener: Listener) -> dict[str, Any]:
        """Return what the page shows next."""
        trial = self._next_trial(listener)
        scale = self.test.scale
        return {
            "title": self.test.title,
            "question": self.test.question,
            "kind": self.test.kind,
            "scale": {
                "low": scale.low,
                "high": scale.high,
                "step": scale.step,
                "labels": scale.labels,
                "tie": scale.has_tie,
            },
            "done": sum((listener.id, own.id) in self._answered for own in listener.trials),
            "total": len(listener.trials),
            "playShare": self.test.min_play_share,
            "trial": None if trial is None else self._describe_trial(listener, trial),
        }

    def _describe_trial(self, listener: Listener, trial: Trial) -> dict[str, Any]:
        shown = self._shown.setdefault((listener.id, trial.id), Shown())
        seconds = {label: self.test.sound_by_file[file].seconds for label, file in list_sounds(trial).items()}
        return {"id": trial.id, "nonce": shown.nonce, "labels": list(LABELS[: len(trial.sounds)]), "seconds": seconds}

    def find_sound(self, listener: Listener, trial_id: str, label: str) -> Path | None:
        """Return the file of a sound of one of the listener's trials."""
        trial = next((trial for trial in listener.trials if trial.id == trial_id), None)
        file = list_sounds(trial).get(label) if trial else None
        return self.folder / SOUNDS_FOLDER / file if file else None

    # --- answers --------------------------------------------------------------------------------------------------

    def answer(self, listener: Listener, document: Any) -> None:
        """Store an answer to the next trial; an answer that was already stored is ignored.

        Raises:
            InvalidAnswer: if it is not an answer to this trial, the trial was not shown, or its sounds were not played.
        """
        if not isinstance(document, dict):
            raise InvalidAnswer("The answer is not a JSON object. Reload the page.")
        with self._lock:
            trial = self._next_trial(listener)
            trial_id = document.get("trial")
            if isinstance(trial_id, str) and (listener.id, trial_id) in self._answered:
                return
            if trial is None or trial_id != trial.id:
                raise InvalidAnswer("This is not the trial that comes next. Reload the page.")
            shown, nonce = self._shown.get((listener.id, trial.id)), document.get("nonce")
            if shown is None or not isinstance(nonce, str) or not compare_digest(nonce.encode(), shown.nonce.encode()):
                raise InvalidAnswer("This trial was not shown on this page. Reload the page.")
            answers, played = document.get("answers"), document.get("played")
            if not isinstance(answers, dict) or not isinstance(played, dict):
                raise InvalidAnswer("The answer is incomplete. Reload the page.")
            checked = check_answer(self.test, trial, answers)
            heard = self._check_played(trial, played)
            seconds = self._check_time(shown, trial)
            self._journal.append(
                Rating(listener=listener.id, trial=trial.id, answers=checked, played=heard, seconds=seconds)
            )
            self._answered.add((listener.id, trial.id))

    def _check_played(self, trial: Trial, played: Mapping[str, Any]) -> dict[str, float]:
        """Return how long each sound was played.

        Raises:
            InvalidAnswer: if a sound was not played far enough; the open reference need not be played again.
        """
        heard = {}
        for label, file in list_sounds(trial).items():
            value = played.get(label, 0.0)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            heard[label] = round(float(value), 3) if is_number else 0.0
            required = self.test.min_play_share * self.test.sound_by_file[file].seconds
            if label != REFERENCE_LABEL and not heard[label] >= required:
                raise InvalidAnswer(f"Please listen to {label} to the end before you answer.")
        return heard

    def _check_time(self, shown: Shown, trial: Trial) -> float:
        """Return the seconds since the trial was first shown.

        Raises:
            InvalidAnswer: if the longest sound cannot have been played since then.
        """
        seconds = time.monotonic() - shown.since
        longest = max(self.test.sound_by_file[file].seconds for file in trial.sounds)
        if seconds < self.test.min_play_share * longest:
            raise InvalidAnswer("Please listen to the sounds before you answer.")
        return round(seconds, 3)


def list_sounds(trial: Trial) -> dict[str, str]:
    """Return the files of a trial by the labels on its page."""
    sounds = dict(zip(LABELS, trial.sounds, strict=False))
    if trial.reference:
        sounds[REFERENCE_LABEL] = trial.reference
    if trial.x:
        sounds[X_LABEL] = trial.x
    return sounds
