"""The words of `docs/design/glossary.md`: banned ones appear in no identifier, message, help text or page.

`python -m tests.unit.test_vocabulary PATH...` lists what is wrong in some files or folders.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import paths

pytestmark = pytest.mark.slow

BANNED_PARTS = frozenset(
    (
        *("told", "tell", "tells", "said", "says", "held", "whom", "lies", "lent", "ported"),
        *("nobody", "somebody", "whoever", "everybody"),
    )
)
"""Parts of identifiers, between underscores."""
BANNED_NAMES = frozenset(("found",))
"""Whole names of variables, parameters and attributes."""
BANNED_PROSE = re.compile(
    r"\b(told|tells?|said|says|whom|nobody(?:'s)?|somebody(?:'s)?|whoever|everybody(?:'s)?|lies|lent|ported)\b"
    r"|\bheld\b(?!-out)|is no run\b|\bno kind\b|\bso often\b|put that right",
    re.IGNORECASE,
)

EXEMPT = {
    "tests/test_vocabulary.py": "lists the words",
    "docs/design/glossary.md": "lists the words",
    "CHANGELOG.md": "describes the past",
    "scripts/golden.py": "contains transcripts, and classes written for other frameworks",
    "tests/oracle/test_reply_corpus.py": "phrases that models write",
    "src/auricle/tasks/questions/refusal.py": "phrases that models write",
    "src/auricle/text/framework_normalisers.py": "a published table of words",
}
"""Files whose strings are data in other people's words."""
EXEMPT_FOLDERS = ("src/auricle/text/reading/languages/", "tests/text/reading/")
"""Phrases that models write."""
EXEMPT_PHRASES = ("cannot tell them apart",)
"""Parts of prompts, which decide numbers and must not change."""
FOLDERS = ("src", "tests", "bench", "scripts", "examples", "docs")


def checked_files() -> list[Path]:
    """List the files that must follow the glossary."""
    files = [paths.ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    for folder in FOLDERS:
        for suffix in ("*.py", "*.md"):
            files += (paths.ROOT / folder).rglob(suffix)
    return sorted(path for path in files if not is_exempt(path))


def is_exempt(path: Path) -> bool:
    """Tell whether a file holds other people's words, such as classes written for another framework."""
    name = path.resolve().relative_to(paths.ROOT).as_posix()
    others = name.startswith(("tests/golden/", *EXEMPT_FOLDERS))
    return name in EXEMPT or name.endswith("_classes.py") or others


def find_banned(path: Path) -> Iterator[str]:
    """Yield `file:line: word` for every banned word of a file."""
    text = path.read_text(encoding="utf-8")
    for phrase in EXEMPT_PHRASES:
        text = text.replace(phrase, "")
    name = path.resolve().relative_to(paths.ROOT)
    findings = _in_python(text) if path.suffix == ".py" else _in_prose(text)
    for line, word in sorted(set(findings)):
        yield f"{name}:{line}: {word}"


def _in_prose(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, match.group()) for match in BANNED_PROSE.finditer(line))


def _in_python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for identifier in _identifiers(node):
            banned = BANNED_PARTS & set(identifier.lower().split("_"))
            if banned or identifier in BANNED_NAMES:
                yield getattr(node, "lineno", 0), identifier
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            for match in BANNED_PROSE.finditer(token.string):
                yield token.start[0] + token.string[: match.start()].count("\n"), match.group()


def _identifiers(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node introduces; names that other libraries introduce are theirs."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


@pytest.mark.parametrize("path", checked_files(), ids=lambda path: path.relative_to(paths.ROOT).as_posix())
def test_a_file_uses_the_words_of_the_glossary(path: Path) -> None:
    assert list(find_banned(path)) == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def told(): ...", ["told"]),
        ("whom_it_says = 1", ["whom_it_says"]),
        ("for found in (): ...", ["found"]),
        ("def f(held): ...", ["held"]),
        ("'The model said nothing.'", ["said"]),
        ("x = 1  # nobody listens", ["nobody"]),
        ("f'{1} tells'", ["tells"]),
        ("'a held-out set'", []),
        ("holder = teller = 1", []),
    ],
)
def test_banned_words_are_noticed(source: str, words: list[str]) -> None:
    assert [word for _, word in _in_python(source)] == words


if __name__ == "__main__":
    chosen = [Path(name) for name in sys.argv[1:]] or [paths.ROOT]
    wanted = [path for path in checked_files() if any(path.is_relative_to(root.resolve()) for root in chosen)]
    findings = [finding for path in wanted for finding in find_banned(path)]
    sys.stdout.write("\n".join([*findings, f"{len(findings)} banned words in {len(wanted)} files"]) + "\n")
