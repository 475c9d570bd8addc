"""From names to things: the task and the model a spec names, or which word of it is wrong."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from auricle.core.errors import AuricleError, SpecError, describe
from auricle.core.registry import split_prefix
from auricle.core.types import Json
from auricle.engine.retry import Settings
from auricle.engine.spec import Spec
from auricle.models import AsyncModel, BatchModel, Model, adapt
from auricle.models.catalogue import MODELS
from auricle.models.environments import ENVIRONMENT_ARGUMENT, PYTHON_ARGUMENT, resolve_interpreter
from auricle.tasks.base import Task
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import Inferencer


def build_task(spec: Spec) -> Task:
    """The task a spec names, under the profile it names."""
    task: Task = _call_factory(TASKS.get(spec.task), spec.task, spec.task_args)
    if not isinstance(task, Task):
        raise SpecError(f"{spec.task} returned {type(task).__name__}, not a Task.")
    task = task if task.name else replace(task, name=spec.task.rpartition(":")[2])
    return task.with_profile(spec.profile) if spec.profile else task


def construct_model(model_class: type[Model], name: str, arguments: Mapping[str, Any]) -> Model:
    """Load a model, or say which of its arguments is wrong."""
    model: Model = _call_factory(model_class, name, arguments)
    return model


def check_arguments(factory: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are not taken, before anything is opened or loaded."""
    wanted = inspect.signature(factory)
    try:
        wanted.bind(**arguments)
    except TypeError as error:
        takes = ", ".join(wanted.parameters) or "nothing"
        raise SpecError(f"{name}: {error}; it takes {takes}.") from error


def _call_factory(factory: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    check_arguments(factory, name, arguments)
    try:
        return factory(**arguments)
    except AuricleError:
        raise
    except (Exception, SystemExit) as error:
        words = f"{display_name(name)} raised {type(error).__name__}: {describe(error)}"
        raise SpecError(words) from error


def resolve_model(spec: Spec) -> type[Model]:
    """The model's class, or what another Python says of it; nothing is loaded yet."""
    if home := resolve_interpreter(spec.model_args):
        from auricle.engine.workers.other_python import describe_model_class

        return describe_model_class(spec.model, home.python, home.variables)
    return adapt(MODELS.get(spec.model))


def describe_environment(spec: Spec) -> dict[str, Any]:
    """What a run should remember of the environment it names; nothing if it names none."""
    home = resolve_interpreter(spec.model_args)
    return dict(home.environment) if home else {}


def model_identity(spec: Spec) -> dict[str, Any]:
    """The model's arguments, with its environment by content: a name may come to hold another."""
    found = describe_environment(spec)
    return {**spec.model_args, ENVIRONMENT_ARGUMENT: found["digest"]} if found else spec.model_args


def check_settings(model_class: type[Model], spec: Spec, settings: Settings) -> None:
    """Refuse what cannot be, before a folder is made or anything is loaded."""
    if issubclass(model_class, AsyncModel):
        if settings.replicas > 1 or settings.devices or settings.backend:
            raise SpecError(
                f"--replicas, --devices and --backend are for models that run where they are "
                f"sent; {spec.model} is asked over a network, where --processes serves."
            )
    elif settings.backend and (settings.devices or resolve_interpreter(spec.model_args)):
        raise SpecError("Ray places its actors itself: leave out --devices, -M python and -M environment.")
    elif settings.processes > 1:
        raise SpecError(
            f"--processes is for models behind an API; {spec.model} works on this machine, "
            "where batches serve (--batch-size) and replicas (--replicas)."
        )
    check_arguments(model_class, spec.model, spec.model_args)


def deploy_model(model_class: type[Model], spec: Spec, settings: Settings, run_path: Path | None = None) -> Model:
    """The model: here, in processes that send, as replicas, or under another Python."""
    apart = resolve_interpreter(spec.model_args) is not None
    if issubclass(model_class, AsyncModel):
        if settings.processes > 1 or apart:
            return _make_sender_pool(spec, settings)
    elif settings.backend == "ray":
        return _make_ray_pool(model_class, spec, settings)
    elif settings.replicas > 1 or settings.devices or apart:
        return _make_replica_pool(model_class, spec, settings, run_path)
    return construct_model(model_class, spec.model, spec.model_args)


def _make_sender_pool(spec: Spec, settings: Settings) -> Model:
    from auricle.engine.workers.senders import SenderPool

    arguments, where = _split_interpreter_arguments(spec)
    return SenderPool(spec.model, arguments, settings.processes, **where)


def _make_replica_pool(model_class: type[BatchModel], spec: Spec, settings: Settings, run_path: Path | None) -> Model:
    from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool

    arguments, where = _split_interpreter_arguments(spec)
    place = ReplicaOptions(
        replicas=settings.replicas,
        devices=settings.devices,
        timeout=settings.batch_timeout,
        log_folder=run_path / "logs" if run_path else None,
        **where,
    )
    return ReplicaPool(spec.model, arguments, model_class, place)


def _make_ray_pool(model_class: type[BatchModel], spec: Spec, settings: Settings) -> Model:
    from auricle.engine.workers.ray import RayOptions, RayReplicaPool

    cluster = RayOptions(settings.ray_address, settings.replicas, settings.gpus_per_replica, settings.batch_timeout)
    return RayReplicaPool(spec.model, spec.model_args, model_class, cluster)


def _split_interpreter_arguments(spec: Spec) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model's own arguments, and which Python it runs under."""
    home = resolve_interpreter(spec.model_args)
    if home is None:
        return dict(spec.model_args), {}
    from auricle.engine.workers.other_python import worker_environment

    own = {k: v for k, v in spec.model_args.items() if k not in (PYTHON_ARGUMENT, ENVIRONMENT_ARGUMENT)}
    return own, {"python": home.python, "environment": worker_environment(home.variables)}


def build_spec_document(spec: Spec, task: Task, inferencer: Inferencer) -> dict[str, Json]:
    """What `spec.json` says."""
    identity = {**spec.identity(), "task_version": task.version, "inferencer": repr(inferencer)}
    surroundings = describe_environment(spec)
    if surroundings:
        identity["environment"] = surroundings["digest"]
    return {
        "format": 1,
        "identity": identity,
        "spec": spec.public(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"auricle": version("auricle"), "python": platform.python_version()},
        "platform": platform.platform(),
        "seed": 0,
        **({"environment": surroundings} if surroundings else {}),
    }


def display_name(model: str) -> str:
    """A model's name without the folders of its file."""
    prefix, code = split_prefix(model)
    file, colon, attribute = code.rpartition(":")
    return f"{prefix}{Path(file).name}:{attribute}" if colon and file.endswith(".py") else model
