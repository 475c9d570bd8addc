"""Show what a task would send to a model, without sending it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from auricle.core.errors import AuricleError, SampleError, describe
from auricle.core.types import ABILITY_BY_REQUEST, Ability, RejectedRow, Request, Sample
from auricle.engine import inferencers
from auricle.engine.event_loop import run_async
from auricle.engine.factory import build_task, choose_inferencer, construct_model, resolve_model
from auricle.engine.inferencers import Inferencer, select_inferencer
from auricle.engine.slots import release_model
from auricle.engine.spec import Spec
from auricle.engine.task import Task

ALL_ABILITIES: list[Ability] = [*ABILITY_BY_REQUEST.values(), "first_tokens"]


def preview(
    spec: Spec, *, has_model: bool = True, task: Task | None = None
) -> Iterator[tuple[Sample | RejectedRow, list[tuple[Request, str]]]]:
    """Yield each sample with its first requests and how the model would render them.

    Args:
        spec: What to preview; nothing is sent to the model.
        has_model: Whether the spec names a real model. Without one, requests are not rendered.
        task: The task of the spec, if it is built already.
    """
    spec = spec.resolved()
    task = task or build_task(spec)
    if not has_model:
        inferencer = select_inferencer(task.inferencer, ALL_ABILITIES, task.name, spec.model)
        yield from _preview_samples(task, inferencer, lambda _: "")
        return
    model_class = resolve_model(spec)
    inferencer = choose_inferencer(spec, task, model_class)
    if {"python", "environment"} & spec.model_args.keys():  # only the other Python can render requests
        yield from _preview_samples(task, inferencer, lambda _: "")
        return
    model = construct_model(model_class, spec.model, spec.model_args)
    try:
        yield from _preview_samples(task, inferencer, model.preview_request)
    finally:
        run_async(release_model(model))


def _preview_samples(
    task: Task, inferencer: Inferencer, render_request: Callable[[Request], str]
) -> Iterator[tuple[Sample | RejectedRow, list[tuple[Request, str]]]]:
    for sample in task.samples:
        if isinstance(sample, RejectedRow):
            yield sample, []
            continue
        try:
            requests = run_async(inferencers.preview_requests(inferencer, sample))
            yield sample, [(request, render_request(request)) for request in requests]
        except SampleError as error:
            yield RejectedRow(sample.origin or sample.id, str(error)), []
        except AuricleError:
            raise
        except Exception as error:  # noqa: BLE001 - raised by a user's class; a run would fail this sample
            yield RejectedRow(sample.origin or sample.id, f"{type(error).__name__}: {describe(error)}"), []
