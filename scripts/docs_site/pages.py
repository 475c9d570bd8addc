"""Copy pages of the repository to the source of the site, so that they read there as they do on GitHub.

Pages in docs/ link to files beside docs/ by relative paths. Those files become pages of the site as well, and the links
lead to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PLACES = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
"""Files beside docs/ that are pages of the site, and where."""
FILES = "files"
"""Folder of the site for other files that pages link to."""
FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,})(?P<info>.*)$")
LINK = re.compile(r"(?P<text>\]\()(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?P<end>\))")
LIST_ITEM = re.compile(r"([-*+]|\d+\.) ")
LEADING_COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
TITLE = re.compile(r'title="[^"]*"')
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
"""Head of a page that the search leaves out."""
CODE_SPAN = re.compile(r"`[^`]+`")
MAX_UNBROKEN = 24
"""Letters of code without a space that stay in one line in a table."""
LONG = "{ .long }"
"""Mark of longer code, which may break anywhere."""
LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json", ".ipynb": "json"}


def site_path(path: Path) -> str:
    """Return where a file of the repository is in the source of the site."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    if name in PLACES:
        return PLACES[name]
    return f"{FILES}/{name}" if path.suffix == ".md" else f"{FILES}/{name}.md"


class SiteSource:
    """The folder that a site generator reads: pages of the repository, and every file they link to.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._linked: set[Path] = set()

    def copy_all(self) -> None:
        """Copy docs/, the pages beside it, and what they link to."""
        for path in sorted(DOCS.rglob("*")):
            if path.is_file():
                self._copy(path)
        for name in PLACES:
            if name != "README.md":  # the site has an index of its own
                self._copy(ROOT / name)
        copied: set[Path] = set()
        while missing := sorted(self._linked - copied):
            for path in missing:
                self._copy(path)
            copied.update(missing)

    def write(self, place: str, text: str) -> None:
        """Write a page or another text file of the site."""
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def _copy(self, path: Path) -> None:
        place = site_path(path)
        if path.suffix == ".md":
            self.write(place, (NOT_SEARCHED if place.startswith(f"{FILES}/") else "") + self._convert(path))
        elif path.is_relative_to(DOCS):
            target = self.folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        else:
            self.write(place, NOT_SEARCHED + show_file(path))

    def _convert(self, path: Path) -> str:
        def rewrite(link: re.Match[str]) -> str:
            return f"{link['text']}{self._rewrite_target(path, link['target'])}{link['anchor'] or ''}{link['end']}"

        return convert_page(path.read_text(encoding="utf-8"), lambda line: LINK.sub(rewrite, line))

    def _rewrite_target(self, page: Path, target: str) -> str:
        """Return a link of a page as it is in the site; the strict build names those that lead nowhere."""
        linked = (page.parent / target).resolve()
        if "://" in target or not linked.is_relative_to(ROOT) or not linked.is_file():
            return target
        place = site_path(linked)
        if place.startswith(f"{FILES}/"):
            self._linked.add(linked)
        return os.path.relpath(place, Path(site_path(page)).parent)


def convert_page(text: str, convert_line: Callable[[str], str] = str) -> str:
    """Return a page for Python-Markdown, which differs from GitHub in five ways.

    Nothing may precede the title. A list needs an empty line before it. What belongs to an item is indented by four
    spaces, not two. After the language of a code block, only a title may follow. In a table, bars in code are not
    escaped.
    """
    lines: list[str] = []
    indent = ""
    for line, inside in split_fences(LEADING_COMMENT.sub("", text)):
        fence = FENCE.match(line) if inside else None
        if fence and fence["info"]:
            indent = fence["indent"]
            lines.append(f"{indent * 2}{fence['marks']}{convert_info(fence['info'])}")
        elif inside:
            lines.append(indent + line if line else line)
        else:
            if LIST_ITEM.match(line) and lines and _ends_paragraph(lines[-1]):
                lines.append("")
            spaces = len(line) - len(line.lstrip(" "))
            lines.append(" " * spaces + convert_line(convert_row(line) if line.startswith("|") else line))
    return "\n".join([*lines, ""])


def convert_row(line: str) -> str:
    """Return a row of a table with bars in code as they are, and with marks on code that is too long for a line."""

    def convert(code: re.Match[str]) -> str:
        text = code[0].replace(r"\|", "|")
        is_long = max(map(len, text.strip("`").split()), default=0) > MAX_UNBROKEN
        return f"{text}{LONG}" if is_long else text

    return CODE_SPAN.sub(convert, line)


def split_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is part of a code block."""
    marks = ""
    for line in text.splitlines():
        fence = FENCE.match(line)
        if not marks and fence:
            marks = fence["marks"]
            yield line, True
        elif marks and fence and fence["marks"] == marks and not fence["info"]:
            marks = ""
            yield line, True
        else:
            yield line, bool(marks)


def convert_info(info: str) -> str:
    """Keep the language and the title of a code block; other words are marks for tests."""
    language = info.split()[0]
    title = TITLE.search(info)
    return f"{language} {title[0]}" if title else language


def _ends_paragraph(line: str) -> bool:
    return bool(line.strip()) and not LIST_ITEM.match(line) and not line.startswith((" ", "#", "|", "```"))


def show_file(path: Path) -> str:
    """Return a page with the content of a file that is not Markdown."""
    name = path.relative_to(ROOT).as_posix()
    language = LANGUAGES.get(path.suffix, "text")
    return f"# {path.name}\n\n`{name}`\n\n````{language}\n{path.read_text(encoding='utf-8').rstrip()}\n````\n"
