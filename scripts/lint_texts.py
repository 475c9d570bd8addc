"""Check what linters of code do not: words, help texts, and what pages refer to. Prints one finding per line.

    python scripts/lint_texts.py

Exits with 1 if there is a finding.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
GUIDES = ("CONTRIBUTING.md", "docs/design", "docs/publish-a-package.md", "docs/add-a-*.md")
"""Pages for contributors, whose paths must exist."""
EXAMPLE_PATHS = re.compile(r"`[^`]*(?:\ba/b|\ba/test_b|tests/a\b|hesitations|\bb/commands)[^`]*`")
"""Paths that a contributor would write."""
VAGUE_MODULES = {"utils", "util", "helpers", "common", "misc"}
WORDS = {r"whom|whoever|lent|put that right": "use a plain word", r"(?:no|some|every)body(?:'s)?": "name who it is"}
"""What sounds like a riddle or a translation on pages, and what to do about it."""


def find_all() -> list[str]:
    """Return all findings."""
    checks = (check_help, check_links, check_named_paths, check_make_targets, check_modules, check_words)
    return [finding for check in checks for finding in check()]


def list_pages(*names: str) -> list[Path]:
    """List Markdown files, those in folders included."""
    paths = [path for name in names for path in sorted(ROOT.glob(name))]
    return [page for path in paths for page in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]


def list_commands(group: click.Command, path: str = "auricle") -> Iterator[tuple[str, click.Command]]:
    """Yield every command and subcommand with its full name."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            if command := group.get_command(context, name):
                yield from list_commands(command, f"{path} {name}")


def check_help() -> Iterator[str]:
    """Check that summaries equal the first line of each help, and that options are sentences with their default."""
    from auricle.cli import cli
    from auricle.cli import list_commands as list_summaries

    summaries = {f"auricle {name}": text for group in list_summaries().values() for name, text in group.items()}
    context = click.Context(cli, show_default=True)
    for path, command in list_commands(cli):
        first_line = (command.help or "").partition("\n")[0]
        if summaries.get(path, first_line) != first_line:
            yield f"{path}: `auricle --help` lists it as {summaries[path]!r}, and its help begins with {first_line!r}"
        for option in command.params:
            if not isinstance(option, click.Option):
                continue
            sentence = (option.help or "").partition(" [default: ")[0]
            alone = not sentence.startswith(("Of ", "With ", "Only ", "Where "))
            if not (len(sentence.split()) >= 2 and sentence[0].isupper() and sentence.endswith(".") and alone):
                yield f"{path} {option.opts[-1]}: the help is not a sentence that stands alone: {sentence!r}"
            record = option.get_help_record(context)
            shown = record[1] if record else ""
            needs_none = option.multiple or (option.is_flag and not option.secondary_opts)
            if not (needs_none or "[default: " in shown or "equire" in shown):
                yield f"{path} {option.opts[-1]}: the help states no default"


def check_links() -> Iterator[str]:
    """Check that links between pages lead somewhere."""
    for page in list_pages(*PAGES):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: the link to {target} leads nowhere"


def check_named_paths() -> Iterator[str]:
    """Check that files and folders that guides name exist."""
    for page in list_pages(*GUIDES):
        text = EXAMPLE_PATHS.sub("", page.read_text(encoding="utf-8"))
        for name in dict.fromkeys(re.findall(r"(?<![\w/.-])(?:src|tests|docs|examples|scripts)/[\w./-]+\w/?", text)):
            if not (ROOT / name).exists():
                yield f"{page.relative_to(ROOT)}: {name} does not exist"


def check_make_targets() -> Iterator[str]:
    """Check that targets of make that the guide names exist."""
    targets = re.findall(r"^([\w-]+)[\w -]*:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for name in re.findall(r"`make ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        if name not in targets:
            yield f"CONTRIBUTING.md: there is no `make {name}`"


def check_modules() -> Iterator[str]:
    """Check that no module has a name that fits any content, and that tests name the extra that they need."""
    for path in (ROOT / "src").rglob("*.py"):
        if path.stem in VAGUE_MODULES:
            yield f"{path.relative_to(ROOT)}: name the module after what is in it"
    for path in (ROOT / "tests").rglob("*.py"):
        if "importorskip(" in path.read_text(encoding="utf-8"):
            yield f"{path.relative_to(ROOT)}: call require_extra, which names the extra, instead of importorskip"


def check_words() -> Iterator[str]:
    """Check the words of pages."""
    for page in list_pages(*PAGES):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for words, advice in WORDS.items():
                for match in re.finditer(rf"\b(?:{words})\b", line, re.IGNORECASE):
                    yield f"{page.relative_to(ROOT)}:{number}: {match.group()}: {advice}"


if __name__ == "__main__":
    findings = find_all()
    print("\n".join(findings) or "No findings.")
    sys.exit(bool(findings))
