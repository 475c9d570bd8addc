"""Parse the value of `--data`."""

from __future__ import annotations

from typing import NamedTuple

from auricle.core.errors import SpecError


class DataSource(NamedTuple):
    """Where the task of a kind of data is built, and what its argument is."""

    task: str
    """Function that builds the task, as `module:name`."""
    grammar: str
    has_times: bool = False
    """Whether its requests have times, so that they are replayed unless another load is set."""


SOURCES = {
    "synthetic": DataSource(
        "auricle.perf.data.synthetic:synthetic",
        "synthetic:in=TOKENS[,out=TOKENS][,prefix=TOKENSxGROUPS][,audio=SECONDS][,pool=DIR][,weight=NUMBER][;...]",
    ),
    "mooncake": DataSource("auricle.perf.data.traces:mooncake", "mooncake:FILE", has_times=True),
    "burstgpt": DataSource("auricle.perf.data.traces:burstgpt", "burstgpt:FILE", has_times=True),
    "journal": DataSource("auricle.perf.data.traces:journal", "journal:DIR", has_times=True),
}
"""The values of `--data`, by the word before the colon."""


def parse_data(text: str) -> tuple[DataSource, str]:
    """Return the source of data, and its argument.

    Raises:
        SpecError: The text names no source, or has no argument.
    """
    kind, colon, argument = text.partition(":")
    if kind not in SOURCES or not colon or not argument:
        grammars = ", ".join(source.grammar for source in SOURCES.values())
        raise SpecError(f"Invalid data {text!r}. Expected one of: {grammars}.")
    return SOURCES[kind], argument
