"""Write the tables of docs/benchmarks.md anew from the catalogue."""

from __future__ import annotations

from pathlib import Path

from auricle.cli.data import format_languages, load_benchmarks
from auricle.tasks.benchmarks.base import Benchmark

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
START, END = "<!-- tables: scripts/make_benchmarks_table.py -->\n", "<!-- end of tables -->\n"
HEADER = (
    "| task | language | splits (published rows) | options, the first is the default "
    "| licence | archive | Hugging Face |\n|---|---|---|---|---|---|---|"
)
SECTIONS = {
    "Speech recognition": ("asr",),
    "Speech translation": ("translate",),
    "Multiple choice": ("mcq",),
    "Questions with an answer, captions": ("qa",),
    "Classes": ("classify",),
    "Open answers and conversations": ("open", "chat"),
}
SHOWN = 4
COMMIT = 40
"""Digits of a commit's name."""


def tables() -> str:
    """A table for each kind of task."""
    found = load_benchmarks().values()
    return "".join(
        f"\n## {title} ({', '.join(kinds)})\n\n{HEADER}\n"
        + "".join(f"{row(each)}\n" for each in found if each.kind in kinds)
        for title, kinds in SECTIONS.items()
    )


def row(bench: Benchmark) -> str:
    splits = [f"`{name}`{f' {count:,}' if count else ''}" for name, count in bench.splits.items()]
    options = [f"`{name}={brief(values)}`" for name, values in bench.options.items()]
    cells = (
        f"`{bench.name}`",
        format_languages(bench),
        ", ".join(splits),
        ", ".join(options),
        bench.licence,
        bench.source,
        hub(bench),
    )
    return f"| {' | '.join(cells)} |"


def brief(values: tuple[str, ...]) -> str:
    return "\\|".join([*values[:SHOWN], *("…",) * (len(values) > SHOWN)])


def hub(bench: Benchmark) -> str:
    if bench.hub is None:
        return ""
    pinned = bench.hub.revision or "unpinned"
    told = pinned[:7] if len(pinned) == COMMIT else pinned
    return f"`{bench.hub.name}` {told}"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    PAGE.write_text(f"{before}{START}{tables()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
