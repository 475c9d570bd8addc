"""Attention checks and post-screening: whose ratings count, by rules that were fixed before the first answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auricle.studies.people.description import CHOICE, COMPARISON, LABELS, REFERENCE, TRAP, ListeningTest, Trial
from auricle.studies.people.ratings import Rating, list_answered
from auricle.studies.people.sounds import ANCHOR_PREFIX

HIGH_RATING = 90.0
"""A hidden reference is expected to be rated at least so, and an anchor not above, of 100."""
MAX_SHARE_OF_ITEMS = 0.15
"""Share of items of which a listener may rate the reference too low, or the mid anchor too high."""
MAX_SHARE_OF_LISTENERS = 0.25
"""If this share of listeners rates the mid anchor of an item too high, the item does not count against any."""
MID_ANCHOR = 7000.0
"""The mid anchor is the one with this cut-off frequency or, without it, the one with the highest."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """Whether a listener passed an attention check."""

    listener: str
    trial: str
    check: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Screening:
    """The outcomes of the checks, and why listeners are excluded."""

    checks: tuple[CheckOutcome, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Reason for each excluded listener."""

    @property
    def passed_by_trial(self) -> dict[tuple[str, str], bool]:
        """Whether each check was passed, by listener and trial."""
        return {(check.listener, check.trial): check.passed for check in self.checks}


def screen(test: ListeningTest, ratings: Sequence[Rating]) -> Screening:
    """Evaluate the checks and apply the rules of the test."""
    answered = list(list_answered(test, list(ratings)))
    checks = tuple(_evaluate_checks(test, answered))
    excluded: dict[str, str] = {}
    for listener in test.listeners:
        own = [check for check in checks if check.listener == listener.id]
        if reason := _find_failures(test, own):
            excluded[listener.id] = reason
    if test.screening.mushra:
        excluded |= {name: reason for name, reason in _post_screen(test, answered).items() if name not in excluded}
    return Screening(checks, excluded)


def _find_failures(test: ListeningTest, checks: Sequence[CheckOutcome]) -> str:
    """Return why a listener is excluded for failed checks, or an empty text."""
    rules = test.screening
    for kind, noun, limit, fewest in (
        ("trap", "traps", rules.max_failed_traps, 1),
        ("repeat", "repeats", rules.max_failed_repeats, rules.min_failed_repeats),
    ):
        own = [check for check in checks if check.check == kind]
        failed = sum(not check.passed for check in own)
        if failed >= fewest and failed / len(own) > limit:
            return f"failed {failed} of {len(own)} {noun}"
    return ""


def _evaluate_checks(test: ListeningTest, answered: Sequence[tuple[Rating, Trial]]) -> list[CheckOutcome]:
    answers = {(rating.listener, trial.id): rating.answers for rating, trial in answered}
    outcomes = []
    for rating, trial in answered:
        if trial.check == "trap":
            passed = passes_trap(test, trial, rating.answers)
        elif trial.check == "repeat" and (rating.listener, trial.repeats) in answers:
            passed = passes_repeat(test, answers[rating.listener, trial.repeats], rating.answers)
        else:
            continue
        outcomes.append(CheckOutcome(rating.listener, trial.id, trial.check, passed))
    return outcomes


def passes_trap(test: ListeningTest, trial: Trial, answers: Mapping[str, float]) -> bool:
    """Return whether an obviously bad sound was rated as such, or the other one was preferred or recognised."""
    if not test.facts.is_paired:
        highest = test.scale.low + test.screening.trap_share * (test.scale.high - test.scale.low)
        return answers[LABELS[0]] <= highest
    is_bad_first = test.system_of(trial.sounds[0]) == TRAP
    if test.kind == "abx":
        return answers[CHOICE] == float(trial.x == trial.sounds[1])
    if test.kind == "ab":
        return answers[CHOICE] == float(is_bad_first)
    return answers[COMPARISON] > 0 if is_bad_first else answers[COMPARISON] < 0


def passes_repeat(test: ListeningTest, first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    """Return whether both answers to a trial are equal within the tolerance, on average over its sounds."""
    differences = [abs(first[name] - second[name]) for name in first]
    return sum(differences) / len(differences) <= test.screening.repeat_tolerance


# --- ITU-R BS.1534-3 ----------------------------------------------------------------------------------------------


def _post_screen(test: ListeningTest, answered: Sequence[tuple[Rating, Trial]]) -> dict[str, str]:
    """Return the reason for each listener that the rules of ITU-R BS.1534-3 exclude."""
    reference = next((system.name for system in test.systems if system.role == REFERENCE), "")
    anchor = find_mid_anchor(test)
    by_system: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for rating, trial in answered:
        for label, file in zip(LABELS, () if trial.check else trial.sounds, strict=False):
            by_system[test.system_of(file)][rating.listener][trial.item] = rating.answers[label]
    reasons: dict[str, str] = {}
    excused = _find_excused_items(by_system[anchor])
    for listener, ratings in by_system[reference].items():
        low = sum(value < HIGH_RATING for value in ratings.values())
        if low > MAX_SHARE_OF_ITEMS * len(ratings):
            reasons[listener] = f"rated the hidden reference below {HIGH_RATING:g} in {low} of {len(ratings)} items"
    for listener, ratings in by_system[anchor].items():
        high = sum(value > HIGH_RATING for item, value in ratings.items() if item not in excused)
        if high > MAX_SHARE_OF_ITEMS * len(ratings):
            reason = f"rated the mid anchor above {HIGH_RATING:g} in {high} of {len(ratings)} items"
            reasons.setdefault(listener, reason)
    return reasons


def find_mid_anchor(test: ListeningTest) -> str:
    """Return the name of the mid anchor, or an empty text if there are no anchors."""
    cutoffs = {
        float(system.role.removeprefix(ANCHOR_PREFIX)): system.name
        for system in test.systems
        if system.role.startswith(ANCHOR_PREFIX)
    }
    return cutoffs.get(MID_ANCHOR) or (cutoffs[max(cutoffs)] if cutoffs else "")


def _find_excused_items(ratings: Mapping[str, Mapping[str, float]]) -> set[str]:
    """Return the items whose mid anchor too many listeners rate high, so that it is hardly audible."""
    high: dict[str, list[bool]] = defaultdict(list)
    for values in ratings.values():
        for item, value in values.items():
            high[item].append(value > HIGH_RATING)
    return {item for item, flags in high.items() if sum(flags) > MAX_SHARE_OF_LISTENERS * len(flags)}
