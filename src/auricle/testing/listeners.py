"""Simulated listeners, who answer a listening test with known qualities and noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from auricle.media.perturbations.base import make_generator
from auricle.studies.people.description import CHOICE, COMPARISON, LABELS, TRAP, ListeningTest, Trial, read_test
from auricle.studies.people.ratings import Rating, RatingJournal

if TYPE_CHECKING:
    from numpy.random import Generator

WORST = -10.0
"""Quality of a trap."""
PLAYED_SHARE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedListeners:
    """Listeners who rate the quality of a system plus offsets of their own, of the item and of the moment.

    Args:
        qualities: Mean rating of each system on the scale of the test; of pairs, only differences matter.
        listener_sd: Standard deviation of the listeners' offsets.
        item_sd: Standard deviation of the items' offsets.
        noise_sd: Standard deviation of single ratings.
        inattentive: Listeners who answer at random, such as `("L03",)`.
        seed: Seed of all offsets.

    Examples:
        >>> listeners = SimulatedListeners(qualities={"a": 4.2, "b": 3.1})
        >>> listeners.answer("naturalness")  # doctest: +SKIP
        240
    """

    qualities: Mapping[str, float]
    listener_sd: float = 0.4
    item_sd: float = 0.3
    noise_sd: float = 0.6
    inattentive: tuple[str, ...] = ()
    seed: int = 0
    _offsets: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    def answer(self, folder: str | Path, listeners: int | None = None) -> int:
        """Answer all trials of a test.

        Args:
            folder: Folder of the test.
            listeners: How many of its listeners answer. [default: all]

        Returns:
            The number of answers.
        """
        test = read_test(Path(folder))
        journal = RatingJournal(Path(folder))
        count = 0
        for listener in test.listeners[:listeners]:
            random = make_generator(str(self.seed), listener.id)
            for trial in listener.trials:
                answers = self.answer_trial(test, trial, listener.id, random)
                seconds = {LABELS[place]: test.sound_by_file[file].seconds for place, file in enumerate(trial.sounds)}
                journal.append(
                    Rating(
                        listener=listener.id,
                        trial=trial.id,
                        answers=answers,
                        seconds=1.0 + sum(seconds.values()),
                        played={label: PLAYED_SHARE * length for label, length in seconds.items()},
                    )
                )
                count += 1
        return count

    def answer_trial(self, test: ListeningTest, trial: Trial, listener: str, random: Generator) -> dict[str, float]:
        """Return the answer of a listener to one trial."""
        names = test.answer_names(trial)
        if listener in self.inattentive:
            steps = round((test.scale.high - test.scale.low) / test.scale.step)
            return {name: test.scale.low + test.scale.step * int(random.integers(steps + 1)) for name in names}
        values = [self._perceive(test, file, listener, random) for file in trial.sounds]
        if test.kind == "abx":
            return {CHOICE: self._identify(trial, values, random)}
        if test.kind == "ab":
            return {CHOICE: _choose(values[1] - values[0], has_tie=test.scale.has_tie)}
        if test.kind == "cmos":
            return {COMPARISON: _round_to_scale(test, values[1] - values[0])}
        return {label: _round_to_scale(test, value) for label, value in zip(names, values, strict=True)}

    def _perceive(self, test: ListeningTest, file: str, listener: str, random: Generator) -> float:
        sound = test.sound_by_file[file]
        noise = float(random.normal(0.0, self.noise_sd))
        quality = WORST if sound.system == TRAP else self.qualities[sound.system]
        return quality + self._offset(listener, self.listener_sd) + self._offset(sound.item, self.item_sd) + noise

    def _offset(self, name: str, deviation: float) -> float:
        if name not in self._offsets:
            self._offsets[name] = float(make_generator(str(self.seed), f"offset {name}").normal())
        return deviation * self._offsets[name]

    def _identify(self, trial: Trial, values: list[float], random: Generator) -> float:
        """Return the choice of an ABX trial: the more two sounds differ in quality, the more often it is right."""
        is_heard = abs(values[0] - values[1]) > 2 * self.noise_sd * math.sqrt(2) * float(random.random())
        right = float(trial.x == trial.sounds[1])
        return right if is_heard else float(random.integers(2))


def _choose(difference: float, *, has_tie: bool) -> float:
    if has_tie and abs(difference) < 0.2:
        return 0.5
    return float(difference > 0)


def _round_to_scale(test: ListeningTest, value: float) -> float:
    scale = test.scale
    steps = round((min(max(value, scale.low), scale.high) - scale.low) / scale.step)
    return scale.low + steps * scale.step
