"""What a run is made from: the same fields on the command line, in YAML and in Python."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from auricle.core.errors import SpecError
from auricle.core.redaction import redacted
from auricle.core.registry import split_prefix
from auricle.data.huggingface import PREFIX
from auricle.data.rows import READERS
from auricle.data.yaml_file import read_extended
from auricle.data.yaml_file import read_yaml as read_yaml
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Judge
from auricle.tasks.catalogue import TASKS

KINDS = (
    *("asr", "mcq", "qa", "open", "classify", "translate", "chat", "perplexity"),
    *("reward", "preference"),
)
SCORING = (
    *("profile", "metrics", "rubric", "votes", "cluster", "name", "licence", "answers", "by"),
    *("target", "outputs", "ties", "eval_yaml", "by_duration", "duration_bin"),
)
"""Task arguments that decide how answers are scored, not what is asked."""
PLACES = ("data", "root", "rubric", "dataset_jsonl", "dataset_root", "eval_yaml")
"""Task arguments that are paths."""
YAML = (".yaml", ".yml")
FORMAT = "meta_template"
"""The model argument that is a chat format."""
CODE = (
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
    def of(cls, given: JudgeSpec | dict[str, Any] | str) -> JudgeSpec:
        """A judge from its fields, or from its name alone."""
        if isinstance(given, JudgeSpec):
            return given
        return cls.model_validate({"model": given} if isinstance(given, str) else given)

    def settled(self) -> Self:
        """The same judge, with its file's whole path if it is in one."""
        return self.model_copy(update={"model": _absolute_code(self.model)})

    def known(self) -> Judge:
        """The judge without secrets: what its verdicts are kept under."""
        return Judge.of(self.model, self.args)


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
    def _named(cls, judge: Any) -> Any:
        """A name alone is a judge without arguments."""
        return {"model": judge} if isinstance(judge, str) else judge

    @classmethod
    def read(cls, path: Path) -> Self:
        """A spec from a YAML file."""
        return cls.of(read_yaml(path), str(path))

    @classmethod
    def from_run(cls, run: Run) -> Self:
        """Return the spec a run was made from."""
        return cls.model_validate(run.spec["spec"])

    @classmethod
    def of(cls, fields: dict[str, Any], source: str) -> Self:
        """A spec from named values, or what is wrong with the first of them."""
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise SpecError(f"{source}: {where}: {first['msg']}.") from error

    def settled(self) -> Self:
        """The same spec with its paths made absolute, so that it reads the same from anywhere."""
        update: dict[str, Any] = {
            "task_args": placed(TASKS.resolve_arguments(self.task, self.task_args), Path()),
            "model": _absolute_code(self.model),
            "model_args": _with_format(self.model_args),
        }
        if self.judge:
            update["judge"] = self.judge.settled()
        return self.model_copy(update={**update, "task": _absolute_code(self.task)})

    def public(self) -> dict[str, Any]:
        """The spec without secrets: what may be written down."""
        plain = self.model_dump(mode="json", exclude_defaults=True)
        if self.judge:
            plain["judge"] = {"model": self.judge.model, "args": redacted(self.judge.args)}
        return {**plain, "model_args": redacted(self.model_args)}

    def identity(self) -> dict[str, Any]:
        """What must be equal for two runs to be one: what was asked, and of whom."""
        asked = {name: value for name, value in self.task_args.items() if name not in SCORING}
        return {
            "task": self.task,
            "task_args": asked,
            "model": self.model,
            "model_args": redacted(self.model_args),
        }


def task_of(name: str, kind: str | None, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The task's registered name and arguments, from what stands on a command line."""
    if name.endswith(YAML) and not split_prefix(name)[0]:
        return _task_file(Path(name), arguments)
    if name.startswith(PREFIX) or Path(name).suffix.lower() in READERS:
        if foreign := split_prefix(name)[0]:
            raise SpecError(f"{name} is data, and no task: give it without {foreign}")
        if kind is None:
            raise SpecError(f"{name} is data: say what it is with --as {'|'.join(KINDS)}.")
        return kind, {"data": name, **arguments}
    if kind is not None:
        raise SpecError(
            f"--as {kind} goes with data, and {name!r} is none: it should end in "
            f"{', '.join(READERS)}, or begin with {PREFIX}."
        )
    return name, arguments


def tasks_of(
    name: str, kind: str | None, arguments: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """The same where a name may stand for a group of tasks: each of them, with the arguments."""
    found, given = task_of(name, kind, arguments)
    return [(each, given) for each in TASKS.expand(found, given)]


def _task_file(path: Path, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A task from a YAML file: its kind, its data and anything `-T` takes."""
    given, marks = read_extended(path, lambda file, values: placed(values, file.parent))
    kind = given.pop("kind", None) or given.pop("task", None)
    if not isinstance(kind, str):
        raise SpecError(f"{path} says no kind: write `kind: asr` (or {', '.join(KINDS[1:])}).")
    kind = _absolute_code(kind, path.parent)
    wanted = {"name": path.stem, **given, **arguments}
    with marks.pointing("kind"):
        make = TASKS.get(kind)
    with marks.pointing():
        task = make(**wanted)  # lazy: refused here, where the line is known
        _refuse_prompt(task)
    return kind, wanted


def _refuse_prompt(task: Any) -> None:
    """Refuse a prompt that shows what no row has; other faults of the data are told on running."""
    try:
        getattr(task.samples, "peek", lambda: None)()
    except SpecError as error:
        if error.where:
            raise


def placed(arguments: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Task arguments with whole paths, those of files with code and of examples too."""
    found: dict[str, Any] = copy.deepcopy(dict(arguments))
    for name in PLACES:
        if isinstance(value := found.get(name), (str, Path)):
            found[name] = _absolute(str(value), base)
    shots = found.get("shots")
    if isinstance(shots, dict) and isinstance(pool := shots.get("pool"), (str, Path)):
        shots["pool"] = _absolute(str(pool), base)
    for name, *inner in CODE:
        holder = found if not inner else found.get(name)
        key = inner[0] if inner else name
        if isinstance(holder, dict) and isinstance(value := holder.get(key), str):
            holder[key] = _absolute_code(value, base)
    if isinstance(metrics := found.get("metrics"), list):
        found["metrics"] = [_absolute_code(str(each), base) for each in metrics]
    return found


def _with_format(arguments: dict[str, Any]) -> dict[str, Any]:
    """A chat format by what it says: a file may say something else by the next run."""
    given = arguments.get(FORMAT)
    if not isinstance(given, str):
        return arguments
    content = read_yaml(Path(given))
    return {**arguments, FORMAT: content.get(FORMAT, content)}


def _absolute(value: str, base: Path) -> str:
    """A whole path; a dataset's name on the hub stays as it is."""
    prefix = PREFIX if value.startswith(PREFIX) else ""
    path = base / Path(value.removeprefix(PREFIX)).expanduser()
    return value if prefix and not path.exists() else prefix + str(path.resolve())


def _absolute_code(name: str, base: Path = Path()) -> str:
    """`file.py:Class` with its file's whole path, prefixed or not; other names as they are."""
    prefix, code = split_prefix(name)
    if prefix and code.endswith(YAML):  # another framework's task
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
