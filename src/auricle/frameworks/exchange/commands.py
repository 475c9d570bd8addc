"""`auricle import` and `auricle export`: configs and results of other frameworks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json, print_result
from auricle.core.errors import SpecError
from auricle.frameworks.exchange import IMPORTABLE_KINDS

if TYPE_CHECKING:
    from auricle.frameworks.exchange.task_drafts import TaskDraft


YAML_SUFFIXES = (".yaml", ".yml")


@click.command(name="import", cls=opt.GroupedCommand)
@click.argument("path", type=opt.any_path)
@opt.option_group(
    "Source",
    opt.registered_name(
        "--from framework",
        "Source framework.",
        "auricle.frameworks.exchange.result_files:IMPORTERS",
        "auricle.frameworks.exchange.task_drafts:CONFIG_IMPORTERS",
        required=True,
    ),
    opt.text("--only NAME", "Import only the dataset or model of this name. [default: all]"),
)
@opt.option_group(
    "Results only",
    opt.choice(
        "--as kind", "Kind of task that the results belong to. [default: read from the files]", IMPORTABLE_KINDS
    ),
    opt.path(
        "--reference PATH",
        "Reference of files without one: RTTM, STM, CTM, SegLST, or a list of trials. [default: read from the files]",
    ),
    opt.text("--model NAME", "Name of the model that gave the answers. [default: read from the files]"),
    opt.profile_option,
    opt.task_args_option,
)
@opt.option_group(
    "Output",
    opt.path(
        "-o --out PATH",
        "Task file or run directory, or a folder for several. "
        "[default: print task files; write runs to runs/DATASET-MODEL]",
    ),
    *opt.output_options,
)
def import_(path: Path, framework: str, out: Path | None, only: str | None, **options: Any) -> None:
    """Import another framework's configs as task files, or its results as runs.

    PATH is a config file, a result file, or a folder with result files. Imported Python code is never executed.
    """
    from auricle.frameworks.exchange.result_files import IMPORTERS

    if path.suffix in YAML_SUFFIXES or framework not in IMPORTERS:
        import_tasks(path, framework, out, only, as_json=options["as_json"])
    else:
        import_runs(path, framework, out, only, options)


def import_runs(path: Path, framework: str, out: Path | None, only: str | None, options: dict[str, Any]) -> None:
    """Write a run for each result file and print its metrics."""
    from auricle.cli.show import load_metrics, print_metrics
    from auricle.engine.spec import parse_arguments
    from auricle.frameworks.exchange.result_import import ImportOptions, import_results

    import_options = ImportOptions(
        kind=options["kind"] or "",
        model=options["model"] or "",
        profile=options["profile"],
        only=only or "",
        reference=options["reference"],
        options=parse_arguments(options["task_args"]),
    )
    folders = []
    for folder, summary in import_results(path, framework, out, import_options, fresh=options["fresh"]):
        echo(summary, err=True)
        folders.append(folder)
    print_metrics([(folder, load_metrics(folder)) for folder in folders], options["as_json"])


def import_tasks(source: Path, framework: str, out: Path | None, only: str | None, *, as_json: bool = False) -> None:
    """Write a task file for each dataset of a config, or print it if no output is given."""
    from auricle.frameworks.exchange.task_drafts import draft_tasks, render_rows, render_task_file

    is_file = out is not None and out.suffix in YAML_SUFFIXES
    drafts = draft_tasks(source, framework, _task_folder(out), only)
    if len(drafts) > 1 and (out is None or is_file):
        names = ", ".join(draft.name for draft in drafts)
        raise SpecError(
            f"{source} contains {len(drafts)} configs: {names}. Choose a folder with -o DIR, or one with --only NAME."
        )
    for draft in drafts:
        if draft.rows and out is not None:
            _write_new_file(draft.output_folder / draft.task["data"], render_rows(draft))
        _write_task_file(draft, render_task_file(draft), out, is_printed=not as_json)
    if as_json:
        print_json([_draft_to_dict(draft, out) for draft in drafts])


def _draft_to_dict(draft: TaskDraft, out: Path | None) -> dict[str, Any]:
    path = str(_task_path(draft, out)) if out else None
    return {"name": draft.name, "path": path, "task": draft.task, "notes": draft.notes}


def _task_folder(out: Path | None) -> Path:
    """Return the folder that paths in a task file are relative to."""
    if out is None:
        return Path()
    return out.parent if out.suffix in YAML_SUFFIXES else out


def _task_path(draft: TaskDraft, out: Path) -> Path:
    return out if out.suffix in YAML_SUFFIXES else out / f"{_slug(draft.name)}.yaml"


def _write_task_file(draft: TaskDraft, content: str, out: Path | None, *, is_printed: bool) -> None:
    """Print the notes on a task file, and write or print the file."""
    for note in draft.notes:
        echo(f"Note: {note}", err=True)
    if out is None:
        if is_printed:
            echo(content, nl=False)
        return
    path = _task_path(draft, out)
    _write_new_file(path, content)
    echo(f"Wrote {path}. {draft.describe_use(path)}", err=True)


def _write_new_file(path: Path, content: str) -> None:
    if path.exists():
        raise SpecError(f"File already exists: {path}. Remove it, or choose another name with -o.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def _slug(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "task"


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.registered_name(
    "--as export_format", "Target framework.", "auricle.frameworks.exchange.result_files:EXPORTERS", required=True
)
@opt.path("-o --out DIR", "Output folder. [default: RUN/FRAMEWORK]")
@opt.json_option
def export(run: Path, export_format: str, out: Path | None, as_json: bool) -> None:
    """Export a run in the result format of another framework.

    The framework's own scorer and notebooks can read the files.
    """
    from auricle.frameworks.exchange.result_export import export_run

    notes: list[str] = []
    files = [str(path) for path in export_run(run, export_format, out, notes.append)]
    for note in notes:
        echo(f"Note: {note}", err=True)
    print_result(as_json, {"run": str(run), "format": export_format, "files": files, "notes": notes}, files)
