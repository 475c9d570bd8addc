"""From names to things: the task and the model a spec names, or which word of it is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auricle import registry
from auricle.asking import Settings
from auricle.config import Spec
from auricle.errors import AuricleError, SpecError, told
from auricle.models import AsyncModel, BatchModel, Model, adapt
from auricle.tasks.base import Task

ELSEWHERE = "python"
"""The argument that names another Python for a model to run under."""


def build(spec: Spec) -> Task:
    """The task a spec names, under the profile it names."""
    task: Task = _called(registry.task.get(spec.task), spec.task, spec.task_args)
    if not isinstance(task, Task):
        raise SpecError(f"{spec.task} returned {type(task).__name__}, not a Task.")
    task = task if task.name else replace(task, name=spec.task.rpartition(":")[2])
    return task.under(spec.profile) if spec.profile else task


def construct(model_class: type[Model], name: str, arguments: Mapping[str, Any]) -> Model:
    """Load a model, or say which of its arguments is wrong."""
    model: Model = _called(model_class, name, arguments)
    return model


def bind(make: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are not taken, before anything is opened or loaded."""
    wanted = inspect.signature(make)
    try:
        wanted.bind(**arguments)
    except TypeError as error:
        takes = ", ".join(wanted.parameters) or "nothing"
        raise SpecError(f"{name}: {error}; it takes {takes}.") from error


def _called(make: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    bind(make, name, arguments)
    try:
        return make(**arguments)
    except AuricleError:
        raise
    except Exception as error:
        raise SpecError(f"{name} raised {type(error).__name__}: {told(error)}") from error


def class_of(spec: Spec) -> type[Model]:
    """The model's class, or what another Python says of it; nothing is loaded yet."""
    if python := spec.model_args.get(ELSEWHERE):
        from auricle.backends.elsewhere import described

        return described(spec.model, str(python))
    return adapt(registry.model.get(spec.model))


def check(model_class: type[Model], spec: Spec, settings: Settings) -> None:
    """Refuse what cannot be, before a folder is made or anything is loaded."""
    if issubclass(model_class, AsyncModel):
        if settings.replicas > 1 or settings.devices or settings.backend:
            raise SpecError(
                f"--replicas, --devices and --backend are for models that run where they are "
                f"sent; {spec.model} is asked over a network, where --processes serves."
            )
    elif settings.backend and (settings.devices or ELSEWHERE in spec.model_args):
        raise SpecError("Ray places its actors itself: leave out --devices and -M python.")
    elif settings.processes > 1:
        raise SpecError(
            f"--processes is for models behind an API; {spec.model} works on this machine, "
            "where batches serve (--batch-size) and replicas (--replicas)."
        )
    bind(model_class, spec.model, spec.model_args)


def spread(model_class: type[Model], spec: Spec, settings: Settings, run: Path) -> Model:
    """The model: here, in processes that send, as replicas, or under another Python."""
    apart = ELSEWHERE in spec.model_args
    if issubclass(model_class, AsyncModel):
        if settings.processes > 1 or apart:
            return _senders(spec, settings)
    elif settings.backend == "ray":
        return _actors(model_class, spec, settings)
    elif settings.replicas > 1 or settings.devices or apart:
        return _replicas(model_class, spec, settings, run)
    return construct(model_class, spec.model, spec.model_args)


def _senders(spec: Spec, settings: Settings) -> Model:
    from auricle.backends.senders import Senders

    arguments, where = _where(spec)
    return Senders(spec.model, arguments, settings.processes, **where)


def _replicas(model_class: type[BatchModel], spec: Spec, settings: Settings, run: Path) -> Model:
    from auricle.backends.replicas import Place, Replicas

    arguments, where = _where(spec)
    place = Place(
        replicas=settings.replicas,
        devices=settings.devices,
        timeout=settings.batch_timeout,
        logs=run / "logs",
        **where,
    )
    return Replicas(spec.model, arguments, model_class, place)


def _actors(model_class: type[BatchModel], spec: Spec, settings: Settings) -> Model:
    from auricle.backends.ray import Cluster, RayReplicas

    cluster = Cluster(
        settings.address, settings.replicas, settings.gpus_per_replica, settings.batch_timeout
    )
    return RayReplicas(spec.model, spec.model_args, model_class, cluster)


def _where(spec: Spec) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model's own arguments, and which Python it runs under."""
    arguments = dict(spec.model_args)
    python = arguments.pop(ELSEWHERE, None)
    if python is None:
        return arguments, {}
    from auricle.backends.elsewhere import environment

    return arguments, {"python": str(python), "environment": environment()}
