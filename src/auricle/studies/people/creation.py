"""Create a listening test: choose items, prepare sounds under opaque names, and assign trials to listeners."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from auricle.core.errors import AudioError, SpecError
from auricle.core.files import make_folder, write_atomically
from auricle.media import Audio
from auricle.media.perturbations.base import make_generator
from auricle.runs.run_directory import contains_run
from auricle.studies.people import sources
from auricle.studies.people.assignment import ALL, DESIGNS, LATIN_SQUARE, Assignment
from auricle.studies.people.description import (
    REFERENCE,
    SOUNDS_FOLDER,
    TEST_FILE,
    TRAP,
    ListeningTest,
    Loudness,
    RatingScale,
    ScreeningRules,
    TestSound,
    TestSystem,
    write_test,
)
from auricle.studies.people.scores import PAIR_KINDS, Kind
from auricle.studies.people.sounds import (
    ANCHOR_PREFIX,
    SoundMeasures,
    SoundSource,
    choose_level,
    choose_rate,
    encode_sound,
    measure_sound,
)
from auricle.studies.people.sources import INPUT

QUALITY_LABELS = ("bad", "poor", "fair", "good", "excellent")
COMPARISON_LABELS = (
    "much worse",
    "worse",
    "slightly worse",
    "about the same",
    "slightly better",
    "better",
    "much better",
)
SCALES: dict[Kind, RatingScale] = {
    "mos": RatingScale(low=1, high=5, labels=QUALITY_LABELS),
    "cmos": RatingScale(low=-3, high=3, labels=COMPARISON_LABELS),
    "mushra": RatingScale(low=0, high=100, labels=QUALITY_LABELS),
    "abx": RatingScale(low=0, high=1),
    "ab": RatingScale(low=0, high=1, step=0.5, has_tie=True),
}
QUESTIONS: dict[Kind, str] = {
    "mos": "How natural does this recording sound?",
    "cmos": "How does B sound compared with A?",
    "mushra": "How good is each recording compared with the reference?",
    "abx": "Which recording is X the same as?",
    "ab": "Which recording do you prefer?",
}
ANCHORS = (3500.0, 7000.0)
"""Cut-off frequencies of the anchors of ITU-R BS.1534-3, in Hz."""
TRIALS_PER_TRAP = 12
TOLERATED_SHARE = 0.25
"""Difference between two ratings of the same sound that counts as equal, as a share of the scale."""
MIN_LISTENERS = 8
MAX_SOUNDS_ON_A_PAGE = 12
"""Most sounds that a MUSHRA page should have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationOptions:
    """How a listening test is made."""

    kind: Kind
    listeners: int = 12
    items: int | None = None
    """Most items. [default: all that every system has]"""
    reference: str = ""
    """System that is the reference, or `input` for the recordings that the runs received."""
    anchors: tuple[float, ...] | None = None
    """Cut-off frequencies of low-pass anchors in Hz. [default: 3500 and 7000 for MUSHRA, otherwise none]"""
    design: str = ""
    """`latin-square` or `all`. [default: a Latin square, unless all systems are on one page]"""
    repeat_checks: int = 2
    traps: int | None = None
    """Number of traps of each listener. [default: one in 12 trials, none for MUSHRA]"""
    title: str = "Listening test"
    question: str = ""
    scale: RatingScale | None = None
    level: float = -26.0
    seed: int = 0
    screening: ScreeningRules = field(default_factory=ScreeningRules)


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """A system, the reference, an anchor, or the traps, with the sounds that theirs are made from."""

    name: str
    role: str
    source: str
    sounds: dict[str, Audio]
    change: str = ""

    def list_sources(self, items: Sequence[str]) -> list[SoundSource]:
        return [SoundSource(item, self.name, self.sounds[item], self.change) for item in items]


def create_test(folder: Path, paths: Sequence[str], options: CreationOptions) -> ListeningTest:
    """Create a listening test in a folder.

    Args:
        folder: Where to create it; it must not contain a test.
        paths: Runs with sounds or manifests of sound files, each as PATH or NAME=PATH.
        options: How the test is made.

    Returns:
        The description of the test, which is also written to `test.json`.
    """
    if (folder / TEST_FILE).exists():
        raise SpecError(f"{folder} already contains a listening test. Choose another folder with -o.")
    systems = collect_rated_systems(paths, options)
    candidates = _choose_items(systems, options)
    rate = choose_rate(system.sounds[item] for system in systems for item in candidates)
    traps = [_make_trap_system(systems)] if options.kind != "mushra" else []
    sound_sources = [source for system in (*systems, *traps) for source in system.list_sources(candidates)]
    measures, problems = _measure_all(sound_sources, rate)
    usable = [item for item in candidates if item not in problems]
    items = _trim(usable, systems, options, next(iter(problems.values()), ""))
    used = [source for source in sound_sources if source.item in set(items)]
    level = choose_level((measures[source] for source in used), options.level)
    sounds = _write_sounds(folder, used, measures, Encoding(rate, level, options.seed))
    test = _describe(options, systems, items, sounds, Encoding(rate, level, options.seed))
    notes = [f"{len(problems)} of {len(candidates)} items were left out: {reason}" for reason in problems.values()][:1]
    test = replace(test, notes=(*notes, *_note_weaknesses(test, len(usable))))
    write_test(folder, test)
    return test


# --- systems and items --------------------------------------------------------------------------------------------


def collect_rated_systems(paths: Sequence[str], options: CreationOptions) -> list[RatedSystem]:
    """Collect the systems, with the hidden reference and the anchors that are made from it."""
    collected = sources.collect_systems(paths)
    if options.reference == INPUT:
        _, path = sources.split_name(paths[0])
        if not contains_run(path):
            raise SpecError(f"--reference {INPUT} needs runs; {path} is not a run.")
        collected.append(sources.read_inputs(path, INPUT))
    names = [system.name for system in collected]
    reference = sources.sanitise(options.reference) if options.reference else ""
    if reference and reference not in names:
        raise SpecError(f"The reference {options.reference!r} is not among the systems: {', '.join(names)}, {INPUT}.")
    if options.kind == "mushra" and not reference:
        raise SpecError(
            "A MUSHRA test needs a reference: --reference NAME of one of the systems, or --reference input for the "
            "recordings that the runs received. Without one, use --kind mos."
        )
    systems = [
        RatedSystem(system.name, REFERENCE if system.name == reference else "system", system.source, system.sounds)
        for system in collected
    ]
    systems += _make_anchors(systems, options)
    _check_count(systems, options)
    return systems


def _make_anchors(systems: Sequence[RatedSystem], options: CreationOptions) -> list[RatedSystem]:
    cutoffs = options.anchors if options.anchors is not None else ANCHORS if options.kind == "mushra" else ()
    reference = next((system for system in systems if system.role == REFERENCE), None)
    if cutoffs and reference is None:
        raise SpecError("Anchors are made from a reference. Add --reference NAME.")
    assert reference is not None or not cutoffs
    return [
        RatedSystem(name, name, f"{reference.name} below {cutoff:g} Hz", reference.sounds, name)
        for cutoff in cutoffs
        if reference is not None
        for name in [f"{ANCHOR_PREFIX}{cutoff:g}"]
    ]


def _make_trap_system(systems: Sequence[RatedSystem]) -> RatedSystem:
    origin = next((system for system in systems if system.role == REFERENCE), systems[0])
    return RatedSystem(TRAP, TRAP, origin.name, origin.sounds, TRAP)


def _check_count(systems: Sequence[RatedSystem], options: CreationOptions) -> None:
    if any(system.name == TRAP for system in systems):
        raise SpecError(f"A system cannot be named {TRAP!r}. Name it: NAME=PATH.")
    if options.kind in PAIR_KINDS and len(systems) < 2:
        raise SpecError(f"{options.kind} compares systems, but there is only {systems[0].name}. Give another run.")
    if options.kind == "mushra" and len(systems) > MAX_SOUNDS_ON_A_PAGE:
        raise SpecError(
            f"A MUSHRA page would have {len(systems)} sounds with reference and anchors; ITU-R BS.1534-3 allows "
            f"{MAX_SOUNDS_ON_A_PAGE}. Give fewer systems."
        )


def _choose_items(systems: Sequence[RatedSystem], options: CreationOptions) -> list[str]:
    """Return the items of which every system has a sound, or some of them at random, in the order of the data."""
    common = [item for item in systems[0].sounds if all(item in system.sounds for system in systems)]
    if not common:
        counts = ", ".join(f"{system.name} {len(system.sounds)}" for system in systems)
        raise SpecError(f"No item has a sound of every system (items: {counts}). Items are matched by their ids.")
    if options.items is None or options.items >= len(common):
        return common
    chosen = make_generator(str(options.seed), "items").permutation(len(common))[: options.items]
    return [common[index] for index in sorted(chosen.tolist())]


def _trim(items: list[str], systems: Sequence[RatedSystem], options: CreationOptions, reason: str) -> list[str]:
    """Return as many items as the design can balance; `reason` is why others cannot be used."""
    if not items:
        raise SpecError(f"No item can be used. The first reason: {reason}")
    if choose_design(options) == ALL or options.kind == "mushra":
        return items
    count = len(systems) * (len(systems) - 1) // 2 if options.kind in PAIR_KINDS else len(systems)
    if len(items) < count:
        raise SpecError(
            f"A Latin square of {count} conditions needs at least {count} items; there are {len(items)}. "
            "Use --design all, in which every listener hears everything."
        )
    return items[: len(items) // count * count]


def choose_design(options: CreationOptions) -> str:
    """Return the design of a test.

    Raises:
        SpecError: if there is no such design.
    """
    design = options.design or LATIN_SQUARE
    if design not in DESIGNS:
        raise SpecError(f"Unknown design {design!r}. Available: {', '.join(DESIGNS)}.")
    return ALL if options.kind == "mushra" else design


# --- sounds -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Encoding:
    """Sample rate and level of all sounds, and the seed of their names."""

    rate: int
    level: float
    seed: int


def _measure_all(
    sound_sources: Sequence[SoundSource], rate: int
) -> tuple[dict[SoundSource, SoundMeasures], dict[str, str]]:
    """Measure all sounds; return the measures, and the reason for each item that cannot be used."""
    measures: dict[SoundSource, SoundMeasures] = {}
    problems: dict[str, str] = {}
    for source in sound_sources:
        try:
            measures[source] = measure_sound(source.load(rate), rate)
        except AudioError as error:
            problems.setdefault(source.item, f"{source.item!r} of {source.system}: {error}")
    return measures, problems


def _write_sounds(
    folder: Path, used: Sequence[SoundSource], measures: dict[SoundSource, SoundMeasures], encoding: Encoding
) -> list[TestSound]:
    """Write the sounds under numbers in random order."""
    make_folder(folder / SOUNDS_FOLDER)
    numbers = make_generator(str(encoding.seed), "names").permutation(len(used)).tolist()
    sounds = []
    for number, source in zip(numbers, used, strict=True):
        gain = encoding.level - measures[source].level
        content = encode_sound(source.load(encoding.rate), encoding.rate, gain)
        name = f"s{number + 1:04d}.wav"
        write_atomically(folder / SOUNDS_FOLDER / name, content)
        digest = hashlib.sha256(content).hexdigest()
        seconds = round(measures[source].seconds, 3)
        sounds.append(
            TestSound(
                file=name,
                item=source.item,
                system=source.system,
                seconds=seconds,
                gain_db=round(gain, 2),
                sha256=digest,
            )
        )
    return sorted(sounds, key=lambda sound: sound.file)


# --- description --------------------------------------------------------------------------------------------------


def _describe(
    options: CreationOptions,
    systems: Sequence[RatedSystem],
    items: Sequence[str],
    sounds: Sequence[TestSound],
    encoding: Encoding,
) -> ListeningTest:
    files = {(sound.item, sound.system): sound.file for sound in sounds}
    design = choose_design(options)
    assignment = Assignment(
        options.kind,
        tuple(items),
        tuple(system.name for system in systems),
        next((system.name for system in systems if system.role == REFERENCE), ""),
        lambda item, system: files[item, system],
        options.seed,
        design,
        options.repeat_checks,
        _count_traps(options, len(systems), len(items)),
    )
    return ListeningTest(
        kind=options.kind,
        title=options.title,
        question=options.question or QUESTIONS[options.kind],
        scale=options.scale or SCALES[options.kind],
        systems=tuple(TestSystem(name=system.name, role=system.role, source=system.source) for system in systems),
        items=tuple(items),
        sounds=tuple(sounds),
        listeners=tuple(map(assignment.assign, range(options.listeners))),
        design=design,
        seed=options.seed,
        rate=encoding.rate,
        loudness=Loudness(level_dbfs=round(encoding.level, 2)),
        screening=_adapt_screening(options),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        auricle=version("auricle"),
    )


def _count_traps(options: CreationOptions, system_count: int, item_count: int) -> int:
    if options.traps is not None or options.kind == "mushra":
        return 0 if options.kind == "mushra" else options.traps or 0
    trials = item_count * (system_count if choose_design(options) == ALL else 1)
    return max(1, round(trials / TRIALS_PER_TRAP))


def _adapt_screening(options: CreationOptions) -> ScreeningRules:
    """Return the rules with a tolerance for repeated trials that suits the scale.

    An honest listener may answer a pair that sounds alike differently each time, so that no one is excluded for that.
    """
    rules = replace(options.screening, mushra=options.kind == "mushra")
    if options.kind in PAIR_KINDS:
        return replace(rules, max_failed_repeats=1.0)
    scale = options.scale or SCALES[options.kind]
    return replace(rules, repeat_tolerance=max(scale.step, TOLERATED_SHARE * (scale.high - scale.low)))


def _note_weaknesses(test: ListeningTest, usable_items: int) -> list[str]:
    """Return what limits the conclusions from a test."""
    notes = []
    if len(test.items) < usable_items:
        notes.append(f"{len(test.items)} of {usable_items} items are used: a multiple of the number of conditions.")
    groups = [listener.group for listener in test.listeners]
    if test.design == LATIN_SQUARE and len({groups.count(group) for group in groups}) > 1:
        notes.append("The groups of listeners differ in size: use a multiple of the number of conditions.")
    if len(test.listeners) < MIN_LISTENERS:
        notes.append(f"There are {len(test.listeners)} listeners; intervals of fewer than {MIN_LISTENERS} are wide.")
    return notes
