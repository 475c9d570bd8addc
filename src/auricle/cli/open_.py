"""`auricle open`: open the report of a run in the browser."""

from __future__ import annotations

import difflib
import os
import shlex
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.folder_kinds import find_folder_kind
from auricle.cli.output import echo, print_json
from auricle.core.errors import SpecError

REPORT_FILE, SITE_FILE = "report.html", "index.html"
PAGE_SUFFIXES = (".html", ".htm")


@click.command(name="open")
@opt.run_argument("run")
@opt.flag("--print print_path", "Print the path of the page, and open nothing.")
@opt.json_option
def open_(run: Path, print_path: bool, as_json: bool) -> None:
    """Open the report of RUN in the browser.

    RUN is the folder of a run, a suite, a load test or a website of `auricle leaderboard --site`, or an HTML file such
    as that of `auricle compare --html`. A report that is missing or older than its run is written first.
    """
    page = find_page(run).resolve()
    is_open = not print_path and open_page(page)
    if as_json:
        print_json({"path": str(page), "opened": is_open})
    elif print_path:
        echo(page)
    elif is_open:
        echo(f"Opened {page}")
    else:
        folder = page.parent if page.name == SITE_FILE else page
        source = f"{getuser()}@{socket.gethostname()}:{folder}"
        echo(f"No browser could be opened on this machine. The page is here:\n  {page}")
        echo(f"\nTo copy it, run this command on a machine that has one:\n  scp -r {shlex.quote(source)} .")


def find_page(path: Path) -> Path:
    """Return the page of a run, a website or another folder; it is written first if it is missing or out of date.

    Raises:
        SpecError: if there is no page, with the runs whose path is similar.
    """
    from auricle.runs.run_directory import contains_run
    from auricle.runs.suites import contains_suite

    if path.is_file() and path.suffix.lower() in PAGE_SUFFIXES:
        return path
    if kind := find_folder_kind(path):
        return kind.update_page(path)
    if contains_suite(path) or contains_run(path):
        return _update_report(path)
    if (path / SITE_FILE).is_file():
        return path / SITE_FILE
    raise SpecError(_describe_missing(path))


def _update_report(run: Path) -> Path:
    """Score a run whose numbers or report are missing or out of date."""
    from auricle import api
    from auricle.runs.metrics import read_scoring
    from auricle.runs.suites import contains_suite, read_suite_run

    api.load_metrics(run)
    page = run / REPORT_FILE
    if page.is_file():
        return page
    if contains_suite(run):
        from auricle.report.suite_files import combine_and_write

        folders = {part.name: run / part.folder for part in read_suite_run(run).parts}
        combine_and_write(run, {name: api.load_metrics(folder) for name, folder in folders.items() if folder.is_dir()})
    else:
        scoring = read_scoring(run)
        api.score(run, scoring.profiles, task_args=scoring.task_args)
    return page


def _describe_missing(path: Path) -> str:
    from auricle.runs.run_summary import find_run_folders

    problem = (
        f"There is no folder {path}."
        if not path.exists()
        else f"Not the folder of a run, a load test or a website: {path}."
    )
    inner = [str(run) for run in find_run_folders(path)]
    nearby = inner or difflib.get_close_matches(str(path), map(str, find_run_folders(Path("runs"))))
    advice = f"Did you mean {', '.join(nearby[:3])}?" if nearby else "`auricle runs FOLDER` lists the runs in a folder."
    return f"{problem} {advice}"


def open_page(page: Path) -> bool:
    """Open a page in the browser of the desktop, and return whether there is one.

    Browsers in the terminal are not used: reports need scripts and sound.
    """
    is_desktop = sys.platform in ("darwin", "win32") or bool(
        {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys()
    )
    if not is_desktop:
        return False
    with _print_on_stderr():
        return webbrowser.open(page.as_uri())


@contextmanager
def _print_on_stderr() -> Iterator[None]:
    """Let programs that are started print on standard error: standard output is for results."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(output, 1)
        os.close(output)
