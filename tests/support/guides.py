"""The guides of the five frameworks, split into numbered statements: sentences, list items, table rows, code blocks.

The guides are not part of this project; they are read at run time. To print the statements of one:

    python -m tests.support.guides aisbench
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support import paths

GUIDES = {
    "cmi-rewardbench": "000_627bdf65858390de.txt",
    "aisbench": "001_711691660f0727b0.txt",
    "ser-suites": "002_dbac08a787934109.txt",
    "kimi-audio-evalkit": "003_27f56019b96e9780.txt",
    "lmms-eval": "004_b6ebf168a7dcaf8b.txt",
}
"""File of each guide, by the page about the framework in docs/coming-from."""
BLOCK_START = re.compile(r"[-*] |\d+\. |\||#|---")
SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<=[.!?])\s+(?=[A-Z`\"*(])")
MARKER = re.compile(r"([-*]|\d+\.) +")
SEPARATOR = re.compile(r"[\s|:-]+")


@dataclass(frozen=True)
class Statement:
    """One statement of a guide."""

    number: int
    section: str
    text: str
    language: str | None = None
    """Language of a code block, which may be empty; None for prose."""


def guide_path(framework: str) -> Path:
    return paths.SHARED / "seeds" / GUIDES[framework]


def read_statements(framework: str) -> list[Statement]:
    """List the statements of a guide in their order."""
    text = guide_path(framework).read_text(encoding="utf-8")
    parts = [part for part in _split(text) if part[1].strip()]
    return [Statement(number, *part) for number, part in enumerate(parts, 1)]


def read_code_blocks(framework: str, language: str) -> list[str]:
    """List the code blocks of a guide that are marked with a language."""
    return [statement.text for statement in read_statements(framework) if statement.language == language]


def _split(text: str) -> Iterator[tuple[str, str, str | None]]:
    section = ""
    for language, chunk in _fenced(text.splitlines()):
        if language is not None:
            yield section, chunk, language
            continue
        for block in _blocks(chunk):
            if block.startswith("#"):
                section = block.lstrip("# ")
            elif block.startswith("|"):
                yield section, block, None
            else:
                yield from ((section, sentence, None) for sentence in SENTENCE_END.split(_without_marker(block)))


def _fenced(lines: list[str]) -> Iterator[tuple[str | None, str]]:
    """Separate prose, marked with None, from fenced code, marked with its language."""
    language: str | None = None
    chunk: list[str] = []
    for line in lines:
        if line.lstrip().startswith("```"):
            yield language, "\n".join(chunk)
            language, chunk = (line.strip().strip("`") if language is None else None), []
        else:
            chunk.append(line)
    yield language, "\n".join(chunk)


def _blocks(prose: str) -> Iterator[str]:
    """Join the lines of paragraphs and list items; headings and table rows stand alone. Table headers are left out."""
    lines = [line.strip() for line in prose.splitlines()]
    block: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line or BLOCK_START.match(line) or (block and block[0].startswith("#")):
            if block:
                yield " ".join(block)
            block = []
        is_header = line.startswith("|") and following.startswith("|") and SEPARATOR.fullmatch(following)
        if line and not is_header and not SEPARATOR.fullmatch(line):
            block.append(line)
    if block:
        yield " ".join(block)


def _without_marker(block: str) -> str:
    marker = MARKER.match(block)
    return block[marker.end() :] if marker else block


if __name__ == "__main__":
    for statement in read_statements(sys.argv[1]):
        sys.stdout.write(f"{statement.number:4d} [{statement.section}] {statement.language or ''} {statement.text}\n")
