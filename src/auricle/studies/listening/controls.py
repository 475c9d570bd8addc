"""Choose the controls of a listening check: the conditions that change what a task asks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from auricle.core.errors import AuricleError, SampleError
from auricle.core.types import Predict, Request, Sample, has_audio
from auricle.engine.factory import Evaluation
from auricle.engine.inferencers import Inferencer, preview_requests
from auricle.engine.sample_changes import NoAudio, OptionShift, SampleChange, Transcript
from auricle.metrics.targets import get_choices

MAX_SAMPLES_INSPECTED = 50
MAX_ORDERS = 5
"""Orders of the options that are asked at most, the original one included."""
REPLACEMENTS = ("replace:silence", "replace:noise", "replace:other")
SHUFFLE = "shuffle"


@dataclass(frozen=True)
class ListeningPlan:
    """The controls of a task, and how many requests a sample needs."""

    controls: tuple[str, ...]
    requests_per_sample: float


def plan_controls(evaluation: Evaluation, *, quick: bool = False) -> ListeningPlan:
    """Choose the controls that apply to at least one of the first samples.

    Args:
        evaluation: The task and the model.
        quick: Choose the cheapest controls only: one without sound, the sound of another sample and one other order.

    Returns:
        The controls, none if no sample has audio.
    """
    samples = [
        sample
        for sample in islice(evaluation.task.samples, MAX_SAMPLES_INSPECTED)
        if isinstance(sample, Sample) and has_audio(sample)
    ]
    requests = [asyncio.run(_preview(evaluation.inferencer, sample)) for sample in samples]
    inspected = [(sample, asked) for sample, asked in zip(samples, requests, strict=True) if asked]
    if not inspected:
        return ListeningPlan((), 1.0)

    def applies(change: SampleChange) -> bool:
        return any(_is_changed(change, evaluation.inferencer, sample, asked) for sample, asked in inspected)

    is_prediction = any(isinstance(request, Predict) for _, asked in inspected for request in asked)
    no_audio = [NoAudio.name] if not is_prediction and applies(NoAudio()) else []
    count = min(MAX_ORDERS, max(len(get_choices(sample)) for sample, _ in inspected))
    shifts = [str(shift) for shift in map(OptionShift, range(1, count)) if not is_prediction and applies(shift)]
    if quick:
        has_options = any(len(get_choices(sample)) > 1 for sample, _ in inspected)
        first = no_audio if has_options and no_audio else [REPLACEMENTS[0]]
        controls = [*first, REPLACEMENTS[-1], *shifts[:1]]
    else:
        reveals = any(Transcript().find_transcript(sample) == sample.target for sample, _ in inspected)
        transcript = [Transcript.name] if not is_prediction and not reveals and applies(Transcript()) else []
        controls = [*no_audio, *REPLACEMENTS, SHUFFLE, *transcript, *shifts]
    return ListeningPlan(tuple(controls), sum(len(asked) for _, asked in inspected) / len(inspected))


async def _preview(inferencer: Inferencer, sample: Sample) -> list[Request]:
    """Return the requests for a sample; none if it cannot be asked, which the run itself reports."""
    try:
        return await preview_requests(inferencer, sample)
    except AuricleError:
        return []


def _is_changed(change: SampleChange, inferencer: Inferencer, sample: Sample, asked: Sequence[Request]) -> bool:
    """Return whether a change of a sample changes what is asked."""
    try:
        changed = asyncio.run(_preview(inferencer, change.change(sample)))
    except SampleError:
        return False
    return bool(changed) and changed != list(asked)
