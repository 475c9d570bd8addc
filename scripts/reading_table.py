"""Print how well answers are read from the labelled replies in `tests/golden/replies`, as a Markdown table.

    python -m scripts.reading_table

Counts only: no reply is printed, so the table can be made for a set that is not looked at while rules are written.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.support import reply_corpus
from tests.support.reply_corpus import KINDS, LANGUAGES, READERS, SETS, Outcome, Row

HEADER = "| set | {} | rows | right | wrong | unread | refusals detected |\n|---|---|---|---|---|---|---|"


def format_row(set_name: str, name: str, rows: list[Row]) -> str:
    figures = reply_corpus.measure(rows)
    answerable = f"{figures.unread} of {figures.answerable}" if figures.answerable else "–"
    refusals = f"{figures.refused_right} of {figures.refused}" if figures.refused else "–"
    right = sum(reply_corpus.judge(row) is Outcome.RIGHT for row in rows)
    return f"| {set_name} | {name} | {figures.rows} | {right} | {figures.wrong} | {answerable} | {refusals} |"


def table(field: str, values: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of the table by one field, for every set."""
    yield HEADER.format(field)
    for set_name in SETS:
        rows = reply_corpus.load(set_name)
        for value in values:
            yield format_row(set_name, value, list(reply_corpus.select(rows, **{field: value})))
        yield format_row(set_name, "all", rows)


def main() -> None:
    for field, values in (("kind", KINDS), ("reader", READERS), ("language", LANGUAGES)):
        print("\n".join(table(field, values)), end="\n\n")


if __name__ == "__main__":
    main()
