"""Write docs/metrics from the reference of metrics (folders `reference` of features) and the metrics themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from auricle.metrics.agreement import make_panel_metrics, make_rank_agreement
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.catalogue import METRICS
from auricle.metrics.reference import UNITS, Entry, Page, describe_direction, load_pages
from auricle.studies.people.analysis import make_agreement_metric
from auricle.studies.people.scores import TestFacts, make_metrics

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "metrics"
START, END = "<!-- tables: scripts/make_metric_reference.py -->\n", "<!-- end of tables -->\n"
GENERATED = "<!-- Written by scripts/make_metric_reference.py from reference/{}.toml of the feature. -->"
SHORT_UNITS = {unit: text.partition(",")[0].partition(" ")[0] for unit, text in UNITS.items()}


def slugify(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and mkdocs make it."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def format_page(page: Page) -> str:
    """Return a page of the reference."""
    parts = [GENERATED.format(page.name), f"# {page.title}", page.introduction.strip(), *_format_guides(page)]
    if page.example:
        parts += ["## Example", f"```pycon\n{page.example.strip()}\n```"]
    parts += [part for entry in page.entries for part in _format_entry(entry)]
    return "\n\n".join(parts) + "\n"


def _format_guides(page: Page) -> Iterator[str]:
    links = " · ".join(f"[{_read_title(DOCS / name)}](../{name})" for name in page.guides)
    yield f"Guides: {links} · [all metrics](README.md)"


def _read_title(path: Path) -> str:
    return next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))[2:]


def _format_entry(entry: Entry) -> Iterator[str]:
    yield f"## {entry.heading}"
    if entry.about:
        yield entry.about
    yield _format_facts(entry)
    yield f"```text\n{entry.formula}\n```"
    edges = "".join(f"\n  - *{case}*: {result}" for case, result in entry.edges.items())
    yield "\n".join(
        [
            f"- **Statistic of a sample**: {entry.statistic}",
            f"- **Range**: {entry.range}",
            f"- **Interval**: {_format_methods(entry)}, over {entry.units}",
            f"- **Edge cases**:{edges}",
            f"- **Tested against**: {entry.oracle}",
            f"- **Differences from other tools**: {entry.differences}",
            f"- **Reference**: {_format_citation(entry)}",
        ]
    )


def _format_methods(entry: Entry) -> str:
    return " or ".join(f"[`{name}`](../statistics.md#intervals)" for name in entry.interval)


def _format_citation(entry: Entry) -> str:
    return "none; defined here" if entry.citation == "none" else entry.citation


def _format_facts(entry: Entry) -> str:
    """Return a table of what code knows about the metrics, or only names if that depends on other metrics."""
    metrics = {name: find_metric(name) for name in entry.metrics}
    if None in metrics.values():
        return "Names: " + ", ".join(f"`{name}`" for name in metrics)
    header = "| metric | title | better | unit | version | unreadable answers |\n|---|---|---|---|---|---|"
    return "\n".join([header, *(_format_row(name, metric) for name, metric in metrics.items() if metric)])


def _format_row(name: str, metric: Metric) -> str:
    policy = "wrong" if metric.unreadable == "wrong" else "left out"
    title = "" if is_pattern(name) else metric.title
    cells = (f"`{name}`", title, describe_direction(metric), SHORT_UNITS[metric.unit], str(metric.version), policy)
    return f"| {' | '.join(cells)} |"


def is_pattern(name: str) -> bool:
    """Return whether a name stands for the metrics of all systems, or those derived from all others."""
    return name.startswith("*") or name != example_name(name)


def example_name(name: str) -> str:
    """Return the name of one metric that a placeholder stands for."""
    return name.replace("SYSTEM", "A").replace("PAIR", "A_vs_B")


def find_metric(name: str) -> Metric | None:
    """Return a metric of a name, or one that its placeholder stands for; None if its facts are those of others."""
    if name in METRICS.builtin:
        return resolve_metrics(name)[0]
    return _make_examples().get(example_name(name))


@cache
def _make_examples() -> dict[str, Metric]:
    """Return the metrics of listening tests of two systems, and those that compare a judge with others."""
    judge = resolve_metrics("judge-1-5")[0]
    compared = (*judge.companions, make_panel_metrics(judge, ("a", "b"))[1], make_rank_agreement(judge, ("a", "b")))
    tests = [TestFacts(kind=kind, systems=("A", "B"), low=1, high=5) for kind in ("mos", "mushra", "cmos", "ab", "abx")]
    listened = [metric for facts in tests for metric in (*make_metrics(facts), make_agreement_metric(facts))]
    return {
        **{metric.name: metric for metric in listened},
        **{
            f"*.{metric.name.rpartition('.')[2]}": metric
            for metric in compared
            if not metric.name.endswith("corrected")
        },
    }


# --- index ----------------------------------------------------------------------------------------


def format_index() -> str:
    """Return the tables of pages, of all metrics and of sets."""
    pages = load_pages()
    families = "\n".join(f"| [{page.title}]({page.name}.md) | {_list_headlines(page)} |" for page in pages)
    places = {name: (page, entry) for page in pages for entry in page.entries for name in entry.metrics}
    rows = "\n".join(
        f"| [`{name}`]({page.name}.md#{slugify(entry.heading)}) | {_summarise(name, entry)} | {_direct(name)} |"
        for name, (page, entry) in sorted(places.items())
    )
    sets = "\n".join(
        f"| `{name}` | {', '.join(f'`{metric.name}`' for metric in resolve_metrics(name))} |"
        for name in sorted(METRICS.builtin)
        if is_set(name)
    )
    return (
        f"## Families\n\n| page | metrics, for example |\n|---|---|\n{families}\n\n"
        f"## Sets\n\n| set | metrics |\n|---|---|\n{sets}\n\n"
        f"## All metrics\n\n| metric | summary | better |\n|---|---|---|\n{rows}\n"
    )


def is_set(name: str) -> bool:
    """Return whether a name stands for several metrics."""
    return isinstance(METRICS.get(name), (list, tuple))


def _list_headlines(page: Page) -> str:
    return ", ".join(f"`{entry.metrics[0]}`" for entry in page.entries[:4])


def _summarise(name: str, entry: Entry) -> str:
    return METRICS.summary(name) if name in METRICS.builtin else entry.heading


def _direct(name: str) -> str:
    metric = find_metric(name)
    return describe_direction(metric) if metric else ""


def format_files() -> dict[Path, str]:
    """Return the text of all pages, by their path."""
    index = FOLDER / "README.md"
    before, _, rest = index.read_text(encoding="utf-8").partition(START)
    text = f"{before}{START}\n{format_index()}\n{END}{rest.partition(END)[2]}"
    return {index: text, **{FOLDER / f"{page.name}.md": format_page(page) for page in load_pages()}}


if __name__ == "__main__":
    for path, text in format_files().items():
        path.write_text(text, encoding="utf-8")
