"""`test.json`: the description of a listening test, with everything that listeners must not see.

The folder of a test also has `sounds/`, whose names reveal nothing, `links.json` with the tokens of listeners, and
`ratings.jsonl` with what they answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from auricle.core.errors import DataError
from auricle.runs.documents import encode_document, read_document, write_document
from auricle.studies.people.scores import KINDS, Kind, TestFacts

TEST_FILE, SOUNDS_FOLDER = "test.json", "sounds"
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of the sounds of a trial, in the order in which they are shown."""
CHOICE, COMPARISON = "choice", "comparison"
"""Names of the answers to a pair: 0 for the first sound, 1 for the second, 0.5 for a tie; or how much better B is."""
REFERENCE, TRAP = "reference", "trap"
"""Role of the hidden reference, and the system of sounds that are obviously bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScale:
    """The answers that listeners can give."""

    low: float
    high: float
    step: float = 1.0
    labels: tuple[str, ...] = ()
    """Words for the answers, from the lowest to the highest: one for each step, or one for each equal part."""
    has_tie: bool = False
    """Whether listeners may answer that there is no difference."""

    def accepts(self, value: float) -> bool:
        steps = (value - self.low) / self.step
        return self.low <= value <= self.high and abs(steps - round(steps)) < 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSystem:
    """A system whose sounds are rated."""

    __test__ = False  # its name begins like that of a test

    name: str
    role: str = "system"
    """`system`, `reference`, or the cut-off frequency of an anchor, such as `anchor-3500`."""
    source: str = ""
    """The run or manifest with its sounds, or what they were made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSound:
    """A sound file of the test."""

    __test__ = False

    file: str
    item: str
    system: str
    seconds: float
    gain_db: float = 0.0
    """What was added to its level."""
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One page that a listener answers."""

    id: str
    item: str
    sounds: tuple[str, ...]
    """Files in the order in which they are shown: A, B, …"""
    reference: str = ""
    """File of the open reference, if there is one."""
    x: str = ""
    """File of X in an ABX trial."""
    check: str = ""
    """`repeat` or `trap` if this is an attention check."""
    repeats: str = ""
    """The trial that a repeated one repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """What one listener hears, in order."""

    id: str
    group: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loudness:
    """How the loudness of the sounds was aligned."""

    method: str = "active speech level (ITU-T P.56, method B)"
    level_dbfs: float = -26.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningRules:
    """When listeners are excluded; fixed before the first answer."""

    max_failed_traps: float = 0.25
    """Largest share of traps that may be failed."""
    max_failed_repeats: float = 0.5
    """Largest share of repeated trials that may be answered differently."""
    min_failed_repeats: int = 2
    """Fewest repeated trials that have to be answered differently: an honest listener may miss one."""
    repeat_tolerance: float = 1.0
    """Largest difference between two answers to the same trial that counts as equal."""
    trap_share: float = 0.25
    """A trap must be rated in the lowest part of the scale of this size."""
    mushra: bool = False
    """Whether the post-screening of ITU-R BS.1534-3 applies."""


@dataclass(frozen=True, kw_only=True)
class ListeningTest:
    """The description of a listening test."""

    format: int = 1
    kind: str
    title: str
    question: str
    scale: RatingScale
    systems: tuple[TestSystem, ...]
    items: tuple[str, ...]
    sounds: tuple[TestSound, ...]
    listeners: tuple[Listener, ...]
    design: str
    seed: int
    rate: int
    """Sample rate of all sounds."""
    loudness: Loudness = field(default_factory=Loudness)
    screening: ScreeningRules = field(default_factory=ScreeningRules)
    min_play_share: float = 0.9
    """Share of each sound that has to be played before it can be rated."""
    created: str = ""
    auricle: str = ""
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> TestFacts:
        """What the metrics need to know."""
        names = tuple(system.name for system in self.systems)
        return TestFacts(self.checked_kind, names, self.scale.low, self.scale.high)

    @property
    def checked_kind(self) -> Kind:
        return next(kind for kind in KINDS if kind == self.kind)

    @cached_property
    def sound_by_file(self) -> dict[str, TestSound]:
        return {sound.file: sound for sound in self.sounds}

    @cached_property
    def listener_by_id(self) -> dict[str, Listener]:
        return {listener.id: listener for listener in self.listeners}

    @cached_property
    def item_index(self) -> dict[str, int]:
        return {item: index for index, item in enumerate(self.items)}

    def system_of(self, file: str) -> str:
        return self.sound_by_file[file].system

    def answer_names(self, trial: Trial) -> tuple[str, ...]:
        """Return the names of the numbers that a trial asks for."""
        if self.kind == "cmos":
            return (COMPARISON,)
        return (CHOICE,) if self.facts.is_paired else tuple(LABELS[: len(trial.sounds)])


def read_test(folder: Path) -> ListeningTest:
    """Read and check the description of a listening test.

    Raises:
        DataError: if the folder has none, or it contradicts itself.
    """
    path = folder / TEST_FILE
    missing = f"Not a listening test: {folder} (it has no {TEST_FILE}). Create one with `auricle listen-test create`."
    test = read_document(path, ListeningTest, missing=missing)
    if problem := next(find_problems(test), ""):
        raise DataError(f"{path}: {problem}.")
    return test


def digest_test(test: ListeningTest) -> str:
    """Return the SHA-256 of the description of a test."""
    return hashlib.sha256(encode_document(test)).hexdigest()


def write_test(folder: Path, test: ListeningTest) -> None:
    write_document(folder / TEST_FILE, test)


def find_problems(test: ListeningTest) -> Iterator[str]:
    """Yield what contradicts itself in the description of a test."""
    if test.kind not in KINDS:
        yield f"kind: {test.kind!r} is not one of {', '.join(KINDS)}"
        return
    if not test.scale.low < test.scale.high or test.scale.step <= 0:
        yield f"scale: {test.scale.low:g} to {test.scale.high:g} in steps of {test.scale.step:g} has no answers"
    names = [system.name for system in test.systems]
    yield from (f"systems: {name!r} occurs twice" for name in {name for name in names if names.count(name) > 1})
    if len(names) < (2 if test.facts.is_paired else 1):
        yield f"systems: {len(names)} is too few for {test.kind}"
    yield from _find_sound_problems(test, {*names, TRAP})
    for listener in test.listeners:
        yield from _find_trial_problems(test, listener)


def _find_sound_problems(test: ListeningTest, names: set[str]) -> Iterator[str]:
    items = set(test.items)
    for sound in test.sounds:
        if "/" in sound.file or "\\" in sound.file or sound.file.startswith("."):
            yield f"sounds: {sound.file!r} is not the name of a file in {SOUNDS_FOLDER}/"
        if sound.system not in names:
            yield f"sounds: {sound.file} is of the unknown system {sound.system!r}"
        if sound.item not in items:
            yield f"sounds: {sound.file} is of the unknown item {sound.item!r}"


def _find_trial_problems(test: ListeningTest, listener: Listener) -> Iterator[str]:
    seen: set[str] = set()
    for trial in listener.trials:
        if trial.id in seen:
            yield f"listener {listener.id}: the trial {trial.id} occurs twice"
        for file in (*trial.sounds, *filter(None, (trial.reference, trial.x))):
            if file not in test.sound_by_file:
                yield f"listener {listener.id}, trial {trial.id}: there is no sound {file!r}"
        if trial.repeats and trial.repeats not in seen:
            yield f"listener {listener.id}, trial {trial.id} repeats {trial.repeats!r}, which does not precede it"
        if test.facts.is_paired and len(trial.sounds) != 2:
            yield f"listener {listener.id}, trial {trial.id}: a pair has two sounds, not {len(trial.sounds)}"
        seen.add(trial.id)
