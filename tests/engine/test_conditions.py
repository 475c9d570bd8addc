"""Tasks under conditions: the same samples with other recordings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from auricle import Audio, Sample, Task
from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow, Turn
from auricle.data.parts import DataPart
from auricle.engine.conditions import Condition, ConditionedSamples, apply_condition, is_perturbed, render_sample
from auricle.engine.inferencers import Respond
from auricle.engine.sample_changes import SampleChange
from auricle.media.perturbations import catalogue
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound


@dataclass(frozen=True)
class Mix(Perturbation):
    """Return the recordings that are mixed in."""

    name: ClassVar[str] = "mix"
    count: int = 2
    source: str = "speakers"

    @property
    def needed_sounds(self) -> int:
        return self.count

    @property
    def other_sounds(self) -> str:  # type: ignore[override]  # decided by an argument
        return self.source

    def apply(self, sound: Sound, random: Any, others: Sequence[Sound]) -> PerturbedSound:
        return PerturbedSound(Sound(np.concatenate([other.samples for other in others]), sound.rate), {"drawn": 1.0})


@dataclass(frozen=True)
class Upper(SampleChange):
    """Write the question in capitals."""

    name: ClassVar[str] = "upper"

    def change(self, sample: Sample) -> Sample:
        return replace(sample, inputs={**sample.inputs, "question": str(sample.inputs["question"]).upper()})


@pytest.fixture(autouse=True)
def _mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.media.perturbations.noise.Mix", Mix, raising=False)
    monkeypatch.setattr(catalogue, "PERTURBATIONS", {**catalogue.PERTURBATIONS, "mix": "noise:Mix"})
    monkeypatch.setattr("auricle.engine.conditions.SAMPLE_CHANGES", {"upper": Upper})


def make_sample(number: int, speaker: str = "", seconds: float = 0.1) -> Sample:
    audio = Audio.of(np.full(round(seconds * 8000), number / 10, np.float32), rate=8000)
    meta = {"speaker": speaker} if speaker else {}
    return Sample(id=str(number), inputs={"audio": audio, "question": "what?"}, target=f"word {number}", meta=meta)


def make_task(samples: Sequence[Any]) -> Task:
    return Task(samples=list(samples), inferencer=Respond("{question}"), metrics=[], name="words")


def under(condition: str, samples: Sequence[Any], seed: int = 0) -> list[Any]:
    return list(apply_condition(make_task(samples), Condition.parse(condition), seed).samples)


def test_samples_keep_their_ids_and_targets() -> None:
    samples: list[Any] = [make_sample(1), RejectedRow("row 2", "empty"), make_sample(3)]
    first, rejected, third = under("noise:snr=10", samples)
    assert (first.id, first.target, third.id) == ("1", "word 1", "3")
    assert rejected is samples[1]
    assert is_perturbed(first)
    assert not is_perturbed(make_sample(1))
    assert not np.array_equal(first.inputs["audio"].decode(), samples[0].inputs["audio"].decode())


def test_noise_depends_on_the_sample_and_the_seed_and_not_on_the_order() -> None:
    samples = [make_sample(number) for number in (1, 2, 3)]
    forward, backward = under("noise:5", samples), under("noise:5", samples[::-1])[::-1]
    assert [sample.inputs["audio"].hash for sample in forward] == [sample.inputs["audio"].hash for sample in backward]
    other_seed = under("noise:5", samples, seed=1)
    assert not {s.inputs["audio"].hash for s in forward} & {s.inputs["audio"].hash for s in other_seed}


def test_every_recording_of_a_sample_is_perturbed_with_noise_of_its_own() -> None:
    audio: Any = make_sample(1).inputs["audio"]
    sample = replace(
        make_sample(1), inputs={"turns": [Turn("user", (audio, "and")), Turn("user", (audio,))], "n": [audio]}
    )
    (changed,) = under("noise:5", [sample])
    first, second = changed.inputs["turns"]
    recordings = [first.parts[0], second.parts[0], changed.inputs["n"][0]]
    assert first.parts[1] == "and"
    assert len({recording.hash for recording in recordings}) == 3
    rendered, measured = render_sample(changed)
    assert not is_perturbed(rendered)
    assert {"snr", "snr_2", "snr_3"} <= set(measured)


def test_other_recordings_are_those_of_other_speakers_with_other_words() -> None:
    samples = [make_sample(n, speaker) for n, speaker in enumerate("aaabbbccc", start=1)]
    samples[8] = replace(samples[8], target=samples[0].target)
    for sample in under("mix", samples):
        (speaker,) = {original.meta["speaker"] for original in samples if original.id == sample.id}
        drawn = {float(other.decode()[0]) * 10 for other in sample.inputs["audio"].perturbation.others}
        by_number = {int(original.id): original for original in samples}
        assert len(drawn) == 2
        assert all(by_number[round(number)].meta["speaker"] != speaker for number in drawn)
        assert all(by_number[round(number)].target != sample.target for number in drawn)


class Divisible(list[Sample]):
    """Samples whose parts are ranges of them."""

    def plan_parts(self, target_bytes: int) -> Iterator[DataPart]:
        return iter([DataPart("list", "rows", 0, target_bytes), DataPart("list", "rows", target_bytes, len(self))])

    def restrict(self, part: DataPart) -> "Divisible":
        return Divisible(self[part.start : part.end])


@pytest.mark.parametrize("condition", ["mix", "mix:count=1,source=sample", "noise:5"])
def test_parts_are_changed_like_the_whole(condition: str) -> None:
    samples = Divisible(make_sample(n, speaker) for n, speaker in enumerate("aabbccdd", start=1))
    conditioned = ConditionedSamples(samples, Condition.parse(condition), seed=3)
    parts = [sample for part in conditioned.plan_parts(3) for sample in conditioned.restrict(part)]
    hashes = [[sample.inputs["audio"].hash for sample in group] for group in (parts, conditioned)]  # type: ignore[union-attr]
    assert hashes[0] == hashes[1]


def test_samples_that_cannot_be_divided_are_named() -> None:
    with pytest.raises(SpecError, match="samples of list cannot be divided"):
        ConditionedSamples([make_sample(1)], Condition.parse("noise:5"), 0).plan_parts(1)


def test_recording_that_replaces_another_has_a_similar_length() -> None:
    samples = [make_sample(n, seconds=0.1 if n < 4 else 1.0) for n in range(1, 8)]
    for sample in under("mix:count=1,source=sample", samples):
        assert sample.inputs["audio"].perturbation.others[0].seconds == pytest.approx(
            0.1 if int(sample.id) < 4 else 1.0
        )


def test_sample_without_enough_other_speakers_is_rejected_with_the_reason() -> None:
    samples = [make_sample(n, "only") for n in (1, 2, 3)]
    rejected = under("mix", samples)
    assert {type(row) for row in rejected} == {RejectedRow}
    assert (
        rejected[0].reason
        == "mix needs 2 other recordings (of other speakers, with another target), but the data has 0"
    )


def test_steps_may_change_the_sample_as_well() -> None:
    (sample,) = under("upper+noise:5", [make_sample(1)])
    assert sample.inputs["question"] == "WHAT?"
    assert is_perturbed(sample)


def test_revision_and_notes_name_the_condition() -> None:
    task = apply_condition(make_task([make_sample(1)]), Condition.parse("noise:5"), 3)
    assert task.revision == "local+noise:snr=5@3"
    assert task.notes("m", {}) == ["All samples were changed: noise:snr=5."]
    assert len(task.samples) == 1  # type: ignore[arg-type]


def test_condition_has_a_family_and_a_level() -> None:
    condition = Condition.parse("noise:snr=5+upper")
    assert (condition.family, condition.level, condition.unit, condition.is_harder_if_higher) == (
        "noise+upper",
        5.0,
        "dB",
        False,
    )


@pytest.mark.parametrize(
    ("text", "problem"), [("noise:5,10", "stands for 2 conditions"), ("uper", "Did you mean 'upper'?")]
)
def test_mistakes_are_named(text: str, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Condition.parse(text)


def test_paths_are_relative_to_a_folder(tmp_path: Path) -> None:
    condition = Condition.parse("noise:snr=5,folder=noises+upper")
    assert condition.list_paths() == ["noises"]
    resolved = condition.resolve_paths(tmp_path)
    assert resolved.list_paths() == [str(tmp_path / "noises")]
    assert Condition.parse(str(resolved)) == resolved


def test_recording_that_replaces_another_has_another_option_as_its_answer() -> None:
    colours = ["red", "green"]
    samples = [
        replace(make_sample(number), inputs={**make_sample(number).inputs, "choices": options}, target=target)
        for number, options, target in [(1, colours, "A"), (2, colours[::-1], "B"), (3, colours, "B")]
    ]
    (first, second, third) = under("mix:count=1,source=sample", samples)
    drawn = [round(float(sample.inputs["audio"].perturbation.others[0].decode()[0]) * 10) for sample in (first, second)]
    assert drawn == [3, 3]  # the first two have the answer red, at different letters
    assert round(float(third.inputs["audio"].perturbation.others[0].decode()[0]) * 10) in (1, 2)
