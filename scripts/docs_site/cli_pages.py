"""Write the reference of the command line: a page per command, with its options grouped as `--help` groups them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import click

from auricle.cli import cli, list_commands
from auricle.cli.options import UNGROUPED, GroupedCommand

FOLDER = "reference/cli"
CODE_SPAN = re.compile(r"(`[^`]+`)")
MARKUP = re.compile(r"([\\*_\[\]{}#|~])")
DEFAULT = re.compile(r"\s*\[(?P<facts>(?:default: |required|env var: |x[<>]|\d+[<x]|-?[\d.]+<).*?)\]", re.DOTALL)
OPTION_NAME = re.compile(r"--?[\w-]+")


def write_pages() -> dict[str, str]:
    """Return the pages of the reference by their place in the site."""
    pages = {f"{FOLDER}/index.md": _write_index()}
    for name in all_names():
        pages[f"{FOLDER}/{name}.md"] = _write_page(name)
    return pages


def all_names() -> list[str]:
    """List the commands in the order of `auricle --help`."""
    return [name for group in list_commands().values() for name in group]


def _write_index() -> str:
    context = _root_context()
    parts = ["# Command line", escape(_paragraphs(cli.help)[0]), "```sh", "auricle COMMAND --help", "```"]
    for title, summaries in list_commands().items():
        rows = [f"| [`{name}`]({name}.md) | {escape(summary)} |" for name, summary in summaries.items()]
        parts += [f"## {title}", "\n".join(["| command | purpose |", "|---|---|", *rows])]
    parts += ["## Options of every command", *_describe_options(cli, context)]
    parts += ["Exit codes are listed under [errors](../../errors.md)."]
    return _join(parts)


def _write_page(name: str) -> str:
    context = _root_context()
    command = cli.get_command(context, name)
    assert command is not None
    return _join([f"# auricle {name}", *_describe(command, f"auricle {name}", context, level=2)])


def _describe(command: click.Command, name: str, parent: click.Context, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent, **command.context_settings)
    yield from map(escape, _paragraphs(command.help))
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{name} {usage}\n```"
    if isinstance(command, click.Group):
        for subcommand in command.list_commands(context):
            member = command.get_command(context, subcommand)
            assert member is not None
            yield f"{'#' * level} {name} {subcommand}"
            yield from _describe(member, f"{name} {subcommand}", context, level + 1)
    else:
        for title, options in _group_options(command, context).items():
            yield f"{'#' * level} {title}"
            yield from options


def _describe_options(command: click.Command, context: click.Context) -> list[str]:
    return [item for options in _group_options(command, context).values() for item in options]


def _group_options(command: click.Command, context: click.Context) -> dict[str, list[str]]:
    """Return the options as items of a definition list, by the titles of their groups."""
    groups: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record:
            ungrouped = UNGROUPED if isinstance(command, GroupedCommand) else "Options"
            groups.setdefault(getattr(parameter, "help_group", ungrouped), []).append(_describe_option(*record))
    return groups


def _describe_option(names: str, text: str) -> str:
    """Return an option as an item of a definition list, with an anchor of its own and its default at the end."""
    anchor = OPTION_NAME.findall(names.partition(" / ")[0])[-1].lstrip("-")
    facts = "; ".join(" ".join(match["facts"].split()) for match in DEFAULT.finditer(text))
    sentence = escape(" ".join(DEFAULT.sub("", text).split()))
    item = f"`{_spread_choices(names)}`{{ #{anchor} }}\n:   {sentence}"
    return f"{item} *({escape(facts)})*" if facts else item


def _spread_choices(names: str) -> str:
    """Let a list of choices wrap."""
    return names.replace("|", " | ") if "[" in names else names


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in (text or "").split("\n\n")]


def escape(text: str) -> str:
    """Return a help text as Markdown: code stays code, and nothing else is markup."""
    parts = CODE_SPAN.split(text)
    return "".join(part if part.startswith("`") else _escape_prose(part) for part in parts)


def _escape_prose(text: str) -> str:
    return MARKUP.sub(r"\\\1", html.escape(text, quote=False))


def _root_context() -> click.Context:
    return click.Context(cli, info_name="auricle", **cli.context_settings)


def _join(parts: list[str]) -> str:
    return "\n\n".join(parts).replace("```sh\n\n", "```sh\n").replace("\n\n```\n\n", "\n```\n\n") + "\n"
