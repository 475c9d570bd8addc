"""The command line that repeats a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from auricle.core.judge_roles import JudgeRole
from auricle.core.serialization import dumps
from auricle.engine.spec import JudgeSpec, Spec, parse_arguments
from auricle.runs.run_spec import RunSpec


def format_run_command(spec: Spec, out: str) -> str:
    """Return the `auricle run` command of a spec, on one line for a shell.

    Secrets are not stored with a run: where it had one, the command has what replaced it.

    Args:
        spec: What the run evaluates.
        out: The run directory.

    >>> format_run_command(Spec(task="demo", model="whisper", model_args={"model": "tiny"}, limit=10), "runs/tiny")
    'auricle run demo -m whisper -M model=tiny --limit 10 -o runs/tiny'
    """
    words = ["auricle", "run", spec.task, "-m", spec.model, *format_arguments("-M", spec.model_args)]
    options = {"--label": spec.label, "--seed": spec.seed, "--limit": spec.limit}
    words += [str(word) for option in options.items() if option[1] for word in option]
    words += format_arguments("-T", spec.task_args)
    words += [word for profile in spec.profiles for word in ("--profile", profile)]
    return shlex.join([*words, *_format_judges(spec.judges), "-o", out])


def format_repeat_command(spec: RunSpec, out: str) -> str:
    """Return the command that repeats a run; empty if it was imported, or if another version wrote its spec.

    Args:
        spec: The content of `spec.json`.
        out: The run directory.
    """
    if spec.imported:
        return ""
    try:
        return format_run_command(Spec.model_validate(spec.spec), out)
    except ValueError:  # fields that this version does not know
        return ""


def _format_judges(judges: Sequence[JudgeSpec]) -> Iterator[str]:
    """Yield the options of the judges and of the other roles; the judge of unread replies has the last number."""
    ordered = sorted(judges, key=lambda judge: JudgeRole.all().index(judge.role))
    for scope, group in groupby(ordered, key=lambda judge: "" if judge.role.is_judge else f"{judge.role}."):
        members = list(group)
        for number, judge in enumerate(members, start=1):
            yield from (judge.role.option, judge.model)
            yield from format_arguments("-J", judge.args, f"{scope}{number}." if len(members) > 1 else scope)


def format_arguments(option: str, arguments: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield options with these arguments, such as `-M model=tiny`."""
    for name, value in arguments.items():
        yield from (option, f"{prefix}{name}={_format_value(value)}")


def _format_value(value: Any) -> str:
    """Return a value so that the command line reads it back: text as it is unless it would be parsed as JSON."""
    if isinstance(value, str) and parse_arguments([f"value={value}"]) == {"value": value}:
        return value
    return dumps(value).decode().strip()
