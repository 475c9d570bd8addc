"""The configuration of `auricle run`: one schema for the command line, YAML and Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from auricle.core.errors import SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.redaction import redact
from auricle.core.storage import is_remote
from auricle.core.yaml_files import read_yaml
from auricle.engine.conditions import PERTURB_ARGUMENT
from auricle.engine.factory import Evaluation
from auricle.engine.judge import check_judges_are_used, select_used_judges
from auricle.engine.plan import EvaluationGroup, ModelPlan
from auricle.engine.settings import Settings
from auricle.engine.spec import (
    MAX_SEED,
    JudgeSpec,
    Spec,
    list_judges,
    parse_arguments,
    public_judges,
    replace_judges,
    resolve_tasks,
)
from auricle.engine.suites import Suite, find_suite, make_condition_suite
from auricle.engine.task_files import YAML_SUFFIXES, TaskReference

SETTINGS_FIELDS = tuple(field.name for field in fields(Settings) if field.name not in ("cache", "limit"))
"""Settings that a config contains; the cache is chosen by `cache` and `cache_path`, and `limit` is part of the spec."""


def _collect_settings(values: Any) -> Any:
    """Move the fields of `Settings` to a mapping of their own."""
    if not isinstance(values, Mapping) or "settings" in values:
        return values
    settings = {name: values[name] for name in SETTINGS_FIELDS if name in values}
    if "devices" in settings:
        settings["devices"] = _split_devices(settings["devices"])
    if isinstance(settings.get("slurm"), (list, tuple)):  # as on the command line
        settings["slurm"] = parse_arguments(settings["slurm"])
    return {**{name: value for name, value in values.items() if name not in settings}, "settings": settings}


class ModelConfig(BaseModel):
    """One of the models of a config, with what differs from the others."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    model_args: dict[str, Any] = Field(default_factory=dict)
    label: str = ""
    """Name of the model in tables. Default: its name and that of its checkpoint or deployment."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings that replace those of the config."""

    _settings = model_validator(mode="before")(_collect_settings)

    def to_fields(self) -> str | dict[str, Any]:
        """Return what stands for the model in YAML: its name, if nothing else is set."""
        fields = {"model": self.model, "model_args": redact(self.model_args), "label": self.label, **self.settings}
        known = {name: value for name, value in fields.items() if value}
        return self.model if len(known) == 1 else known


class RunConfig(BaseModel):
    """Everything that `auricle run` accepts, with the same names as its options.

    The fields of `Settings`, such as `concurrency` or `batch_size`, stand next to the others in YAML.

    Examples:
        >>> config = RunConfig.from_fields({"task": "demo", "model": "echo", "concurrency": 4}, "example")
        >>> config.settings.concurrency
        4
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    task: tuple[str, ...]
    """Names of tasks, task files or data files."""
    kind: str | None = Field(default=None, alias="as")
    """Kind of task, for data files."""
    model: tuple[ModelConfig, ...] = Field(min_length=1)
    """Names of models, or mappings with their own arguments, label and settings."""
    label: tuple[str, ...] = ()
    """Names of the models in tables, in their order."""
    task_args: dict[str, Any] = Field(default_factory=dict)
    """Arguments of every task."""
    model_args: dict[str, Any] = Field(default_factory=dict)
    """Arguments of every model."""
    limit: int | None = Field(default=None, gt=0)
    """Evaluate only the first rows of the data."""
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    """Seed of the first answer to each sample."""
    profile: str | tuple[str, ...] | None = None
    """Text normaliser that replaces those of the tasks, or several to score with each."""
    perturb: tuple[str, ...] = ()
    """Conditions under which each task is run besides the unchanged one, such as `noise:snr=20,10`."""
    cluster: str | None = None
    """Metadata field whose values are independent, or none; the same as in `task_args`."""
    add_metrics: tuple[str, ...] = ()
    """Metrics to compute beside those of each task; the same as in `task_args`."""
    judge: tuple[JudgeSpec, ...] = ()
    """Models that judge answers, or that metrics need in another role."""
    infer_only: bool = False
    """Store answers without scoring them."""
    cache: bool = False
    """Whether to look up responses of earlier runs."""
    cache_path: Path | None = None
    """Folder of the response cache. Default: that of the user."""
    prices: Path | None = None
    """YAML file with prices."""
    max_cost: float | None = Field(default=None, gt=0)
    """Stop before the run costs more than this."""
    out: Path | str | None = None
    """Run directory, or the URL of a sharded run. Default: named after the task and the model."""
    fresh: bool = False
    """Whether to start over instead of resuming."""
    progress: Literal["auto", "json"] = "auto"
    """How progress is printed: for people, or as JSON events."""
    log: tuple[str, ...] = ()
    """Trackers that progress and numbers are logged to."""
    log_project: str = ""
    """Project or experiment of the trackers. Default: the one that their variables name, or `auricle`."""
    settings: Settings = Settings()
    """How to execute the run."""

    _settings = model_validator(mode="before")(_collect_settings)

    @field_validator("task", "label", "perturb", "add_metrics", "log", mode="before")
    @classmethod
    def _accept_one(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("model", mode="before")
    @classmethod
    def _accept_model_names(cls, models: Any) -> Any:
        entries = models if isinstance(models, (list, tuple)) else (models,)
        return tuple({"model": entry} if isinstance(entry, str) else entry for entry in entries)

    @field_validator("out", mode="before")
    @classmethod
    def _recognise_url(cls, out: Any) -> Any:
        return Path(out) if isinstance(out, str) and not is_remote(out) else out

    @model_validator(mode="after")
    def _check_sharding(self) -> Self:
        is_sharded = self.settings.shards is not None
        if self.url and not is_sharded:
            raise ValueError(f"out: {self.url} is a URL, to which only sharded runs are written; add --shards auto")
        if self.url and self.fresh:
            raise ValueError("fresh: a run in a bucket is not moved aside; choose another location with -o")
        if is_sharded and self.infer_only:
            raise ValueError("infer_only: shards are scored by the workers that answer them; leave it out")
        return self

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        if len(self.label) not in (0, len(self.model)):
            raise ValueError(f"label: {len(self.label)} labels for {len(self.model)} models; give one for each")
        return self

    @field_validator("judge", mode="before")
    @classmethod
    def _accept_judge_names(cls, judge: Any) -> Any:
        return list_judges(judge)

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a config from a YAML file.

        Raises:
            SpecError: if a field is unknown, missing or has a wrong value.
        """
        return cls.from_fields(read_fields(Path(path)), str(path))

    @classmethod
    def from_fields(cls, values: Mapping[str, Any], source: str) -> Self:
        """Create a config from named values.

        Args:
            values: Values by field name.
            source: Where the values come from, for error messages.

        Raises:
            SpecError: names the first field that is unknown, missing or wrong.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise SpecError(f"{source}: {_explain(error)}") from error

    @property
    def url(self) -> str:
        """The location of a sharded run in a bucket; empty for a run in a folder."""
        return self.out if isinstance(self.out, str) else ""

    def to_yaml(self) -> str:
        """Return the config as YAML, without secrets; fields without a value are left out."""
        import yaml

        return yaml.safe_dump(self.to_fields(), sort_keys=False, allow_unicode=True)

    def to_fields(self) -> dict[str, Any]:
        """Return the fields of a YAML file, without secrets; those without a value are left out."""
        values = self.model_dump(mode="json", by_alias=True, exclude={"settings"}, exclude_none=True)
        values |= {name: getattr(self.settings, name) for name in SETTINGS_FIELDS}
        values["task"] = self.task[0] if len(self.task) == 1 else list(self.task)
        models = [entry.to_fields() for entry in self.model]
        values["model"] = models[0] if len(models) == 1 else models
        values["devices"] = list(self.settings.devices)
        values["model_args"] = redact(self.model_args)
        if self.judge:
            values["judge"] = public_judges(self.judge)
        return {name: value for name, value in values.items() if value not in (None, "", [], {}, ())}

    def prepare(self) -> list[Evaluation]:
        """Build the task of each evaluation, model by model; nothing is loaded or sent."""
        return [evaluation for plan in self.plan() for evaluation in plan.evaluations]

    def plan(self) -> list[ModelPlan]:
        """Build the evaluations of each model; nothing is loaded or sent.

        Raises:
            SpecError: if a task or a model cannot be evaluated, a setting of a model is invalid, or no metric uses a
                judge.
        """
        references = [group for task in self.task for group in self._resolve_task(task)]
        labels = self.label or [entry.label for entry in self.model]
        plans = []
        for entry, label in zip(self.model, labels, strict=True):
            groups = [
                EvaluationGroup.name_after_task([self._prepare_evaluation(entry, label, part) for part in parts], suite)
                for suite, parts in references
            ]
            for group in groups:
                group.check()
            plans.append(ModelPlan(self._settings_of(entry), groups))
        tasks = [evaluation.task for evaluation in plans[0].evaluations]
        names = ", ".join(dict.fromkeys(task.name for task in tasks))
        check_judges_are_used(tasks, [judge.resolved() for judge in self.judge], names)
        return plans

    def _prepare_evaluation(self, entry: ModelConfig, label: str, reference: TaskReference) -> Evaluation:
        """Prepare an evaluation with those of the judges that its task uses; others may be for other tasks."""
        evaluation = Evaluation.prepare(self._build_spec(entry, label, reference))
        used = select_used_judges(evaluation.task, evaluation.spec.judges)
        return replace(evaluation, spec=evaluation.spec.model_copy(update={"judge": used or None}))

    def _resolve_task(self, task: str) -> list[tuple[Suite | None, list[TaskReference]]]:
        """Return the tasks that a name stands for: those of a suite together, others one by one."""
        suite = find_suite(task)
        if suite is None:
            return [self._vary(reference) for reference in resolve_tasks(task, self.kind, self.task_args)]
        if self.perturb:
            raise SpecError(f"--perturb needs a single task, and {task!r} is a suite. Run one of its tasks.")
        if self.kind:
            raise SpecError(f"--as {self.kind} needs a data file, and {task!r} is a suite.")
        parts = []
        for part in suite.parts:
            members = resolve_tasks(part.task, part.kind, {**part.task_args, **self.task_args})
            if len(members) > 1:
                names = ", ".join(member.task for member in members)
                raise SpecError(
                    f"Part {part.name} of {suite.name} stands for several tasks ({names}). List each of them."
                )
            parts += members
        return [(suite, parts)]

    def _vary(self, reference: TaskReference) -> tuple[Suite | None, list[TaskReference]]:
        """Return a task, or the suite of its conditions if it has several."""
        own = reference.arguments.get(PERTURB_ARGUMENT)
        conditions = self.perturb or (own if isinstance(own, (list, tuple)) else ())
        if not conditions:
            return None, [reference]
        arguments = {name: value for name, value in reference.arguments.items() if name != PERTURB_ARGUMENT}
        suite = make_condition_suite(reference.task, arguments, list(map(str, conditions)))
        return suite, [replace(reference, arguments=dict(part.task_args)) for part in suite.parts]

    def _settings_of(self, entry: ModelConfig) -> Settings:
        common = {field.name: getattr(self.settings, field.name) for field in fields(Settings)}
        try:
            return TypeAdapter(Settings).validate_python({**common, **entry.settings})
        except ValidationError as error:
            raise SpecError(f"model {entry.model}: {_explain(error)}") from error

    @property
    def _scoring_args(self) -> dict[str, Any]:
        """Arguments of every task that are options of their own."""
        values = {"cluster": self.cluster, "add_metrics": ",".join(self.add_metrics)}
        return {name: value for name, value in values.items() if value}

    def _build_spec(self, entry: ModelConfig, label: str, reference: TaskReference) -> Spec:
        return Spec(
            task=reference.task,
            task_args={**reference.arguments, **self._scoring_args},
            model=entry.model,
            model_args={**self.model_args, **entry.model_args},
            label=label,
            limit=self.limit,
            seed=self.seed,
            profile=self.profile,
            judge=self.judge,
        ).with_locations(reference.locations)


def is_experiment(name: str) -> bool:
    """Return whether a file is a config with tasks and models, not a task file."""
    return name.endswith(YAML_SUFFIXES) and Path(name).is_file() and "model" in read_fields(Path(name))


def read_fields(path: Path) -> dict[str, Any]:
    """Read the fields of a config; names may be written as on the command line, with hyphens, or in the plural.

    Raises:
        SpecError: if a field is given twice.
    """
    other_roles = [role for role in JudgeRole.all() if role is not JudgeRole.JUDGE]
    singular = ("task", "model", "label", "judge", *(role.field for role in other_roles if not role.is_judge))
    plurals = {f"{name}s": name for name in singular}
    values: dict[str, Any] = {}
    for name, value in read_yaml(path).items():
        field = str(name).replace("-", "_")
        field = plurals.get(field, field)
        if field in values:
            raise SpecError(f"{path}: {field!r} is given twice, the second time as {name!r}.")
        values[field] = value
    for role in other_roles:  # their fields become members of `judge`
        if models := values.pop(role.field, None):
            values["judge"] = replace_judges(values.get("judge"), role, models)
    return values


def _split_devices(value: Any) -> Any:
    """Accept devices as on the command line, separated by commas, and as numbers."""
    if isinstance(value, (str, int)):
        return tuple(device for part in str(value).split(",") if (device := part.strip()))
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else value


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = [str(part) for part in first["loc"] if part != "settings"]
    if first["type"] == "value_error":
        return f"{first['ctx']['error']}."
    if first["type"] == "missing":
        return f"missing field {where[-1]!r}."
    if first["type"] == "extra_forbidden" and len(where) == 1:
        known = [*("as" if name == "kind" else name for name in RunConfig.model_fields), *SETTINGS_FIELDS]
        known.remove("settings")
        close = get_close_matches(where[0], known, 1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Expected one of: {', '.join(known)}."
        return f"unknown field {where[0]!r}. {hint}"
    return f"{'.'.join(where)}: {first['msg']}."
