"""Write `llms.txt`, an index of the pages for language models, and `llms-full.txt`, the text of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.docs_site.pages import split_fences

SUMMARY = "Evaluate speech and audio models: accuracy with confidence intervals, latency, throughput and cost."
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
ATTRIBUTES = re.compile(r"(?<=`)\{ [.#][\w-]+ \}")
"""Classes and anchors of code."""
SENTENCE = re.compile(r"(.*?[.:])(\s|$)", re.DOTALL)
MAX_LENGTH = 200


def write_files(nav: list[Any], source: Path) -> dict[str, str]:
    """Return both files by their names."""
    index = [f"# Auricle\n\n> {SUMMARY}\n\nThe text of all pages is in [llms-full.txt](llms-full.txt).\n"]
    texts = []
    for entry in nav:
        ((title, value),) = entry.items()
        pages = [*list_pages(value if isinstance(value, list) else [value])]
        index.append("\n".join([f"## {title}\n", *(_describe(source, page) for page in pages), ""]))
        texts += [_read_page(source, page) for page in pages if not page.startswith("reference/api/")]
    return {"llms.txt": "\n".join(index), "llms-full.txt": "\n".join(texts)}


def list_pages(nav: list[Any]) -> Iterator[str]:
    """Yield every page of a navigation."""
    for entry in nav:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        if isinstance(value, list):
            yield from list_pages(value)
        else:
            yield value


def _describe(source: Path, page: str) -> str:
    text = (source / page).read_text(encoding="utf-8")
    title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
    address = re.sub(r"(README|index)\.md$", "index.html", page)
    summary = summarise(text)
    return f"- [{title}]({re.sub(r'[.]md$', '.html', address)})" + (f": {summary}" if summary else "")


def summarise(text: str) -> str:
    """Return the first sentence of a page without markup, or nothing if the page begins with a table or code."""
    prose = "\n".join(line for line, inside in split_fences(text) if not inside)
    paragraphs = [part.strip() for part in prose.split("\n\n")[1:]]
    paragraph = next((part for part in paragraphs if part and part[0] not in "#|-!>:<"), "")
    plain = LINK.sub(r"\1", " ".join(paragraph.split()))
    sentence = SENTENCE.match(plain)
    return (sentence[1] if sentence else plain)[:MAX_LENGTH].rstrip(":")


def _read_page(source: Path, page: str) -> str:
    text = ATTRIBUTES.sub("", (source / page).read_text(encoding="utf-8"))
    return f"<!-- {page} -->\n{text}"
