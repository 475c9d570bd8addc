"""Build the task of a spec, and load its model locally, in worker processes or with Ray."""

from __future__ import annotations

import inspect
import platform
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import Any

import orjson

from auricle.core.arguments import describe_arguments, find_problem, list_options
from auricle.core.errors import AuricleError, SpecError
from auricle.core.home_folder import keep_home_folder
from auricle.core.object_cache import read_limit
from auricle.core.redaction import SECRETS
from auricle.core.registry import split_prefix
from auricle.core.serialization import dumps
from auricle.core.types import Sample
from auricle.core.user_code import wrap_errors
from auricle.engine.catalogue import TASKS
from auricle.engine.conditions import PERTURB_ARGUMENT, Condition, apply_condition
from auricle.engine.inferencers import Inferencer, select_inferencer, with_context
from auricle.engine.inferencers.base import (
    adapt_to_pairs,
    guard_inferencer,
    list_named_values,
    list_seeds,
    with_seed,
    within_limits,
)
from auricle.engine.settings import DEFAULT_LEASE_SECONDS, Settings
from auricle.engine.spec import Spec
from auricle.engine.task import Task, count_samples
from auricle.engine.task_files import check_prompt
from auricle.engine.task_options import PROVENANCE_OPTIONS, check_option, split_list
from auricle.engine.user_rows import guard_rows
from auricle.models import AsyncModel, BatchModel, Model, abilities, adapt
from auricle.models.adapt import REQUEST_PARAMETERS
from auricle.models.catalogue import MODELS
from auricle.models.environments import ENVIRONMENT_ARGUMENT, PYTHON_ARGUMENT, resolve_interpreter
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec

MAX_SAMPLES_INSPECTED = 100
"""Number of samples among which an input that the model takes by name must occur."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A spec with everything that is built from it before a model is loaded."""

    spec: Spec
    task: Task
    model_class: type[Model]
    inferencer: Inferencer

    @classmethod
    def prepare(cls, spec: Spec) -> Evaluation:
        """Build the task of a spec and find the class of its model.

        Raises:
            SpecError: if the spec cannot be evaluated.
        """
        spec.register_secrets()
        spec = spec.resolved()
        task = build_task(spec)
        model_class = resolve_model(spec)
        _check_inputs(spec, task, model_class)
        inferencer = choose_inferencer(spec, task, model_class)
        return cls(spec.with_derived(task.derived_args), task, model_class, inferencer)

    @property
    def folder_name(self) -> str:
        """Default name of the run directory: task and model."""
        return self.name_folder(self.task.name)

    def name_folder(self, task_name: str) -> str:
        """Return the name of a folder for results of the model on a task or a suite."""
        return sanitise_name(f"{task_name}-{self.spec.label or _shorten_path(self.spec.model)}")

    @property
    def title(self) -> str:
        """Task, condition if there is one, and model."""
        condition = self.spec.task_args.get(PERTURB_ARGUMENT)
        return f"{self.task.name}{f', {condition}' if condition else ''} × {model_label(self.spec)}"

    @property
    def sample_count(self) -> int | None:
        """Number of samples if it is known without reading them."""
        return count_samples(self.task.samples, self.spec.limit)


def sanitise_name(name: str) -> str:
    """Return a name that can be that of a folder."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")


def choose_inferencer(spec: Spec, task: Task, model_class: type[Model]) -> Inferencer:
    """Return how samples of a task become requests to a model of this class."""
    inferencer = select_inferencer(task.inferencer, abilities(model_class), task.name, spec.model)
    inferencer = adapt_to_pairs(inferencer, takes_pairs=model_class.takes_pairs)
    seeded = with_seed(guard_inferencer(inferencer), spec.seed)
    return with_context(within_limits(seeded, model_class, task.language), model_class, task.model_context)


def _check_inputs(spec: Spec, task: Task, model_class: type[Model]) -> None:
    """Raise `SpecError` if the model takes an input by name that none of the first samples has."""
    required = [name for name in model_class.required_inputs if name not in spec.model_args]
    if not required:
        return
    samples = [sample for sample in islice(task.samples, MAX_SAMPLES_INSPECTED) if isinstance(sample, Sample)]
    names = chain.from_iterable((*sample.inputs, *list_named_values(sample)) for sample in samples)
    available = dict.fromkeys([*REQUEST_PARAMETERS, *names])
    missing = next((name for name in required if name not in available), None)
    if samples and missing:
        raise SpecError(
            f"{display_name(spec.model)} takes {missing!r}, which no sample of {task.name} has. "
            f"Available: {', '.join(available)}. Or set it with -M {missing}=…"
        )


def build_task(spec: Spec) -> Task:
    """Build the task of a spec with its arguments, its profile and the metrics that its judge makes possible."""
    with spec.locations.annotate_errors() if spec.locations else nullcontext():
        task = _construct_task(spec)
        if spec.locations:
            check_prompt(task)
    task = task if task.name else replace(task, name=spec.task.rpartition(":")[2])
    task = task.with_profiles(spec.profiles)
    judges, profile = [judge.to_judge() for judge in spec.judges], next(iter(spec.profiles), "")
    task = task.with_judges(judges, profile, is_chosen="metrics" in spec.task_args)
    _check_metric_names(task)
    return task


def _construct_task(spec: Spec) -> Task:
    """Call the function of a task; `cluster` replaces its own, and metrics do if it takes none as an argument.

    `add_metrics` are metrics beside those of the task.
    """
    factory, arguments = TASKS.get(spec.task), dict(spec.task_args)
    cluster, added_metrics = arguments.pop("cluster", None), arguments.pop("add_metrics", None)
    condition = arguments.pop(PERTURB_ARGUMENT, None)
    metrics = None if _takes(factory, "metrics") else arguments.pop("metrics", None)
    with keep_home_folder():
        task: Task = _call_factory(factory, spec.task, arguments)
    if not isinstance(task, Task):
        raise SpecError(f"{spec.task} returned {type(task).__name__} instead of a Task.")
    if (samples := guard_rows(task.samples, display_name(spec.task))) is not task.samples:
        task = replace(task, samples=samples)
    if cluster is not None:
        check_option("cluster", cluster, isinstance(cluster, str), "a metadata field, or none")
        task = replace(task, cluster=cluster)
    if condition is not None:
        check_option(PERTURB_ARGUMENT, condition, isinstance(condition, str), "text such as noise:snr=10")
        task = apply_condition(task, Condition.parse(condition), spec.seed)
    task = task.with_metrics(split_list(metrics)) if metrics else task
    return _add_metrics(task, added_metrics, spec.task_args.get("answers", "")) if added_metrics else task


def _add_metrics(task: Task, names: Any, answers: str | Sequence[str]) -> Task:
    is_list = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    check_option("add_metrics", names, isinstance(names, str) or is_list, "names of metrics")
    if not answers and getattr(task.inferencer, "samples", 1) > 1:
        answers = "mean"
    try:
        return task.with_added_metrics(split_list(names), answers)
    except SpecError as error:
        error.location = error.location or ("add_metrics",)
        raise


def _takes(factory: Callable[..., Any], name: str) -> bool:
    parameters = inspect.signature(factory).parameters
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _check_metric_names(task: Task) -> None:
    """Raise `SpecError` if two metrics have one name, under which only one of them could be stored."""
    counts = Counter(metric.name for metric in task.metrics)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise SpecError(f"{task.name} has two metrics named {repeated[0]!r}. Rename one: @metric(name=…).")


def construct_model(model_class: type[Model], name: str, arguments: Mapping[str, Any]) -> Model:
    """Load a model in this process.

    Raises:
        SpecError: if its constructor rejects the arguments or raises.
    """
    SECRETS.register(arguments)
    model: Model = _call_factory(model_class, name, arguments)
    return model


def check_arguments(factory: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> None:
    """Raise `SpecError` if a model or task does not accept the arguments."""
    signature = inspect.signature(factory)
    try:
        signature.bind(**arguments)
    except TypeError as error:
        accepted = ", ".join(signature.parameters) or "nothing"
        raise SpecError(f"{name}: {error}; it takes {accepted}.") from error


def _call_factory(factory: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    check_arguments(factory, name, arguments)
    with wrap_errors(display_name(name)):
        return factory(**arguments)


def resolve_model(spec: Spec) -> type[Model]:
    """Return the class of a model without loading weights, from another Python if the spec names one."""
    if interpreter := resolve_interpreter(spec.model_args):
        from auricle.engine.workers.other_python import describe_model_class

        return describe_model_class(spec.model, interpreter.python, interpreter.variables)
    return adapt(MODELS.get(spec.model))


def describe_environment(spec: Spec) -> dict[str, Any]:
    """Describe the environment of a spec for `spec.json`; empty if it names none."""
    interpreter = resolve_interpreter(spec.model_args)
    return dict(interpreter.environment) if interpreter else {}


def model_identity(spec: Spec) -> dict[str, Any]:
    """Return the model's arguments with the digest of its environment, whose content may change."""
    environment = describe_environment(spec)
    return {**spec.model_args, ENVIRONMENT_ARGUMENT: environment["digest"]} if environment else spec.model_args


def check_settings(model_class: type[Model], spec: Spec, settings: Settings) -> None:
    """Raise `SpecError` if the settings do not apply to the model; nothing is loaded."""
    _check_sharding(settings)
    read_limit()  # otherwise every sound at a URL would fail
    if settings.shards is not None:
        settings = settings.for_worker()
    if issubclass(model_class, AsyncModel):
        if settings.replicas > 1 or settings.devices or settings.backend:
            raise SpecError(
                f"--replicas, --devices and --backend do not apply to {spec.model}, which is called over "
                "the network. Use --processes instead."
            )
    elif settings.backend and (settings.devices or resolve_interpreter(spec.model_args)):
        raise SpecError("--backend ray cannot be combined with --devices, -M python or -M environment.")
    elif settings.processes > 1:
        raise SpecError(
            f"--processes does not apply to {spec.model}, which runs on this machine. "
            "Use --batch-size or --replicas instead."
        )
    if settings.stream is not None:
        _check_is_api_model(model_class, spec.model)
    _check_model_arguments(model_class, spec.model, spec.model_args)


def _check_model_arguments(model_class: type[Model], name: str, arguments: Mapping[str, Any]) -> None:
    """Raise `SpecError` if a model does not accept the arguments: none of them may be stored then."""
    check_arguments(model_class, name, arguments)
    options = list_options(model_class)
    if unknown := [option for option in arguments if options and option not in options]:
        raise SpecError(f"{name}: unknown option {', '.join(unknown)}. Accepted: {', '.join(options)}.")
    if problem := find_problem(describe_arguments(model_class), arguments):
        raise SpecError(f"{name}: {problem}.")


def _check_sharding(settings: Settings) -> None:
    """Raise `SpecError` if an option of sharded runs is given for a run without shards, or two of them conflict."""
    if settings.shards is None:
        options = {
            "--workers": settings.workers > 1,
            "--shard": settings.shard,
            "--lease": settings.lease != DEFAULT_LEASE_SECONDS,
            "--backend slurm": settings.backend == "slurm",
        }
        if option := next((name for name, is_given in options.items() if is_given), ""):
            raise SpecError(f"{option} needs a sharded run. Add --shards auto.")
    elif settings.devices and settings.backend:
        raise SpecError(
            "--devices chooses GPUs of this machine. Leave it out with --backend; use --gpus-per-replica with Ray and "
            "--slurm gpus_per_node=N with Slurm."
        )
    if settings.slurm and settings.backend != "slurm":
        raise SpecError("--slurm sets parameters of Slurm jobs. Add --backend slurm.")


def _check_is_api_model(model_class: type[Model], name: str) -> None:
    if not hasattr(model_class, "streams"):
        raise SpecError(f"--stream and --no-stream do not apply to {name}, which is not an API model.")


def deploy_model(model_class: type[Model], spec: Spec, settings: Settings, run_path: Path | None = None) -> Model:
    """Load a model as the settings require: in this process, in sender processes, or as replicas.

    Args:
        model_class: Class of the model, from `resolve_model`.
        spec: Names the model and its arguments.
        settings: Number of processes or replicas, and their devices.
        run_path: Run directory, where replicas write their logs.
    """
    if settings.stream is not None:
        spec = spec.model_copy(update={"model_args": {**spec.model_args, "stream": settings.stream}})
    has_interpreter = resolve_interpreter(spec.model_args) is not None
    _check_importable(spec, settings, has_interpreter=has_interpreter)
    if issubclass(model_class, AsyncModel):
        if settings.processes > 1 or has_interpreter:
            return _make_sender_pool(spec, settings)
    elif settings.backend == "ray":
        return _make_ray_pool(model_class, spec, settings)
    elif settings.replicas > 1 or settings.devices or has_interpreter:
        return _make_replica_pool(model_class, spec, settings, run_path)
    return construct_model(model_class, spec.model, spec.model_args)


def _check_importable(spec: Spec, settings: Settings, *, has_interpreter: bool) -> None:
    """Raise `SpecError` if other processes would have to import a model that only this process has."""
    parallel = settings.processes > 1 or settings.replicas > 1 or settings.devices or settings.backend
    if MODELS.is_local(spec.model) and (parallel or has_interpreter):
        raise SpecError(
            f"Other processes cannot import {spec.model}, which is defined in this one. "
            f"Move it to a file and use model='file.py:{spec.model}'."
        )


def _make_sender_pool(spec: Spec, settings: Settings) -> Model:
    from auricle.engine.workers.senders import SenderPool

    arguments, interpreter = _split_interpreter_arguments(spec)
    return SenderPool(spec.model, arguments, settings.processes, timeout=settings.timeout, **interpreter)


def _make_replica_pool(model_class: type[BatchModel], spec: Spec, settings: Settings, run_path: Path | None) -> Model:
    from auricle.engine.workers.replicas import ReplicaOptions, ReplicaPool

    arguments, interpreter = _split_interpreter_arguments(spec)
    options = ReplicaOptions(
        replicas=settings.replicas,
        devices=settings.devices,
        timeout=settings.timeout,
        log_folder=run_path / "logs" if run_path else None,
        **interpreter,
    )
    return ReplicaPool(spec.model, arguments, model_class, options)


def _make_ray_pool(model_class: type[BatchModel], spec: Spec, settings: Settings) -> Model:
    from auricle.engine.workers.ray import RayOptions, RayReplicaPool

    options = RayOptions(
        address=settings.ray_address,
        replicas=settings.replicas,
        gpus_per_replica=settings.gpus_per_replica,
        timeout=settings.timeout,
        wait=settings.wait,
    )
    return RayReplicaPool(spec.model, spec.model_args, model_class, options)


def _split_interpreter_arguments(spec: Spec) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the model's arguments from those that choose its Python."""
    interpreter = resolve_interpreter(spec.model_args)
    if interpreter is None:
        return dict(spec.model_args), {}
    from auricle.engine.workers.other_python import worker_environment

    chosen_by = (PYTHON_ARGUMENT, ENVIRONMENT_ARGUMENT)
    arguments = {name: value for name, value in spec.model_args.items() if name not in chosen_by}
    return arguments, {"python": interpreter.python, "environment": worker_environment(interpreter.variables)}


def build_run_spec(spec: Spec, task: Task, inferencer: Inferencer) -> RunSpec:
    """Return the content of `spec.json`."""
    identity = {**spec.identity(), "task_version": task.version, "inferencer": repr(inferencer)}
    environment = describe_environment(spec)
    if environment:
        identity["environment"] = environment["digest"]
    return RunSpec(
        identity=orjson.loads(dumps(identity)),  # as it is read again, to be compared with
        spec=spec.public(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"auricle": version("auricle"), "python": platform.python_version()},
        platform=platform.platform(),
        seeds=list_seeds(inferencer, spec.seed),
        environment=environment or None,
        provenance=_describe_provenance(task),
        model_name=model_label(spec),
    )


def _describe_provenance(task: Task) -> dict[str, Any]:
    """Return what a task states about its data."""
    facts = {name: getattr(task, name, None) for name in PROVENANCE_OPTIONS}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in facts.items() if value}


def display_name(model: str) -> str:
    """Return the name shown for a model: the one that its class gives itself, or its path without folders."""
    return _declared_name(model) or _shorten_path(model)


def model_label(spec: Spec) -> str:
    """Return the name shown for the model of a spec, with its checkpoint or deployment if it has one."""
    if spec.label or _declared_name(spec.model):
        return spec.label or _declared_name(spec.model)
    variant = spec.model_args.get("model")
    name = _shorten_path(spec.model)
    return f"{name} · {PurePath(variant).name}" if isinstance(variant, str) and variant else name


def model_name(run: Run) -> str:
    """Return the name shown for the model of a run, whose class may have been moved since."""
    return run.spec.model_name or _shorten_path(run.spec.model)


def _declared_name(model: str) -> str:
    """Return the name that a class of another framework gives itself, or an empty string."""
    with suppress(AuricleError):  # reported where the model is used
        if split_prefix(model)[0]:
            return str(getattr(MODELS.get(model), "declared_name", ""))
    return ""


def _shorten_path(model: str) -> str:
    prefix, code = split_prefix(model)
    file, colon, attribute = code.rpartition(":")
    return f"{prefix}{Path(file).name}:{attribute}" if colon and file.endswith(".py") else model
