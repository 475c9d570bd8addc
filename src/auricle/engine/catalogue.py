"""Built-in tasks and inferencers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auricle.core.features import Builtin
from auricle.core.registry import Registry

_INFERENCERS: Mapping[str, Builtin] = {
    "respond": Builtin("auricle.engine.inferencers:Respond", "one prompt, one or several answers"),
    "converse": Builtin("auricle.engine.inferencers:Converse", "a conversation from the data, turn by turn"),
    "rounds": Builtin("auricle.engine.inferencers:Rounds", "a conversation whose turns a function generates"),
    "appraise": Builtin("auricle.engine.inferencers:Appraise", "scores of a reward model for one recording or for two"),
    "rate": Builtin("auricle.engine.inferencers:Rate", "a rating written as a number"),
    "prefer": Builtin("auricle.engine.inferencers:Prefer", "the better of two recordings, asked in both orders"),
    "measure": Builtin("auricle.engine.inferencers:Measure", "scores of a classifier or reward model"),
    "compare": Builtin("auricle.engine.inferencers:Compare", "scores for each of two candidates"),
}

TASK_KINDS: Registry[Callable[..., Any]] = Registry("task kind", {}, expects=(Callable, "a function"))
"""Tasks that fit any data file (`--as`)."""
TASKS: Registry[Callable[..., Any]] = Registry(
    "task", {}, groups=("tasks", "task_kinds"), expects=(Callable, "a function")
)
INFERENCERS: Registry[Callable[..., Any]] = Registry("inferencer", _INFERENCERS)
task = TASKS
"""Register a task under a name, as a decorator of a function that returns a `Task`.

Args:
    name (str): Name for `auricle run` and `Spec`, which no other task may have.

Examples:
    >>> from auricle import Sample, Task
    >>> @task("greetings-of-this-example")
    ... def greetings() -> Task:
    ...     return Task(samples=[Sample(id="1", inputs={"text": "Say hello."}, target="hello")])
"""
