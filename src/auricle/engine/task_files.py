"""Task files: a whole task in YAML, in a folder of the user or in a package."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.features import find_parts
from auricle.core.registry import split_prefix
from auricle.core.storage import is_remote
from auricle.core.yaml_files import SourceLocations, read_yaml_with_extends
from auricle.data.huggingface import HF_PREFIX
from auricle.engine.catalogue import TASK_KINDS, TASKS
from auricle.engine.conditions import PERTURB_ARGUMENT, Condition
from auricle.engine.task import Task
from auricle.engine.task_options import Provenance

PATH_ARGUMENTS = ("data", "root", "rubric")
"""Task arguments that are paths; features have others."""
YAML_SUFFIXES = (".yaml", ".yml")
SUITE_FIELD = "suite"
"""The field of a YAML file that lists the tasks of a suite."""
CODE_ARGUMENTS = (
    ("inferencer",),
    ("inferencer", "use"),
    ("inferencer", "next"),
    ("shots",),
    ("shots", "use"),
    ("shots", "encoder"),
)
"""Task arguments that may be `file.py:name`; features have others, as `argument.key`."""
METRIC_ARGUMENTS = ("metrics", "add_metrics")
"""Task arguments that are lists of metrics."""


@dataclass(frozen=True, slots=True)
class TaskReference:
    """A task by name, with its arguments."""

    task: str
    arguments: dict[str, Any]
    locations: SourceLocations | None = None
    """Where the arguments are in a YAML file, for error messages."""


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A task file in a package. Calling it with `-T` options returns its task; these take precedence."""

    package: str
    name: str

    def __call__(self, **arguments: Any) -> Task:
        """Build the task.

        Raises:
            SpecError: with file and line, if the file is missing or wrong.
        """
        reference = read_task_file(self.path, arguments)
        assert reference.locations is not None
        with reference.locations.annotate_errors():
            task: Task = TASKS.get(reference.task)(**reference.arguments)
            check_prompt(task)
        return task

    @property
    def provenance(self) -> Provenance:
        """Where the data comes from and how it may be used, as the file states it."""
        return Provenance.from_values(read_values(self.path)[0])

    @property
    def summary(self) -> str:
        """One line for `auricle list tasks`."""
        return self.provenance.description or f"{self.kind} task of the package {self.package}"

    @property
    def kind(self) -> str:
        """The kind of task, or `suite`."""
        values, _ = read_values(self.path)
        return SUITE_FIELD if SUITE_FIELD in values else str(values.get("kind") or values.get("task", ""))

    @property
    def path(self) -> Path:
        """Where the file is installed."""
        path = files(self.package) / self.name
        if not isinstance(path, Path):
            raise SpecError(f"{self.package} is not installed as a folder, so {self.name} cannot be read from it.")
        return path


def task_file(package: str, name: str) -> TaskFile:
    """Declare a task file of a package, as the target of an entry point in the group `auricle.tasks`.

    Args:
        package: Name of the package that contains the file: `__package__` in one of its modules.
        name: File name, relative to the folder of the package. Paths in the file are relative to the file.

    Returns:
        What `auricle run NAME` calls to build the task.

    Examples:
        >>> quiz = task_file("my_benchmark", "quiz.yaml")
        >>> quiz
        TaskFile(package='my_benchmark', name='quiz.yaml')
    """
    if not package:
        raise SpecError(f"No package given for {name}. Call task_file(__package__, {name!r}) in a module of a package.")
    if not name.endswith(YAML_SUFFIXES):
        raise SpecError(f"Not a task file: {name!r}. Its name should end in {' or '.join(YAML_SUFFIXES)}.")
    return TaskFile(package, name)


def read_task_file(path: Path, arguments: dict[str, Any], kind: str | None = None) -> TaskReference:
    """Read a task file: its kind, its data and any other argument of the task.

    Args:
        path: The file.
        arguments: Further arguments of the task, which take precedence.
        kind: The kind of task, if the file names none. [default: an error]
    """
    values, locations = read_values(path)
    if SUITE_FIELD in values:
        raise SpecError(f"{path} is a suite of several tasks. Run it with `auricle run`, or use one of its tasks here.")
    kind = values.pop("kind", None) or values.pop("task", None) or kind
    if not isinstance(kind, str):
        raise SpecError(f"{path}: missing field 'kind'. Expected one of: {', '.join(TASK_KINDS)}.")
    kind = absolute_code_path(kind, path.parent)
    with locations.annotate_errors("kind"):
        TASKS.get(kind)
    if field := next((name for name in find_parts("row_fields") if name in values), ""):
        del values[field]  # the file is its own data, whose errors have lines
        values["data"] = str(path.resolve())
    return TaskReference(kind, {"name": path.stem, **values, **arguments}, locations)


def resolve_paths(arguments: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Return task arguments with all paths made absolute, relative to `base`."""
    resolved: dict[str, Any] = copy.deepcopy(dict(arguments))
    for names, resolve in (
        ((*PATH_ARGUMENTS, *find_parts("path_arguments")), _absolute_argument),
        (METRIC_ARGUMENTS, _absolute_metrics),
        ((PERTURB_ARGUMENT,), _resolve_conditions),
    ):
        resolved |= {name: resolve(resolved[name], base) for name in names if name in resolved}
    shots = resolved.get("shots")
    if isinstance(shots, dict) and isinstance(pool := shots.get("pool"), (str, Path)):
        shots["pool"] = absolute_path(str(pool), base)
    for name, *inner in (*CODE_ARGUMENTS, *(name.split(".") for name in find_parts("code_arguments"))):
        mapping = resolved if not inner else resolved.get(name)
        key = inner[0] if inner else name
        if isinstance(mapping, dict) and isinstance(value := mapping.get(key), str):
            mapping[key] = absolute_code_path(value, base)
    return resolved


def _absolute_argument(value: Any, base: Path) -> Any:
    return absolute_path(str(value), base) if isinstance(value, (str, Path)) else value


def _absolute_metrics(metrics: Any, base: Path) -> Any:
    if isinstance(metrics, str):
        return ",".join(absolute_code_path(metric.strip(), base) for metric in metrics.split(","))
    if isinstance(metrics, (list, tuple)):
        return [absolute_code_path(str(metric), base) for metric in metrics]
    return metrics


def _resolve_conditions(value: Any, base: Path) -> Any:
    """Make the paths in one or more conditions absolute."""
    is_list = isinstance(value, (list, tuple))
    resolved = [text for item in (value if is_list else [value]) for text in _resolve_condition(item, base)]
    return resolved if is_list or len(resolved) > 1 else resolved[0]


def _resolve_condition(text: Any, base: Path) -> list[Any]:
    """Return a condition as it is, or those it stands for with absolute paths; invalid ones are reported later."""
    try:
        conditions = Condition.expand(str(text))
    except SpecError:
        return [text]
    has_paths = any(condition.list_paths() for condition in conditions)
    return [str(condition.resolve_paths(base)) for condition in conditions] if has_paths else [text]


def read_values(path: Path) -> tuple[dict[str, Any], SourceLocations]:
    """Read a task file, or the file of a suite, and the files it extends; paths are absolute."""
    return read_yaml_with_extends(path, lambda file, values: resolve_paths(values, file.parent))


def check_prompt(task: Task) -> None:
    """Raise `SpecError` if the prompt names a field that no row has; other errors of the data appear in the run."""
    try:
        getattr(task.samples, "validate", lambda: None)()
    except SpecError as error:
        if error.location:
            raise


def absolute_path(value: str, base: Path) -> str:
    """Make a path absolute; a URL and the name of a dataset on the Hugging Face Hub are kept.

    A slash at the end, which marks a folder of data, is kept, too.
    """
    if is_remote(value):
        return value
    prefix = HF_PREFIX if value.startswith(HF_PREFIX) else ""
    with _explained_path_errors(value):
        path = base / Path(value.removeprefix(HF_PREFIX)).expanduser()
        if prefix and not path.exists():
            return value
        return prefix + str(path.resolve()) + "/" * value.endswith("/")


def absolute_code_path(name: str, base: Path = Path()) -> str:
    """Make the path in `file.py:name` absolute; other names are kept."""
    prefix, code = split_prefix(name)
    with _explained_path_errors(name):
        if prefix and code.endswith(YAML_SUFFIXES):  # a task file of another framework
            return f"{prefix}{(base / code).resolve()}"
        file, suffix, attribute = code.partition(".py:")
        return f"{prefix}{(base / f'{file}.py').resolve()}:{attribute}" if suffix else name


@contextmanager
def _explained_path_errors(value: str) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as error:  # an unknown user after `~`, a cycle of links, a NUL character
        raise SpecError(f"Invalid path {value!r}: {error}.") from error
