"""`auricle import`: other frameworks' configs as task files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from auricle.core.errors import SpecError

YAML = (".yaml", ".yml")


def import_tasks(source: Path, framework: str, out: Path | None, only: str | None) -> None:
    """Write a task file for each dataset of a config: into a folder, a file, or onto the screen."""
    if framework == "lmms-eval":
        _import_lmms(source, out)
        return
    if framework != "aisbench":
        raise SpecError(f"{source} is no config that --from {framework} reads; results are.")
    from auricle.interop.aisbench.config_import import draft_tasks, render_task_file, select_drafts

    single = out is not None and out.suffix in YAML
    base = Path() if out is None else (out.parent if single else out)
    drafts = select_drafts(draft_tasks(source, base), only, source)
    if len(drafts) > 1 and (out is None or single):
        names = ", ".join(each.task["name"] for each in drafts)
        raise SpecError(f"{source} has {len(drafts)} datasets: {names}. Give a folder, -o DIR, or --only NAME.")
    for draft in drafts:
        _tell(draft.notes, str(draft.task["name"]), render_task_file(draft), out)


def _import_lmms(source: Path, out: Path | None) -> None:
    from auricle.interop.lmms.config_import import draft_tasks, render_task_file

    base = Path() if out is None else (out.parent if out.suffix in YAML else out)
    for draft in draft_tasks(source, base):
        _tell(draft.notes, str(draft.task["name"]), render_task_file(draft), out)


def _tell(notes: Sequence[str], name: str, content: str, out: Path | None) -> None:
    """A task file and what must be known of it: onto the screen, or where it is wanted."""
    for note in notes:
        click.echo(f"Note: {note}", err=True)
    if out is None:
        click.echo(content, nl=False)
    else:
        _write(out if out.suffix in YAML else out / f"{_slug(name)}.yaml", content)


def _write(path: Path, content: str) -> None:
    if path.exists():
        raise SpecError(f"{path} exists already; move it away, or give another name with -o.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    click.echo(f"{path} is written. Look at it: auricle preview {path}", err=True)


def _slug(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "task"
