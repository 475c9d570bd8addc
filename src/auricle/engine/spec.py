"""The specification of a run, with the same fields on the command line, in YAML and in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Annotated, Any, Self

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    ModelWrapValidatorHandler,
    PlainSerializer,
    PrivateAttr,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from auricle.core.arguments import join_choices, list_options
from auricle.core.errors import SpecError
from auricle.core.features import find_parts
from auricle.core.judge_roles import JudgeRole
from auricle.core.redaction import SECRETS, redact
from auricle.core.registry import split_prefix
from auricle.core.yaml_files import SourceLocations, read_yaml
from auricle.data.file_formats import list_suffixes
from auricle.data.huggingface import HF_PREFIX
from auricle.data.memory import store_rows
from auricle.data.sources import is_data_source
from auricle.engine.catalogue import TASK_KINDS, TASKS
from auricle.engine.task_files import YAML_SUFFIXES, TaskReference, absolute_code_path, read_task_file, resolve_paths
from auricle.engine.task_options import PROVENANCE_OPTIONS, list_kinds_with, split_list
from auricle.models.catalogue import MODELS, find_model_version
from auricle.runs.metrics import read_scoring
from auricle.runs.response_cache import select_relevant
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge, merge_judges, read_last_judges

SCORING_ARGUMENTS = (
    *("profile", "scored_as", "metrics", "add_metrics", "rubric", "votes", "cluster", "name", "answers", "by"),
    *(name for name in PROVENANCE_OPTIONS if name != "version"),
    "target",
)
"""Task arguments that change how answers are scored, but not the requests; features have others."""
STORED_ARGUMENTS = ("target",)
"""Scoring arguments whose effect is stored with the answers, so that scoring again cannot change it."""
CHAT_FORMAT_ARGUMENT = "meta_template"
"""The model argument that contains a chat format, or the path of one."""

MAX_SEED = 2_000_000_000
"""Highest seed of a run; servers take seeds of 32 bits, and those of further answers are higher."""


def list_scoring_arguments() -> list[str]:
    """List the task arguments that change how answers are scored, but not the requests."""
    return [*SCORING_ARGUMENTS, *find_parts("scoring_arguments")]


def _parse_role(value: Any) -> JudgeRole:
    try:
        return JudgeRole.of(value)
    except (TypeError, ValueError):
        expected = join_choices([repr(role.name) for role in JudgeRole.all()])
        raise PydanticCustomError("enum", "Input should be {expected}", {"expected": expected}) from None


class JudgeSpec(BaseModel):
    """The model that judges answers, for metrics that need one, or another model that metrics need.

    Examples:
        >>> JudgeSpec.parse("openai").model
        'openai'
        >>> JudgeSpec(model="moonshine", role="recogniser").role.option
        '--recogniser'
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    args: dict[str, Any] = Field(default_factory=dict)
    role: Annotated[InstanceOf[JudgeRole], BeforeValidator(_parse_role), PlainSerializer(str)] = JudgeRole.JUDGE
    """What it does: `judge` scores answers, `unread` reads replies that rules cannot read; features add other roles,
    such as `recogniser`."""

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_form(cls, values: Any) -> Any:
        """Accept the judges of runs that were made before there were roles."""
        return _name_role(values) if isinstance(values, Mapping) else values

    @classmethod
    def parse(cls, value: JudgeSpec | dict[str, Any] | str) -> JudgeSpec:
        """Create a judge from its fields or from its name alone."""
        if isinstance(value, JudgeSpec):
            return value
        return cls.model_validate({"model": value} if isinstance(value, str) else value)

    @classmethod
    def from_judge(cls, judge: Judge) -> JudgeSpec:
        """Return a judge whose verdicts are stored; keys and the like are those of the environment."""
        return cls(model=judge.model, args=dict(judge.arguments), role=judge.role)

    def public(self) -> dict[str, Any]:
        """Return the fields of the judge without secrets."""
        fields = {"model": self.model, "args": redact(self.args)}
        return {**fields, "role": self.role.name} if self.role is not JudgeRole.JUDGE else fields

    def resolved(self) -> Self:
        """Return the judge with the path of its file made absolute."""
        return self.model_copy(update={"model": absolute_code_path(self.model)})

    def to_judge(self) -> Judge:
        """Return the judge without secrets, as it identifies verdicts."""
        version = "" if self.role.is_judge else find_model_version(self.model)
        return Judge.from_arguments(self.model, self.args, self.role, version)


def list_judges(value: Any) -> Any:
    """Return one judge, or several, as a tuple of their fields; a name stands for a judge without arguments."""
    entries = value if isinstance(value, (list, tuple)) else (value,) if value else ()
    return tuple(
        {"model": entry} if isinstance(entry, str) else _name_role(entry) if isinstance(entry, Mapping) else entry
        for entry in entries
    )


def _name_role(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a judge with its role instead of `reads_unread`, which stood for it before."""
    others = {name: value for name, value in fields.items() if name != "reads_unread"}
    return {**others, "role": JudgeRole.UNREAD.name} if fields.get("reads_unread") else others


def replace_judges(judges: Any, role: JudgeRole, models: Any) -> tuple[Any, ...]:
    """Return the fields of judges with others in a role, given by their names or their fields."""
    others = (judge for judge in list_judges(judges) if str(judge.get("role", JudgeRole.JUDGE)) != role.name)
    is_default = role is JudgeRole.JUDGE
    named = (judge if is_default else {**judge, "role": role.name} for judge in list_judges(models))
    return (*named, *others) if is_default else (*others, *named)


def public_judges(judges: Sequence[JudgeSpec]) -> Any:
    """Return the fields of one judge, or a list of those of several, without secrets."""
    return judges[0].public() if len(judges) == 1 else [judge.public() for judge in judges]


class Spec(BaseModel):
    """Everything that determines the results of a run; see `Settings` for how to execute it.

    Attributes:
        task: Name of a task, `package.module:function`, `file.py:function` or a task file; or with `kind`, data: a
            file, a folder, a URL, `hf:NAME`, a list of dicts, a pandas data frame or a Hugging Face dataset.
        model: Name of a model, `package.module:Class` or `file.py:Class`; in Python also a function, a class or an
            object with `generate`, `predict` or `loglikelihood`.
        kind: Kind of task for data (`--as` on the command line), such as `asr`.
        task_args: Arguments of the task (`-T` on the command line).
        model_args: Arguments of the model (`-M` on the command line).
        limit: Evaluate only the first rows of the data.
        seed: Seed of the first answer to each sample, for models that draw answers at random. Further answers to the
            same sample have the following ones.
        profile: Text normaliser that replaces the task's own, or several to score with each.
        judge: Model that judges answers, for metrics that need one; or several. With a `role`, a model that metrics
            of spoken answers need: `{"model": "moonshine", "role": "recogniser"}`.
        label: Name of the model in tables. Default: its name, and that of its checkpoint or deployment.

    Examples:
        >>> Spec(task="demo", model="echo", limit=10).limit
        10
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    model: str
    kind: str = Field(default="", exclude=True)
    task_args: dict[str, Any] = Field(default_factory=dict)
    model_args: dict[str, Any] = Field(default_factory=dict)
    limit: int | None = Field(default=None, gt=0)
    seed: int = Field(default=0, ge=0, le=MAX_SEED)
    profile: str | tuple[str, ...] | None = None
    judge: JudgeSpec | tuple[JudgeSpec, ...] | None = None
    label: str = ""
    _locations: SourceLocations | None = PrivateAttr(default=None)

    @property
    def locations(self) -> SourceLocations | None:
        """Where the task's arguments are, if they were read from a YAML file."""
        return self._locations

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the text normalisers that replace the task's own."""
        return _to_names(self.profile)

    @property
    def judges(self) -> tuple[JudgeSpec, ...]:
        """The models that judge answers, or that metrics of spoken answers need."""
        return (self.judge,) if isinstance(self.judge, JudgeSpec) else self.judge or ()

    def with_locations(self, locations: SourceLocations | None) -> Self:
        """Return the spec of a task that was read from a YAML file."""
        located = self.model_copy()
        located._locations = locations  # noqa: SLF001 - a copy of this object
        return located

    @model_validator(mode="wrap")
    @classmethod
    def _resolve_task(cls, values: Any, build: ModelWrapValidatorHandler[Self]) -> Self:
        """Replace a task file, or data and a kind, by the name of a task and its arguments."""
        task = values.get("task") if isinstance(values, Mapping) else None
        if task is None or (isinstance(task, str) and not values.get("kind") and not _is_file(task)):
            return build(values)
        arguments = dict(values.get("task_args") or {})
        if isinstance(task, PurePath):
            task = str(task)
        elif not isinstance(task, str):
            task = store_rows(task)
            arguments.setdefault("root", str(Path.cwd()))
        reference = resolve_task(task, values.get("kind") or None, arguments)
        spec = build({**values, "task": reference.task, "task_args": reference.arguments, "kind": ""})
        spec._locations = reference.locations  # noqa: SLF001 - an object of this class
        return spec

    @field_validator("model", mode="before")
    @classmethod
    def _register_model(cls, model: Any) -> Any:
        """Accept a function, a class or an object instead of a name."""
        return model if isinstance(model, str) else MODELS.add_object(model)

    @field_validator("judge", mode="before")
    @classmethod
    def _expand_judge_names(cls, judge: Any) -> Any:
        """Accept the name of a judge without arguments."""
        judges = list_judges(judge)
        return judges if len(judges) > 1 else judges[0] if judges else None

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Return the spec of a run."""
        return cls.model_validate(run.spec.spec)

    @classmethod
    def as_scored(cls, run: Run) -> Self:
        """Return the spec of a run with the arguments of scoring and the judges that its numbers were computed with."""
        scoring, spec = read_scoring(run.path), cls.from_run(run)
        if own := list_options(TASKS.get(spec.task)):  # earlier versions accepted, and ignored, those of other kinds
            arguments = spec.task_args.items()
            kept = {name: value for name, value in arguments if name in own or not list_kinds_with(name)}
            spec = spec.model_copy(update={"task_args": kept})
        return spec.with_scoring(scoring.task_args, scoring.profiles).with_judges(spec.find_last_judges(run))

    def resolved(self) -> Self:
        """Return the spec with absolute paths, so that it does not depend on the working directory."""
        update: dict[str, Any] = {
            "task_args": resolve_paths(TASKS.resolve_arguments(self.task, self.task_args), Path()),
            "model": absolute_code_path(MODELS.resolve_name(self.model)),
            "model_args": _inline_chat_format(self.model_args),
        }
        judges = tuple(judge.resolved() for judge in self.judges)
        update["judge"] = judges if len(judges) > 1 else judges[0] if judges else None
        return self.model_copy(update={**update, "task": absolute_code_path(self.task)})

    def public(self) -> dict[str, Any]:
        """Return the fields of the spec without secrets, for `spec.json`."""
        fields = self.model_dump(mode="json", exclude_defaults=True)
        if self.judge:
            fields["judge"] = public_judges(self.judges)
        if self.task_args:
            fields["task_args"] = redact(fields["task_args"], hide_generated=False)
        return {**fields, "model_args": redact(self.model_args)}

    def with_scoring(self, arguments: Mapping[str, Any], profile: str | Sequence[str] | None = None) -> Self:
        """Return the spec with other arguments of scoring, and under other profiles if any are given.

        `metrics` replaces all metrics; `add_metrics` adds to those that were added before.

        Raises:
            SpecError: if an argument would change the requests or the stored samples.
        """
        allowed = [name for name in list_scoring_arguments() if name not in STORED_ARGUMENTS]
        if others := [name for name in arguments if name not in allowed]:
            raise SpecError(
                f"{', '.join(others)} cannot change when a run is scored again: only {', '.join(allowed)} can. "
                "Use `auricle run` with the new arguments."
            )
        task_args = {**self.task_args, **resolve_paths(arguments, Path())}
        earlier = self.task_args.get("add_metrics", ()) if "metrics" not in arguments else ()
        if added := [*split_list(earlier), *split_list(arguments.get("add_metrics", ()))]:
            task_args |= resolve_paths({"add_metrics": ",".join(dict.fromkeys(added))}, Path())
        else:
            task_args.pop("add_metrics", None)
        return self.model_copy(update={"task_args": task_args, "profile": _to_names(profile) or self.profile})

    def with_judges(self, judges: Iterable[Judge]) -> Self:
        """Return the spec with the judges whose verdicts a run has."""
        return self.model_copy(update={"judge": tuple(map(JudgeSpec.from_judge, judges)) or None})

    def find_last_judges(self, run: Run) -> tuple[Judge, ...]:
        """Return the judges that a run was scored with last, or else those of the spec."""
        return merge_judges((judge.to_judge() for judge in self.judges), read_last_judges(run.verdicts_path))

    def with_derived(self, arguments: Mapping[str, Any]) -> Self:
        """Return the spec with arguments of scoring that its task read from the data."""
        return self.model_copy(update={"task_args": {**self.task_args, **arguments}}) if arguments else self

    def register_secrets(self) -> None:
        """Register the secrets among the arguments, so that they are removed from everything the run writes."""
        urls = {"url": [value for value in self.task_args.values() if isinstance(value, str) and "://" in value]}
        SECRETS.register(urls, self.model_args, *(judge.args for judge in self.judges))

    def identity(self) -> dict[str, Any]:
        """Return what must be equal to resume a run: the task and the model, with their arguments."""
        scoring_args = list_scoring_arguments()
        request_args = {name: value for name, value in self.task_args.items() if name not in scoring_args}
        return {
            "task": self.task,
            "task_args": redact(request_args, hide_generated=False),
            "model": self.model,
            "model_args": redact(select_relevant(self.model_args)),
            "seed": self.seed,
        }


def _to_names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _is_file(name: str) -> bool:
    """Return whether the name of a task is that of a task file or of data."""
    return name.endswith(YAML_SUFFIXES) or name.startswith(HF_PREFIX) or is_data_source(name)


def resolve_task(name: str, kind: str | None, arguments: dict[str, Any]) -> TaskReference:
    """Resolve the TASK argument of the command line to a registered name and arguments.

    Args:
        name: A task, a YAML file, or a data file with `kind`.
        kind: Kind of task for a data file, from `--as`.
        arguments: Arguments from `-T`.
    """
    if name.endswith(YAML_SUFFIXES) and not split_prefix(name)[0]:
        return read_task_file(Path(name), arguments, kind)
    if name.startswith(HF_PREFIX) or is_data_source(name):
        if foreign := split_prefix(name)[0]:
            raise SpecError(f"{name} is a data file, not a task: leave out the prefix {foreign}")
        if kind is None:
            raise SpecError(
                f"{name} is a data file: choose the kind of task with --as {'|'.join(TASK_KINDS)} (in Python: kind=…)."
            )
        return TaskReference(kind, {"data": name, **arguments})
    if kind is not None and Path(name).exists():  # a plain list, which some kinds read, or a folder
        return TaskReference(kind, {"data": name, **arguments})
    if kind is not None:
        raise SpecError(
            f"--as {kind} needs a data file, and {name!r} is not one: its name should end in "
            f"{', '.join(list_suffixes())}, or in / for a folder, or begin with {HF_PREFIX}, s3:// or https://."
        )
    return TaskReference(name, arguments)


def resolve_tasks(name: str, kind: str | None, arguments: dict[str, Any]) -> list[TaskReference]:
    """Resolve a name that may be a pattern or a group to all its tasks, each with the arguments."""
    reference = resolve_task(name, kind, arguments)
    return [replace(reference, task=member) for member in TASKS.expand(reference.task, reference.arguments)]


def _inline_chat_format(arguments: dict[str, Any]) -> dict[str, Any]:
    """Replace the path of a chat format by its content, since the file may change before the next run."""
    path = arguments.get(CHAT_FORMAT_ARGUMENT)
    if not isinstance(path, str):
        return arguments
    content = read_yaml(Path(path))
    return {**arguments, CHAT_FORMAT_ARGUMENT: content.get(CHAT_FORMAT_ARGUMENT, content)}


def parse_arguments(words: Sequence[str]) -> dict[str, Any]:
    """Parse `key=value` words; values that are valid JSON are decoded, others stay text.

    Examples:
        >>> parse_arguments(["n=3", "name=basic"])
        {'n': 3, 'name': 'basic'}
    """
    arguments = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise SpecError(f"{word!r} should be KEY=VALUE.")
        try:
            arguments[name] = orjson.loads(value)
        except orjson.JSONDecodeError:
            arguments[name] = value
    return arguments


def format_arguments(arguments: Mapping[str, Any]) -> list[str]:
    """Format arguments as the `key=value` words that `parse_arguments` reads.

    Examples:
        >>> format_arguments({"n": 3, "name": "basic", "id": "3"})
        ['n=3', 'name=basic', 'id="3"']
    """
    return [f"{name}={_format_value(value)}" for name, value in arguments.items()]


def _format_value(value: Any) -> str:
    if isinstance(value, str) and parse_arguments([f"key={value}"])["key"] == value:
        return value
    return orjson.dumps(value).decode()
