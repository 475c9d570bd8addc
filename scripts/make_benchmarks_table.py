"""Regenerate the tables of docs/benchmarks.md from the declared benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auricle.cli.data import format_languages, load_benchmarks
from auricle.tasks.benchmarks.base import Benchmark

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
START, END = "<!-- tables: scripts/make_benchmarks_table.py -->\n", "<!-- end of tables -->\n"
HEADER = (
    "| task | language | splits (published rows) | options (default first) "
    "| licence | archive | Hugging Face |\n|---|---|---|---|---|---|---|"
)
SECTIONS = {
    "Speech recognition": ("asr",),
    "Speech translation": ("translate",),
    "Multiple choice": ("mcq",),
    "Questions with reference answers, and captions": ("qa",),
    "Classification": ("classify",),
    "Emotion recognition": ("emotion",),
    "Open-ended answers and conversations": ("open", "chat"),
    "Ratings and preferences": ("reward", "preference"),
}
MAX_VALUES = 4
"""Values of an option that are listed."""
COMMIT_LENGTH = 40


def format_tables() -> str:
    """Return one table per task kind."""
    benchmarks = load_benchmarks().values()
    return "".join(
        f"\n## {title} ({', '.join(kinds)})\n\n{HEADER}\n"
        + "".join(f"{format_row(benchmark)}\n" for benchmark in benchmarks if benchmark.kind in kinds)
        for title, kinds in SECTIONS.items()
    )


def format_row(bench: Benchmark) -> str:
    """Return the table row of a benchmark."""
    splits = [f"`{name}`{f' {count:,}' if count else ''}" for name, count in bench.splits.items()]
    options = [f"`{name}={abbreviate(values)}`" for name, values in bench.options.items()]
    cells = (
        f"`{bench.name}`",
        format_languages(bench),
        ", ".join(splits),
        ", ".join(options),
        bench.licence,
        bench.source,
        format_hub(bench),
    )
    return f"| {' | '.join(cells)} |"


def abbreviate(values: Sequence[str]) -> str:
    """Return the first values of an option; an option without values accepts any."""
    return "\\|".join([*values[:MAX_VALUES], *("…",) * (len(values) > MAX_VALUES)]) or "…"


def format_hub(bench: Benchmark) -> str:
    """Return the name and the revision of the copy on Hugging Face."""
    if bench.hub is None:
        return ""
    revision = bench.hub.revision or "unpinned"
    return f"`{bench.hub.name}` {revision[:7] if len(revision) == COMMIT_LENGTH else revision}"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    PAGE.write_text(f"{before}{START}{format_tables()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
