"""Regenerate the tables of docs/benchmarks.md from the declared benchmarks; a test fails if they are not current."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from auricle.benchmarks.base import Benchmark
from auricle.benchmarks.commands import format_languages, load_benchmarks
from auricle.tasks.rewards.preference import preference_metrics
from auricle.tasks.rewards.ratings import RATING_METRICS, Dimension

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
START, END = "<!-- tables: scripts/make_benchmarks_table.py -->\n", "<!-- end of tables -->\n"
HEADER = (
    "| task | language | splits (published rows) | options (default first) | metrics "
    "| licence | archive (`-T root=DIR`) | Hugging Face (no `root`) | cite |\n|---|---|---|---|---|---|---|---|---|"
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
NOT_STATED = "not stated"
"""What a table has if the source of a benchmark does not state a fact."""


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
        ", ".join(f"`{name}`" for name in list_metrics(bench)),
        bench.licence or NOT_STATED,
        bench.source,
        format_hub(bench),
        bench.citation or NOT_STATED,
    )
    return f"| {' | '.join(cells)} |"


def abbreviate(values: Sequence[str]) -> str:
    """Return the first values of an option; an option without values accepts any."""
    return "\\|".join([*values[:MAX_VALUES], *("…",) * (len(values) > MAX_VALUES)]) or "…"


def list_metrics(bench: Benchmark) -> list[str]:
    """Return the metrics of a benchmark, those that need a judge included; of rated dimensions, once for all."""
    ratings, choices = list(RATING_METRICS), [metric.name for metric in preference_metrics(Dimension(), "half")]
    if bench.kind == "reward":
        return [*ratings, *choices] if "subset" in bench.options else ratings
    if bench.kind == "preference":
        return choices
    with TemporaryDirectory() as folder:
        task = bench(root=folder)
    return list(dict.fromkeys(metric.name for metric in (*task.metrics, *task.judged_metrics)))


def format_hub(bench: Benchmark) -> str:
    """Return the name and the revision of the copy on Hugging Face."""
    if bench.hub is None:
        return ""
    revision = bench.hub.revision or "unpinned"
    return f"`{bench.hub.name}` {revision[:7] if len(revision) == COMMIT_LENGTH else revision}"


def format_page() -> str:
    """Return the page with current tables."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return f"{before}{START}{format_tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(format_page(), encoding="utf-8")
