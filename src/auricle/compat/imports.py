"""`auricle import`: other frameworks' configs as task files."""

from __future__ import annotations

import re
from pathlib import Path

import click

from auricle.errors import SpecError


def import_tasks(source: Path, framework: str, out: Path | None, only: str | None) -> None:
    """Write a task file for each dataset of a config: into a folder, a file, or onto the screen."""
    assert framework == "aisbench"  # the only one so far
    from auricle.compat.aisbench.importing import chosen, tasks_of, written

    single = out is not None and out.suffix in (".yaml", ".yml")
    base = Path() if out is None else (out.parent if single else out)
    drafts = chosen(tasks_of(source, base), only, source)
    if len(drafts) > 1 and (out is None or single):
        names = ", ".join(each.task["name"] for each in drafts)
        raise SpecError(
            f"{source} has {len(drafts)} datasets: {names}. Give a folder, -o DIR, or --only NAME."
        )
    for draft in drafts:
        for note in draft.notes:
            click.echo(f"Note: {note}", err=True)
        if out is None:
            click.echo(written(draft), nl=False)
        else:
            _write(out if single else out / f"{_slug(draft.task['name'])}.yaml", written(draft))


def _write(path: Path, content: str) -> None:
    if path.exists():
        raise SpecError(f"{path} exists already; move it away, or give another name with -o.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    click.echo(f"{path} is written. Look at it: auricle preview {path}", err=True)


def _slug(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "task"
