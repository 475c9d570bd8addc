"""The options `words` and `entities` of recognition tasks: lists of words whose recognition is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from auricle.core.arguments import Hint
from auricle.core.errors import DataError, SpecError
from auricle.data.manifest import Manifest
from auricle.engine.scored_language import ReferenceReader
from auricle.engine.task_options import GenerationOptions, ScoringOptions
from auricle.metrics.base import Metric
from auricle.tasks.asr.words.word_lists import WordList, build_finder, read_word_list
from auricle.text import get_profile, split_mixed

LIST_OPTIONS = ("words", "entities")
"""Options that name a file with one word or phrase per line."""


@dataclass(frozen=True)
class TranscriptOptions(GenerationOptions):
    """The options of kinds whose targets are transcripts."""

    words: Annotated[str, Hint("file")] = ""
    """A text file with one word or phrase per line; adds the error rates of these words and of all others."""
    entities: Annotated[str, Hint("file")] = ""
    """The same for names and other entities, with an optional label after a tab; adds their precision and recall."""


def read_lists(options: ScoringOptions) -> dict[str, WordList]:
    """Read the word lists that the options name, by option."""
    paths: Mapping[str, str] = {name: getattr(options, name, "") for name in LIST_OPTIONS}
    return {name: read_word_list(Path(path), name) for name, path in paths.items() if path}


def add_list_metrics(metrics: Sequence[Metric], options: ScoringOptions, *, is_default: bool) -> list[Metric]:
    """Return metrics with those of the word lists that the options name.

    Args:
        metrics: The metrics of a task.
        options: Its options.
        is_default: Whether the metrics are the defaults of the task. If they were chosen, and some that use a word list
            are among them, no others are added.
    """
    listed = {metric.name: metric for name, words in read_lists(options).items() for metric in _METRICS[name](words)}
    names = [metric.name for metric in metrics]
    replaced = [listed.get(metric.name, metric) for metric in metrics]
    if not is_default and any(name in listed for name in names):
        return replaced
    return [*replaced, *(metric for name, metric in listed.items() if name not in names)]


def _make_biasing_metrics(words: WordList) -> Sequence[Metric]:
    from auricle.tasks.asr.words.biasing import biasing_metrics

    return biasing_metrics(words)


def _make_entity_metrics(words: WordList) -> Sequence[Metric]:
    from auricle.tasks.asr.words.entities import entity_metrics

    return entity_metrics(words)


_METRICS: Mapping[str, Callable[[WordList], Sequence[Metric]]] = {
    "words": _make_biasing_metrics,
    "entities": _make_entity_metrics,
}


def check_lists(manifest: Manifest, options: ScoringOptions) -> Manifest:
    """Return the rows with a note on every word list of which no entry occurs in any reference."""
    lists = read_lists(options)
    if not lists:
        return manifest
    check = manifest.check
    return replace(manifest, check=lambda: [*check(), *_describe_absent(manifest, lists, options.profile)])


def _describe_absent(manifest: Manifest, lists: Mapping[str, WordList], profile_name: str) -> list[str]:
    normalise = get_profile(profile_name or "basic")

    def split(text: str) -> list[str]:
        return split_mixed(normalise(text))

    finders = {name: build_finder(words.entries, split) for name, words in lists.items()}
    try:
        for reference in ReferenceReader("").read(manifest.whole_file_without_media()):
            words = split(reference)
            finders = {name: finder for name, finder in finders.items() if not finder.find(words)}
            if not finders:
                break
    except (DataError, SpecError):  # reported when the samples are read
        return []
    return [
        f"No entry of {lists[name].source} ({len(lists[name].entries):,} in all) occurs in a reference, so the metrics "
        f"of these {name} are undefined. Compare the spelling of both."
        for name in finders
    ]
