"""The task of a run whose answers come from the listeners of a listening test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Prediction, Record, Sample
from auricle.engine.inferencers import Measure
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.studies.people.analysis import make_agreement_metric
from auricle.studies.people.description import LABELS, SOUNDS_FOLDER, ListeningTest, Trial
from auricle.studies.people.ratings import Rating, list_answered
from auricle.studies.people.scores import KINDS, RATING, TestFacts, make_metrics
from auricle.studies.people.screening import Screening

TASK = "auricle.studies.people.task:listening_test"


def listening_test(
    kind: str, systems: Sequence[str], scale: Sequence[float], name: str = "Listening test", test: str = ""
) -> Task:
    """Make the task of a listening test, to score the answers of its listeners.

    Args:
        kind: mos, cmos, mushra, abx or ab.
        systems: Names of the systems, the hidden reference and the anchors.
        scale: Lowest and highest rating.
        name: Title of the test.
        test: Digest of the description of the test.
    """
    checked_kind = next((known_kind for known_kind in KINDS if known_kind == kind), None)
    if checked_kind is None:
        raise SpecError(f"Unknown kind of listening test {kind!r}. Expected one of: {', '.join(KINDS)}.")
    facts = TestFacts(checked_kind, tuple(systems), float(scale[0]), float(scale[1]))
    return Task(
        samples=NoSamples(test),
        inferencer=Measure(),
        metrics=[*make_metrics(facts), make_agreement_metric(facts)],
        name=name,
        cluster="listener",
        group_by=("item", "listener"),
    )


class NoSamples:
    """The samples of a test that only people can answer: they are in the journal of its run."""

    def __init__(self, revision: str) -> None:
        self.revision = revision

    def __iter__(self) -> Iterator[Sample]:
        raise SpecError("A listening test is answered by people: create one with `auricle listen-test create`.")


def task_arguments(test: ListeningTest, digest: str) -> dict[str, Any]:
    """Return the arguments of the task of a test, as a spec stores them."""
    facts = test.facts
    return {
        "kind": facts.kind,
        "systems": list(facts.systems),
        "scale": [facts.low, facts.high],
        "name": test.title,
        "test": digest,
    }


def build_records(test: ListeningTest, ratings: Sequence[Rating], screening: Screening, folder: str) -> list[Record]:
    """Return one record for each rating: of each sound on a page, or of each pair.

    Args:
        test: The test.
        ratings: The answers of the listeners.
        screening: Who is excluded, and who passed which checks.
        folder: Folder of the test, for the paths of its sounds.
    """
    passed = screening.passed_by_trial
    records: list[Record] = []
    for rating, trial in list_answered(test, list(ratings)):
        shared: dict[str, Any] = {
            "listener": rating.listener,
            "item": trial.item,
            "item_index": test.item_index[trial.item],
            "trial": trial.id,
            "excluded": screening.excluded.get(rating.listener, ""),
            "check": trial.check,
        }
        if trial.check:
            shared["passed"] = passed.get((rating.listener, trial.id))
        for suffix, meta, file, value in _list_values(test, trial, rating.answers):
            sample = Sample(
                id=f"{rating.listener}/{trial.id}{suffix}",
                inputs={"audio": Audio(f"{folder}/{SOUNDS_FOLDER}/{file}")},
                meta=shared | meta,
                origin=f"{trial.item}, {meta['system']}",
            )
            output = Prediction(values={RATING: value}, scale="continuous")
            records.append(Record(sample=sample, row=len(records), outputs=(output,), seconds=rating.seconds))
    return records


def _list_values(
    test: ListeningTest, trial: Trial, answers: Mapping[str, float]
) -> Iterator[tuple[str, dict[str, Any], str, float]]:
    """Yield the end of the id, the metadata, the sound and the number of each rating of a trial."""
    if test.facts.is_paired:
        first, second = trial.sounds
        meta: dict[str, Any] = {"system": test.system_of(first), "other": test.system_of(second)}
        if trial.x:
            meta["x"] = "first" if trial.x == first else "second"
        yield "", meta, first, next(iter(answers.values()))
        return
    for position, (label, file) in enumerate(zip(LABELS, trial.sounds, strict=False), 1):
        suffix = f"/{label}" if len(trial.sounds) > 1 else ""
        yield suffix, {"system": test.system_of(file), "position": position}, file, answers[label]
