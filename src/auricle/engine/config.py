"""The configuration of `auricle run`: one schema for the command line, YAML and Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.core.yaml_files import read_yaml
from auricle.engine.factory import Evaluation
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec, Spec, TaskReference, resolve_tasks

SETTINGS_FIELDS = tuple(field.name for field in fields(Settings) if field.name not in ("cache", "limit"))
"""Settings that a config contains; the cache is chosen by `cache` and `cache_path`, and `limit` is part of the spec."""


class RunConfig(BaseModel):
    """Everything that `auricle run` accepts, with the same names as its options.

    The fields of `Settings`, such as `concurrency` or `batch_size`, stand next to the others in YAML.

    >>> config = RunConfig.from_fields({"task": "demo", "model": "echo", "concurrency": 4}, "example")
    >>> config.settings.concurrency
    4
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    task: tuple[str, ...]
    """Names of tasks, task files or data files."""
    kind: str | None = Field(default=None, alias="as")
    """Kind of task, for data files."""
    model: str
    task_args: dict[str, Any] = Field(default_factory=dict)
    model_args: dict[str, Any] = Field(default_factory=dict)
    limit: int | None = Field(default=None, gt=0)
    profile: str | None = None
    judge: JudgeSpec | None = None
    infer_only: bool = False
    cache: bool = False
    cache_path: Path | None = None
    prices: Path | None = None
    max_cost: float | None = Field(default=None, gt=0)
    out: Path | None = None
    fresh: bool = False
    progress: Literal["auto", "json"] = "auto"
    settings: Settings = Settings()

    @model_validator(mode="before")
    @classmethod
    def _collect_settings(cls, values: Any) -> Any:
        """Move the fields of `Settings` to where they belong."""
        if not isinstance(values, Mapping) or "settings" in values:
            return values
        settings = {name: values[name] for name in SETTINGS_FIELDS if name in values}
        if "devices" in settings:
            settings["devices"] = _split_devices(settings["devices"])
        return {**{name: value for name, value in values.items() if name not in settings}, "settings": settings}

    @field_validator("task", mode="before")
    @classmethod
    def _accept_one_task(cls, task: Any) -> Any:
        return (task,) if isinstance(task, str) else task

    @field_validator("judge", mode="before")
    @classmethod
    def _accept_judge_name(cls, judge: Any) -> Any:
        return {"model": judge} if isinstance(judge, str) else judge

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

    def to_yaml(self) -> str:
        """Return the config as YAML, without secrets; fields without a value are left out."""
        import yaml

        values = self.model_dump(mode="json", by_alias=True, exclude={"settings"}, exclude_none=True)
        values |= {name: getattr(self.settings, name) for name in SETTINGS_FIELDS}
        values["task"] = self.task[0] if len(self.task) == 1 else list(self.task)
        values["devices"] = list(self.settings.devices)
        values["model_args"] = redact(self.model_args)
        if self.judge:
            values["judge"] = {"model": self.judge.model, "args": redact(self.judge.args)}
        known = {name: value for name, value in values.items() if value not in (None, "", [], {}, ())}
        return yaml.safe_dump(known, sort_keys=False, allow_unicode=True)

    def prepare(self) -> list[Evaluation]:
        """Build the task of each evaluation; nothing is loaded or sent."""
        references = [reference for task in self.task for reference in resolve_tasks(task, self.kind, self.task_args)]
        return [Evaluation.prepare(self._build_spec(reference)) for reference in references]

    def _build_spec(self, reference: TaskReference) -> Spec:
        return Spec(
            task=reference.task,
            task_args=reference.arguments,
            model=self.model,
            model_args=self.model_args,
            limit=self.limit,
            profile=self.profile,
            judge=self.judge,
        ).with_locations(reference.locations)


def read_fields(path: Path) -> dict[str, Any]:
    """Read the fields of a config; names may be written as on the command line, with hyphens."""
    return {str(name).replace("-", "_"): value for name, value in read_yaml(path).items()}


def _split_devices(value: Any) -> Any:
    """Accept devices as on the command line, separated by commas, and as numbers."""
    if isinstance(value, (str, int)):
        return tuple(device for part in str(value).split(",") if (device := part.strip()))
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else value


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
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
