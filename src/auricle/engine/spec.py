"""What a run is made from: the same fields on the command line, in YAML and in Python."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.core.registry import split_prefix
from auricle.core.yaml_files import read_yaml as read_yaml
from auricle.core.yaml_files import read_yaml_with_extends
from auricle.data.huggingface import HF_PREFIX
from auricle.data.row_files import READERS
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge
from auricle.tasks.catalogue import TASKS

TASK_KINDS = (*("asr", "mcq", "qa", "open", "classify", "translate", "chat", "perplexity"), *("reward", "preference"))
SCORING_ARGUMENTS = (
    *("profile", "metrics", "rubric", "votes", "cluster", "name", "licence", "answers", "by"),
    *("target", "outputs", "ties", "eval_yaml", "by_duration", "duration_bin"),
)
"""Task arguments that decide how answers are scored, not what is asked."""
PATH_ARGUMENTS = ("data", "root", "rubric", "dataset_jsonl", "dataset_root", "eval_yaml")
"""Task arguments that are paths."""
YAML_SUFFIXES = (".yaml", ".yml")
CHAT_FORMAT_ARGUMENT = "meta_template"
"""The model argument that is a chat format."""
CODE_ARGUMENTS = (
    ("inferencer",),
    ("inferencer", "use"),
    ("inferencer", "next"),
    ("shots",),
    ("shots", "use"),
    ("shots", "encoder"),
)
"""Task arguments that may name a thing in a file, as `file.py:thing`."""


class JudgeSpec(BaseModel):
    """The model that scores answers, where a metric asks for one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    args: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Return the spec a run was made from."""
        return cls.model_validate(run.spec["spec"])

    @classmethod
    def parse(cls, value: JudgeSpec | dict[str, Any] | str) -> JudgeSpec:
        """A judge from its fields, or from its name alone."""
        if isinstance(value, JudgeSpec):
            return value
        return cls.model_validate({"model": value} if isinstance(value, str) else value)

    def resolved(self) -> Self:
        """The same judge, with its file's whole path if it is in one."""
        return self.model_copy(update={"model": _absolute_code_path(self.model)})

    def to_judge(self) -> Judge:
        """The judge without secrets: what its verdicts are kept under."""
        return Judge.from_arguments(self.model, self.args)


class Spec(BaseModel):
    """Everything that decides a run's numbers, and nothing that does not."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: str
    model: str
    task_args: dict[str, Any] = Field(default_factory=dict)
    model_args: dict[str, Any] = Field(default_factory=dict)
    limit: int | None = Field(default=None, gt=0)
    profile: str | None = None
    judge: JudgeSpec | None = None

    @field_validator("judge", mode="before")
    @classmethod
    def _expand_judge_name(cls, judge: Any) -> Any:
        """A name alone is a judge without arguments."""
        return {"model": judge} if isinstance(judge, str) else judge

    @classmethod
    def read(cls, path: Path) -> Self:
        """A spec from a YAML file."""
        return cls.from_fields(read_yaml(path), str(path))

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Return the spec a run was made from."""
        return cls.model_validate(run.spec["spec"])

    @classmethod
    def from_fields(cls, fields: dict[str, Any], source: str) -> Self:
        """A spec from named values, or what is wrong with the first of them."""
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise SpecError(f"{source}: {where}: {first['msg']}.") from error

    def resolved(self) -> Self:
        """The same spec with its paths made absolute, so that it reads the same from anywhere."""
        update: dict[str, Any] = {
            "task_args": resolve_paths(TASKS.resolve_arguments(self.task, self.task_args), Path()),
            "model": _absolute_code_path(self.model),
            "model_args": _inline_chat_format(self.model_args),
        }
        if self.judge:
            update["judge"] = self.judge.resolved()
        return self.model_copy(update={**update, "task": _absolute_code_path(self.task)})

    def public(self) -> dict[str, Any]:
        """The spec without secrets: what may be written down."""
        plain = self.model_dump(mode="json", exclude_defaults=True)
        if self.judge:
            plain["judge"] = {"model": self.judge.model, "args": redact(self.judge.args)}
        return {**plain, "model_args": redact(self.model_args)}

    def identity(self) -> dict[str, Any]:
        """What must be equal for two runs to be one: what was asked, and of whom."""
        asked = {name: value for name, value in self.task_args.items() if name not in SCORING_ARGUMENTS}
        return {"task": self.task, "task_args": asked, "model": self.model, "model_args": redact(self.model_args)}


def resolve_task(name: str, kind: str | None, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The task's registered name and arguments, from what stands on a command line."""
    if name.endswith(YAML_SUFFIXES) and not split_prefix(name)[0]:
        return _read_task_file(Path(name), arguments)
    if name.startswith(HF_PREFIX) or Path(name).suffix.lower() in READERS:
        if foreign := split_prefix(name)[0]:
            raise SpecError(f"{name} is data, and no task: give it without {foreign}")
        if kind is None:
            raise SpecError(f"{name} is data: say what it is with --as {'|'.join(TASK_KINDS)}.")
        return kind, {"data": name, **arguments}
    if kind is not None:
        raise SpecError(
            f"--as {kind} goes with data, and {name!r} is none: it should end in "
            f"{', '.join(READERS)}, or begin with {HF_PREFIX}."
        )
    return name, arguments


def resolve_tasks(name: str, kind: str | None, arguments: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The same where a name may stand for a group of tasks: each of them, with the arguments."""
    found, given = resolve_task(name, kind, arguments)
    return [(each, given) for each in TASKS.expand(found, given)]


def _read_task_file(path: Path, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A task from a YAML file: its kind, its data and anything `-T` takes."""
    given, marks = read_yaml_with_extends(path, lambda file, values: resolve_paths(values, file.parent))
    kind = given.pop("kind", None) or given.pop("task", None)
    if not isinstance(kind, str):
        raise SpecError(f"{path} says no kind: write `kind: asr` (or {', '.join(TASK_KINDS[1:])}).")
    kind = _absolute_code_path(kind, path.parent)
    wanted = {"name": path.stem, **given, **arguments}
    with marks.annotate_errors("kind"):
        make = TASKS.get(kind)
    with marks.annotate_errors():
        task = make(**wanted)  # lazy: refused here, where the line is known
        _check_prompt(task)
    return kind, wanted


def _check_prompt(task: Any) -> None:
    """Refuse a prompt that shows what no row has; other faults of the data are told on running."""
    try:
        getattr(task.samples, "validate", lambda: None)()
    except SpecError as error:
        if error.location:
            raise


def resolve_paths(arguments: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Task arguments with whole paths, those of files with code and of examples too."""
    found: dict[str, Any] = copy.deepcopy(dict(arguments))
    for name in PATH_ARGUMENTS:
        if isinstance(value := found.get(name), (str, Path)):
            found[name] = _absolute_path(str(value), base)
    shots = found.get("shots")
    if isinstance(shots, dict) and isinstance(pool := shots.get("pool"), (str, Path)):
        shots["pool"] = _absolute_path(str(pool), base)
    for name, *inner in CODE_ARGUMENTS:
        holder = found if not inner else found.get(name)
        key = inner[0] if inner else name
        if isinstance(holder, dict) and isinstance(value := holder.get(key), str):
            holder[key] = _absolute_code_path(value, base)
    if isinstance(metrics := found.get("metrics"), list):
        found["metrics"] = [_absolute_code_path(str(each), base) for each in metrics]
    return found


def _inline_chat_format(arguments: dict[str, Any]) -> dict[str, Any]:
    """A chat format by what it says: a file may say something else by the next run."""
    given = arguments.get(CHAT_FORMAT_ARGUMENT)
    if not isinstance(given, str):
        return arguments
    content = read_yaml(Path(given))
    return {**arguments, CHAT_FORMAT_ARGUMENT: content.get(CHAT_FORMAT_ARGUMENT, content)}


def _absolute_path(value: str, base: Path) -> str:
    """A whole path; a dataset's name on the hub stays as it is."""
    prefix = HF_PREFIX if value.startswith(HF_PREFIX) else ""
    path = base / Path(value.removeprefix(HF_PREFIX)).expanduser()
    return value if prefix and not path.exists() else prefix + str(path.resolve())


def _absolute_code_path(name: str, base: Path = Path()) -> str:
    """`file.py:Class` with its file's whole path, prefixed or not; other names as they are."""
    prefix, code = split_prefix(name)
    if prefix and code.endswith(YAML_SUFFIXES):  # another framework's task
        return f"{prefix}{(base / code).resolve()}"
    file, suffix, attribute = code.partition(".py:")
    return f"{prefix}{(base / f'{file}.py').resolve()}:{attribute}" if suffix else name


def parse_arguments(words: Sequence[str]) -> dict[str, Any]:
    """Parse `key=value` words; a value that is valid JSON is parsed, any other is text."""
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
