"""Assign trials to listeners: the design, attention checks, and which sound is shown as A, B, …"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from auricle.media.perturbations.base import make_generator
from auricle.studies.people import designs
from auricle.studies.people.description import TRAP, Listener, Trial
from auricle.studies.people.scores import PAIR_KINDS, Kind, name_listener

if TYPE_CHECKING:
    from numpy.random import Generator

LATIN_SQUARE, ALL = "latin-square", "all"
DESIGNS = (LATIN_SQUARE, ALL)
MIN_DISTANCE = 2
"""Fewest trials from one to its repetition, if there are as many."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is needed to assign trials to listeners."""

    kind: Kind
    items: tuple[str, ...]
    systems: tuple[str, ...]
    reference: str
    """Name of the system that is also shown openly, or an empty text."""
    find_file: Callable[[str, str], str]
    """Return the file of an item and a system."""
    seed: int
    design: str = LATIN_SQUARE
    repeat_checks: int = 0
    traps: int = 0

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return list(combinations(self.systems, 2))

    @property
    def condition_count(self) -> int:
        """The number of systems or pairs that an item can be heard with; 1 if all are on one page."""
        if self.kind == "mushra":
            return 1
        return len(self.pairs) if self.kind in PAIR_KINDS else len(self.systems)

    def assign(self, listener: int) -> Listener:
        """Return the trials of a listener, whose index begins at 0."""
        random = make_generator(str(self.seed), f"listener {listener}")
        drafts = self._assign_pages(listener, random) if self.kind == "mushra" else self._assign(listener, random)
        trials = _number(self._add_checks(drafts, random))
        return Listener(id=name_listener(listener + 1), group=listener % self.condition_count, trials=trials)

    def _assign_pages(self, listener: int, random: Generator) -> list[Draft]:
        """Return one page for each item, with all sounds in random order and the open reference."""
        order = designs.order_items(listener, len(self.items), make_generator(str(self.seed), "pages"))
        pages = []
        for item in (self.items[index] for index in order):
            names = [self.systems[place] for place in random.permutation(len(self.systems)).tolist()]
            sounds = tuple(self.find_file(item, name) for name in names)
            pages.append(Draft(item, sounds, reference=self.find_file(item, self.reference)))
        return pages

    def _assign(self, listener: int, random: Generator) -> list[Draft]:
        assign = designs.assign_conditions if self.design == LATIN_SQUARE else designs.assign_all
        plan = assign(listener, len(self.items), self.condition_count, random)
        if self.kind in PAIR_KINDS:
            return [self._show_pair(index, self.pairs[condition], listener) for index, condition in plan]
        names = [(self.items[index], self.systems[condition]) for index, condition in plan]
        return [Draft(item, (self.find_file(item, system),)) for item, system in names]

    def _show_pair(self, index: int, pair: tuple[str, str], listener: int) -> Draft:
        is_swapped, is_x_last = designs.balance_orders(listener, index, self.condition_count)
        item = self.items[index]
        files = tuple(self.find_file(item, name) for name in (pair[::-1] if is_swapped else pair))
        return Draft(item, files, x=files[is_x_last] if self.kind == "abx" else "")

    def _add_checks(self, drafts: list[Draft], random: Generator) -> list[Draft]:
        """Insert traps anywhere but first, and repeated trials in the second half."""
        checked = list(drafts)
        for index in random.permutation(len(drafts))[: self.traps].tolist():
            trap = self._make_trap(drafts[index].item, random)
            checked.insert(int(random.integers(1, len(checked) + 1)), trap)
        for index in random.permutation((len(drafts) + 1) // 2)[: self.repeat_checks].tolist():
            original = drafts[index]
            earliest = min(len(checked), max(len(checked) // 2, checked.index(original) + MIN_DISTANCE))
            place = int(random.integers(earliest, len(checked) + 1))
            checked.insert(place, replace(original, check="repeat", repeats=original))
        return checked

    def _make_trap(self, item: str, random: Generator) -> Draft:
        bad = self.find_file(item, TRAP)
        if self.kind not in PAIR_KINDS:
            return Draft(item, (bad,), check="trap")
        good = self.find_file(item, self.reference or self.systems[0])
        files = (good, bad) if random.integers(2) else (bad, good)
        return Draft(item, files, x=files[int(random.integers(2))] if self.kind == "abx" else "", check="trap")


@dataclass(frozen=True, eq=False)
class Draft:
    """A trial without its number."""

    item: str
    sounds: tuple[str, ...]
    reference: str = ""
    x: str = ""
    check: str = ""
    repeats: Draft | None = None


def _number(drafts: list[Draft]) -> tuple[Trial, ...]:
    """Number the trials in the order of the listener, so that an id does not reveal an attention check."""
    ids = {id(draft): f"t{place:03d}" for place, draft in enumerate(drafts, 1)}
    return tuple(
        Trial(
            id=ids[id(draft)],
            item=draft.item,
            sounds=draft.sounds,
            reference=draft.reference,
            x=draft.x,
            check=draft.check,
            repeats=ids[id(draft.repeats)] if draft.repeats else "",
        )
        for draft in drafts
    )
