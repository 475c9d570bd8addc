"""Names of tasks in tables of several runs: the same name never stands for different data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from auricle.runs.metrics import TaskFacts


def name_tasks(tasks: Sequence[TaskFacts]) -> list[str]:
    """Return the name of each task, followed by its data if another task of that name has other data.

    >>> name_tasks([TaskFacts("asr", source="/data/en/test.jsonl", revision="1a"), TaskFacts("tts")])
    ['asr', 'tts']
    >>> name_tasks([TaskFacts("asr", source=f"/data/{code}/test.jsonl", revision=code) for code in ("en", "de")])
    ['asr (en/test.jsonl)', 'asr (de/test.jsonl)']
    """
    return [_name_task(task, [other for other in tasks if other.name == task.name]) for task in tasks]


def name_several_tasks(tasks: Sequence[TaskFacts]) -> list[str]:
    """Return the cells of a column of tasks; they are empty, so that tables omit the column, if there is only one."""
    names = name_tasks(tasks)
    return names if len(set(names)) > 1 else [""] * len(names)


def _name_task(task: TaskFacts, others: Sequence[TaskFacts]) -> str:
    sources = {other.source for other in others if other.revision != task.revision} - {task.source, ""}
    if not sources or not task.source or not task.revision:
        return task.name
    return f"{task.name} ({_shorten_source(task.source, sources)})"


def _shorten_source(source: str, others: set[str]) -> str:
    """Return the end of a path or address that no other one has."""
    parts = PurePath(source).parts
    for count in range(1, len(parts)):
        if not any(PurePath(other).parts[-count:] == parts[-count:] for other in others):
            return str(PurePath(*parts[-count:]))
    return source
