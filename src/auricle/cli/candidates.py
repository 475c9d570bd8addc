"""What a shell offers when a word is completed: names of registries, arguments, metrics, data files and runs.

Importing a registry takes several times as long as the rest of a completion, so its names are kept in a file of the
user's cache folder until a package is installed, changed or removed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from click.shell_completion import CompletionItem

from auricle.core.errors import AuricleError
from auricle.core.files import read_regular_file, user_cache_folder, write_lines_atomically
from auricle.runs.run_spec import LOAD_TEST_FILE, OUTPUTS_FILE, SPEC_FILE, SUITE_FILE

TASKS = "auricle.engine.catalogue:TASKS"
METRICS = "auricle.metrics.catalogue:METRICS"
PERTURBATIONS = "auricle.engine.conditions:list_step_classes"
DATA_SUFFIXES = frozenset((".csv", ".json", ".jsonl", ".parquet", ".tar", ".tsv", ".yaml", ".yml"))
"""Files that can be a TASK."""
RUN_FILES = (SPEC_FILE, OUTPUTS_FILE, LOAD_TEST_FILE, SUITE_FILE)
RUNS_FOLDER = "runs"
"""Where runs are searched for before anything is typed."""
MAX_FOLDERS = 2000
"""Folders that are searched for runs at most: a shell waits for the answer."""
MAX_DEPTH = 4
PACKAGES_SUFFIX = "-packages"
"""How the names of folders end in which packages are installed: site-packages, or dist-packages on Debian."""
CACHE_FILE = "completion.json"
ARGUMENTS_MARK = "#"
"""Between a registry and the name of which the arguments are listed."""


def complete_name(source: str, incomplete: str) -> list[CompletionItem[str]]:
    """Return the names of a registry, or of perturbations, that begin with a text.

    Args:
        source: Import path of the registry, such as `auricle.models.catalogue:MODELS`.
        incomplete: The text.
    """
    names = load_names(source).items()
    return [CompletionItem(name, help=summary or None) for name, summary in names if name.startswith(incomplete)]


def complete_task(incomplete: str) -> list[CompletionItem[str]]:
    """Return the tasks, data files and folders that begin with a text."""
    return [*complete_name(TASKS, incomplete), *map(CompletionItem, _list_data(incomplete))]


def complete_run(incomplete: str) -> list[CompletionItem[str]]:
    """Return the folders of runs, suites and load tests whose path begins with a text; without any, all folders."""
    paths = list(_list_runs(incomplete))
    return [*map(CompletionItem, paths)] or [CompletionItem(incomplete, type="dir")]


def complete_argument(registry: str, names: Iterable[str], incomplete: str) -> list[CompletionItem[str]]:
    """Return the arguments of models or tasks that begin with a text, as `NAME=`; after that, the values of choices.

    Args:
        registry: Import path of the registry of the models or tasks.
        names: Names in it; others, such as files with code, are left out, because they would be executed.
        incomplete: The text.
    """
    arguments: dict[str, str] = {}
    for name in names:
        if not name.endswith(":") and name in load_names(registry):
            arguments |= load_names(f"{registry}{ARGUMENTS_MARK}{name}")
    return [
        CompletionItem(argument, help=summary or None)
        for argument, summary in arguments.items()
        if argument.startswith(incomplete) and ("=" in incomplete) != argument.endswith("=")
    ]


def complete_metric(runs: Iterable[Path], incomplete: str) -> list[CompletionItem[str]]:
    """Return the metrics that runs have, or without any all metrics, that begin with a text."""
    from auricle.runs.metrics import read_metrics_overview

    names: dict[str, None] = {}
    for run in runs:
        with suppress(AuricleError, OSError):
            names |= {number.metric: None for number in read_metrics_overview(run).overall()}
    summaries = load_names(METRICS)
    return [
        CompletionItem(name, help=summaries.get(name) or None)
        for name in names or summaries
        if name.startswith(incomplete)
    ]


def load_names(source: str) -> Mapping[str, str]:
    """Return the names of a registry with their summaries, from the cache if no package has changed since."""
    path = user_cache_folder() / CACHE_FILE
    stamp = _stamp_environment(source)
    cached = _read_cache(path)
    entry = cached.get(source)
    if isinstance(entry, dict) and entry.get("stamp") == stamp:
        return dict(entry["names"])
    names = dict(_import_names(source))
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps({**cached, source: {"stamp": stamp, "names": names}})
        write_lines_atomically(path, [content.encode()])
    return names


def _read_cache(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_regular_file(path))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _stamp_environment(source: str) -> list[str]:
    """Return what changes when a package is installed or removed, or when the module of a registry is edited."""
    module = source.partition(":")[0].removeprefix("auricle.").replace(".", "/")
    files = [Path(__file__).parents[1] / f"{module}{end}" for end in (".py", "/__init__.py")]
    times = []
    packages = [Path(path) for path in sys.path if path.endswith(PACKAGES_SUFFIX)]
    for path in [*packages, *files]:
        with suppress(OSError):
            times.append(f"{path}: {path.stat().st_mtime_ns}")
    return times


def _import_names(source: str) -> Iterator[tuple[str, str]]:
    """Yield names and summaries; those that end in `:` or `=` are continued by the user."""
    from auricle.core.features import Builtin
    from auricle.core.registry import Registry, import_object

    registry, is_argument, name = source.partition(ARGUMENTS_MARK)
    value = import_object(registry)
    if is_argument:
        yield from _describe_arguments(value.get(name))
        return
    if not isinstance(value, Registry):  # perturbations are classes by name
        for name, step in value().items():
            yield (f"{name}:{step.level_name}=" if step.level_name else name), step.summary
        return
    for name in value:
        builtin = value.builtin.get(name)
        yield name, builtin.summary if isinstance(builtin, Builtin) else value.package(name)
    for prefix in value.prefixes():
        yield f"{prefix}:", ""


def _describe_arguments(factory: Any) -> Iterator[tuple[str, str]]:
    """Yield `NAME=` with its help, and `NAME=VALUE` for each value of a choice."""
    from auricle.core.arguments import describe_arguments

    for argument in describe_arguments(factory):
        yield f"{argument.name}=", argument.help
        for value in argument.choices:
            yield f"{argument.name}={value}", ""


def _list_data(incomplete: str) -> Iterator[str]:
    """Yield the folders, with a slash, and the data files that begin with a text."""
    folder, start = _split_path(incomplete)
    for item in _scan(folder, start):
        if item.is_dir():
            yield f"{folder}{item.name}/"
        elif Path(item.name).suffix.lower() in DATA_SUFFIXES:
            yield f"{folder}{item.name}"


def _list_runs(incomplete: str) -> Iterator[str]:
    """Yield the folders of runs whose path begins with a text, in the order of their names."""
    folder, start = _split_path(incomplete)
    if not incomplete and Path(RUNS_FOLDER).is_dir():
        folder = f"{RUNS_FOLDER}/"
    pending = [(path, 1) for path in _list_folders(folder, start)]
    for _ in range(MAX_FOLDERS):
        if not pending:
            return
        path, depth = pending.pop(0)
        if any(Path(path, name).exists() for name in RUN_FILES):
            yield path
        if depth < MAX_DEPTH:
            pending = [*((inner, depth + 1) for inner in _list_folders(f"{path}/")), *pending]


def _list_folders(folder: str, start: str = "") -> list[str]:
    return [f"{folder}{item.name}" for item in _scan(folder, start) if item.is_dir(follow_symlinks=False)]


def _split_path(incomplete: str) -> tuple[str, str]:
    """Split a path as it was typed, such as `./runs/de`, into a folder with its slash and the start of a name."""
    position = incomplete.rfind("/") + 1
    return incomplete[:position], incomplete[position:]


def _scan(folder: str, start: str) -> list[os.DirEntry[str]]:
    """List what is in a folder and begins with a text; hidden files only if the text does."""
    try:
        with os.scandir(folder or ".") as items:
            matching = [item for item in items if item.name.startswith(start)]
    except OSError:
        return []
    visible = (item for item in matching if start or not item.name.startswith("."))
    return sorted(visible, key=lambda item: item.name)
