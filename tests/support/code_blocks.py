"""Read the code blocks of README.md and docs/, and check commands, also those that no test can run.

A command is parsed with the options of the real one, as `auricle` does before it starts, but files need not exist. The
names of models, tasks, metrics and profiles in it, and the names in `-M` and `-T`, must exist.
"""

from __future__ import annotations

import itertools
import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from scripts.docs_site.pages import FENCE

from auricle.cli import cli
from auricle.core.arguments import describe_arguments
from auricle.core.registry import Registry
from auricle.engine.catalogue import TASK_KINDS, TASKS
from auricle.metrics.catalogue import METRICS
from auricle.models.catalogue import MODELS
from auricle.text.profiles import PROFILES
from tests.support import paths
from tests.support.extras import read_project

NO_RUN = re.compile(r'no_run="([^"]+)"')
TITLE = re.compile(r'title="([^"]+)"')
EXIT_CODE = re.compile(r"exit=(\d+)")
FILE_NAME = re.compile(r"# ([\w-]+\.\w+)\b")
SHELL_OPERATOR = re.compile(r"[|&;<>()]+")
EXTRAS = re.compile(r"(?:auricle|\.)\[([\w,-]+)\]")
ANY = "…"
"""Stands for options that a page leaves out."""
PLACEHOLDER = re.compile(rf"[A-Z]+|.*{ANY}.*|.*\$.*")
NAMES: dict[str, Registry[Any]] = {
    "-m": MODELS,
    "--as": TASK_KINDS,
    "--metrics": METRICS,
    "--add-metrics": METRICS,
    "--profile": PROFILES,
    "--judge": MODELS,
    "--recogniser": MODELS,
}
"""Options whose value is a name, where the command has them for this."""
OTHER_MEANING = {"export": ("--as",), "listen-test": ("--as",)}
"""Commands whose options of the same name mean something else."""
FILTERS = {"jq"}
"""Programs that read what a command prints; they are not run, and have nothing to check."""
FORWARDING = {"vllm"}
"""Models that pass further arguments on to the library they use."""
EXECUTED = {
    "CONTRIBUTING.md": "contract/test_first_hour_contributor.py",
    "docs/tutorials/": "contract/test_tutorials.py",
    "docs/coming-from/aisbench.md": "frameworks/aisbench/test_docs.py",
    "docs/coming-from/aisbench-reference.md": "frameworks/aisbench/test_docs.py",
    "docs/coming-from/kimi-audio-evalkit.md": "frameworks/kimi/test_docs.py",
    "docs/coming-from/lmms-eval.md": "frameworks/lmms/test_docs.py",
    "docs/coming-from/": "frameworks/test_docs.py",
    "docs/importing-results.md": "frameworks/test_docs.py",
    "docs/testing.md": "testing/conformance/test_checks.py",
}
"""Pages, or their folders, whose blocks are executed by a test of their own."""
EVALUATIONS = ("run", "ask", "preview", "perf", "audiogram", "listen", "doctor")


@dataclass(frozen=True)
class CodeBlock:
    """A code block of a page."""

    page: str
    line: int
    info: str
    body: str

    @property
    def language(self) -> str:
        return self.info.split()[0] if self.info else ""

    @property
    def no_run(self) -> str:
        """Return the reason why the block is not executed, or an empty text."""
        match = NO_RUN.search(self.info)
        return match[1] if match else ""

    @property
    def exit_code(self) -> int:
        """Return the exit code of the last command."""
        match = EXIT_CODE.search(self.info)
        return int(match[1]) if match else 0

    @property
    def file_name(self) -> str:
        """Return the file that the block shows, named by `title` or by a comment at its beginning, or an empty text."""
        match = TITLE.search(self.info) or FILE_NAME.match(self.body)
        return match[1] if match else ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def list_pages() -> list[Path]:
    return [paths.ROOT / "README.md", paths.ROOT / "CONTRIBUTING.md", *sorted(paths.DOCS.rglob("*.md"))]


def is_executed_elsewhere(block: CodeBlock) -> bool:
    return any(block.page.startswith(page) for page in EXECUTED)


def is_run(block: CodeBlock) -> bool:
    """Return whether tests/contract/test_page_commands.py runs the commands of a block."""
    return block.language in ("sh", "console") and not block.no_run and not is_executed_elsewhere(block)


def read_page(path: Path) -> list[CodeBlock]:
    """Return the code blocks of a page; those in lists are indented."""
    blocks: list[CodeBlock] = []
    start: tuple[int, str, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if start is None:
            start, lines = (number, fence["marks"], fence["info"].strip()) if fence else None, []
        elif fence and (fence["marks"], fence["info"]) == (start[1], ""):
            body = textwrap.dedent("\n".join([*lines, ""]))
            blocks.append(CodeBlock(path.relative_to(paths.ROOT).as_posix(), start[0], start[2], body))
            start = None
        else:
            lines.append(line)
    assert start is None, f"{path}:{start and start[0]}: the code block has no end"
    return blocks


def read_commands(block: CodeBlock) -> Iterator[list[str]]:
    """Yield the words of each command of a block; in a block of `console`, commands follow `$`."""
    text = block.body.replace("\\\n", " ")
    for line in text.splitlines():
        if block.language == "console":
            if not line.startswith("$ "):
                continue
            line = line[2:]
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        yield from _split_commands(list(lexer))


def _split_commands(words: list[str]) -> Iterator[list[str]]:
    """Split a line at the operators of the shell; a file that output is written to belongs to no command."""
    command: list[str] = []
    for word in [*words, ";"]:
        if SHELL_OPERATOR.fullmatch(word):
            if command and not command[0].startswith(">"):
                yield command
            command = [word] if word.startswith(">") else []
        else:
            command.append(word)


def find_problem(words: list[str]) -> str:
    """Return what is wrong with a command, or an empty text."""
    program, *arguments = words
    match program:
        case "auricle":
            return _check_auricle(arguments)
        case "pip":
            named = {extra for word in arguments for match in EXTRAS.findall(word) for extra in match.split(",")}
            missing = named - read_project()["optional-dependencies"].keys()
            return f"unknown extras {sorted(missing)}" if missing else ""
        case _ if program in FILTERS:
            return ""
    return f'no test runs {program!r}; add no_run="the reason" to the block'


def _check_auricle(words: list[str]) -> str:
    given = [word for word in words if word != ANY]
    try:
        with cli.make_context("auricle", [*given], resilient_parsing=False) as context:
            _parse(cli, context)
    except click.MissingParameter as error:
        return "" if ANY in words else error.format_message()
    except click.UsageError as error:
        return error.format_message()
    except click.exceptions.Exit:  # --help and --version
        return ""
    return _find_unknown_name(given)


def _parse(group: click.Group, context: click.Context) -> None:
    name, command, rest = group.resolve_command(context, [*context._protected_args, *context.args])
    assert command is not None
    with command.make_context(name, rest, parent=context) as inner:
        if isinstance(command, click.Group) and (inner._protected_args or inner.args):
            _parse(command, inner)


def _find_unknown_name(words: list[str]) -> str:
    options = [(option, value) for option, value in itertools.pairwise(words) if option.startswith("-")]
    for option, value in options:
        registry = None if option in OTHER_MEANING.get(words[0], ()) else NAMES.get(option)
        for name in value.split(","):
            if registry is not None and _is_name(name) and name.partition("+")[0] not in registry:
                return f"{option} {name} does not exist"
    if words[0] not in EVALUATIONS:
        return ""
    models = [value for option, value in options if option == "-m"]
    kinds = [value for option, value in options if option == "--as"]
    tasks = [word for word in words[1:2] if word in TASKS]
    problem = _find_unknown_argument(MODELS, models[:1] if len(models) == 1 else [], options, "-M")
    return problem or _find_unknown_argument(TASK_KINDS if kinds else TASKS, kinds or tasks, options, "-T")


def _is_name(value: str) -> bool:
    """Return whether a value is a registered name, and not a file, a placeholder or a name of another framework."""
    return not PLACEHOLDER.fullmatch(value) and ":" not in value and not Path(value).suffix


def _find_unknown_argument(
    registry: Registry[Any], names: list[str], options: list[tuple[str, str]], option: str
) -> str:
    if not names or not _is_name(names[0]) or names[0] in FORWARDING:
        return ""
    accepted = {argument.name for argument in describe_arguments(registry.get(names[0]))}
    given = {value.partition("=")[0] for name, value in options if name == option}
    unknown = sorted(given - accepted)
    return f"{names[0]} has no argument {', '.join(unknown)}" if unknown else ""
