"""The command line. Each command is in the module named after it and is imported when it is used."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import click

from auricle.cli.output import echo, write_utf8
from auricle.core.errors import ExitStatus
from auricle.core.features import find_parts
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.terminal import SCREEN, Screen
from auricle.engine.interrupts import InterruptHandler

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from auricle.core.registry import Registry

TRACEBACK_OPTION, WIDE_OPTION = "--traceback", "--wide"
"""Options that may follow any command."""
DEBUG_VARIABLE = "AURICLE_DEBUG"
COMPLETE_VARIABLE = "_AURICLE_COMPLETE"
"""Set by the scripts of `auricle completion` to the name of the shell."""
COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Evaluate": {
        "run": "Evaluate one or more models on one or more tasks, or resume an interrupted run.",
        "merge": "Compute the numbers of a sharded run from the shards that are completed.",
        "score": "Recompute the metrics of runs from their journals.",
        "ask": "Send one request to a model and print its unmodified output.",
        "preview": "Print the requests a task would send, without sending them.",
        "estimate": "Estimate how long a run of TASK takes and what it costs.",
    },
    "Inspect": {
        "runs": "List the runs in FOLDER with their status and first metric: running ones first, then the newest.",
        "status": "Show what has been done in RUN, and what is left.",
        "show": "Print the metrics of runs.",
        "open": "Open the report of RUN in the browser.",
        "verify": "Check that the files of runs are intact.",
        "samples": "List the samples of a run with reference, output and scores.",
        "compare": "Compare run B with baseline run A, or two groups of samples.",
        "gate": "Decide whether run CANDIDATE may replace run BASELINE.",
        "list": "List the names that options and task files accept.",
    },
    "Data and environments": {
        "doctor": "Check a task's data, a model and what they need installed; without them, the whole installation.",
        "new": "Write a package that adds a benchmark, a model or a metric.",
        "completion": "Print the script with which a shell completes commands, options and names.",
        "cache": "Show or clear the response cache.",
        "env": "Manage virtual environments for models with conflicting packages.",
    },
    "Serve": {},
}
"""The commands of the engine by group, with the first line of their help, so that `auricle --help` imports none."""

MODULES = {"list": "list_", "open": "open_"}
"""Modules, and the commands in them, whose name differs from the command's."""


OTHER_PACKAGES = "Other packages"
"""The group of commands for which a package states none."""


def list_commands() -> dict[str, dict[str, str]]:
    """Return the commands of the engine and of features by group, with the first line of their help."""
    groups = {title: dict(summaries) for title, summaries in COMMANDS.items()}
    for name, part in find_parts("commands").items():
        groups.setdefault(part.extra, {})[name] = part.summary
    ours = {name for group in groups.values() for name in group}
    registry = load_command_registry()
    for name in registry.package_names():
        if name not in ours:
            stated = registry.find_part(name)
            title, summary = (stated.extra, stated.summary) if stated else ("", f"from {registry.package(name)}")
            groups.setdefault(title or OTHER_PACKAGES, {})[name] = summary
    return groups


def load_command_registry() -> Registry[click.Command]:
    """Return the commands of features with those of other packages, which take a while to find."""
    from auricle.core.registry import Registry

    return Registry("command", {}, expects=(click.Command, "a click command"))


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for group in list_commands().values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if any(cmd_name in group for group in COMMANDS.values()):
            name = MODULES.get(cmd_name, cmd_name)
            command = getattr(import_module(f"auricle.cli.{name}"), name)
        elif part := find_parts("commands").get(cmd_name):
            command = part.load()
        else:
            packages = load_command_registry()
            command = packages.get(cmd_name) if cmd_name in packages.package_names() else None
        assert command is None or isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            if near := get_close_matches(args[0], self.list_commands(ctx), n=1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        summaries = {name: summary for group in list_commands().values() for name, summary in group.items()}
        names = [CompletionItem(name, help=text) for name, text in summaries.items() if name.startswith(incomplete)]
        return names or click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # click would exit without a message, even if it was another process's pipe
            sys.exit(_report(error))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups = list_commands()
        width = max(len(name) for group in groups.values() for name in group)
        for title, summaries in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in summaries.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(package_name="auricle", message="%(prog)s %(version)s")
@click.option(
    TRACEBACK_OPTION,
    is_flag=True,
    expose_value=False,
    help="Print the traceback of an error. May follow any command. Same as AURICLE_DEBUG=1.",
)
@click.option(
    WIDE_OPTION,
    is_flag=True,
    expose_value=False,
    help="Print all columns of tables, however wide. May follow any command. [default: what fits the terminal]",
)
def cli() -> None:
    """Evaluate speech and audio models.

    Try `auricle demo` first: it evaluates two small speech recognisers without a network.
    """


def main() -> None:
    """Run the command line; every error is printed in one line."""
    if COMPLETE_VARIABLE in os.environ:
        from auricle.cli.completion import print_candidates

        print_candidates()
        return
    atexit.register(gc.freeze)  # otherwise Python searches everything that is loaded for cycles, which takes 0.1 s
    words = [word for word in sys.argv[1:] if word not in (TRACEBACK_OPTION, WIDE_OPTION)]
    if TRACEBACK_OPTION in sys.argv:
        os.environ[DEBUG_VARIABLE] = "1"
    screen = Screen(sys.maxsize) if WIDE_OPTION in sys.argv else Screen.find()
    SCREEN.set(screen)
    write_utf8()
    interrupts = InterruptHandler()
    interrupts.install()
    try:
        with infrequent_gc():
            cli(words, standalone_mode=False)
    except SystemExit as end:
        sys.exit(_exit_code(end, interrupts))
    except (click.Abort, KeyboardInterrupt):
        echo("auricle: Interrupted. Run the same command again to resume a run.", err=True)
        sys.exit(interrupts.exit_status)
    except BaseException as error:  # noqa: BLE001 - the last resort: no command ends with a traceback
        sys.exit(_report(error))
    finally:
        interrupts.uninstall()
        if screen and screen.left_out:
            echo(
                f"Left out of tables: {', '.join(screen.left_out)}. Add {WIDE_OPTION} to print all.", err=True, dim=True
            )


def _report(error: BaseException) -> int:
    from auricle.cli.error_report import report_error

    return report_error(error)


def _exit_code(end: SystemExit, interrupts: InterruptHandler) -> str | int | None:
    """Return the exit code of a command; what code of the user exits with is an error of that code."""
    frames = [frame for frame, _ in walk_tb(end.__traceback__)]
    module = frames[-1].f_globals.get("__name__", "")
    commands = {part.path.partition(":")[0] for part in find_parts("commands").values()}
    if not module.startswith("auricle.cli") and module not in commands:
        return _report(end)
    return interrupts.exit_status if end.code == ExitStatus.INTERRUPTED else end.code
