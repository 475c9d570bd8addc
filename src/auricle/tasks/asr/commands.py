"""`auricle words`: print which words a recogniser gets wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.core.errors import SpecError
from auricle.metrics.capabilities import Tokenized

if TYPE_CHECKING:
    from auricle.tasks.asr.word_errors import Confusion, Example, LostWord, WordErrorCounter, WordErrors


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.text("--word WORD", "Print every place at which this word was lost or wrongly written. [default: all words]")
@opt.text("--metric NAME", "Error rate whose words are counted. [default: the first of the run]", default="")
@opt.count("-n --number N", "Number of words, confusions and insertions to print.", default=20)
@opt.json_option
def words(run: Path, word: str | None, metric: str, number: int, as_json: bool) -> None:
    """Print which words a recogniser lost, confused and inserted."""
    from auricle.tasks.asr.word_errors import WordErrorCounter, find_word_metric

    records, metrics = _load(run)
    chosen = find_word_metric(metrics, metric)
    if not isinstance(chosen, Tokenized):
        names = ", ".join(metric.name for metric in metrics) or "none"
        raise SpecError(
            f"{run} has no error rate, so it has no words to compare; its metrics are {names}. "
            f"Add one: auricle score {run} --add-metrics wer"
        )
    tokens = chosen.tokenize(word) if word else []
    if word and len(tokens) != 1:
        raise SpecError(f"--word takes one word, and {word!r} is {len(tokens)} under the profile {chosen.profile}.")
    counter = WordErrorCounter(chosen, word=tokens[0] if tokens else "")
    for record in records:
        counter.count(record)
    if tokens:
        _print_word(counter, tokens[0], as_json)
        return
    errors = counter.build(number, number, number)
    if as_json:
        print_json({"run": str(run), **_errors_to_dict(errors)})
    else:
        echo("\n".join(_format_errors(errors, run)))


def _load(path: Path) -> tuple[Any, Any]:
    """Return the records of a run in the order of the data, and its metrics."""
    from auricle import Spec, api
    from auricle.runs.run_directory import Run

    run = Run.load(path)
    task = api.build_task(Spec.as_scored(run))
    return sorted(run.records(), key=lambda record: record.row), task.metrics


def _format_errors(errors: WordErrors, run: Path) -> Iterator[str]:
    from auricle.report.text_format import format_number
    from auricle.report.text_table import format_table

    yield f"{errors.metric}{f' ({errors.profile})' if errors.profile else ''}, {errors.samples:,} samples"
    if not errors:
        yield "No errors."
        return
    rows = [
        (
            word.word,
            f"{word.lost:,}",
            f"{word.occurrences:,}",
            format_number(word.share, "share"),
            f"{format_number(word.low, 'share')} … {format_number(word.high, 'share')}",
            f"{word.substituted:,}",
            f"{word.deleted:,}",
            _shorten(word.examples),
        )
        for word in errors.words
    ]
    header = ("lost word", "lost", "of", "share", "95 % interval", "substituted", "deleted", "example")
    yield from ("", *format_table(header, rows))
    for title, confusions in (("confusion", errors.confusions), ("inserted word", errors.insertions)):
        if confusions:
            cells = [(_format_pair(pair), f"{pair.count:,}", _shorten(pair.examples)) for pair in confusions]
            yield from ("", *format_table((title, "times", "example"), cells))
    yield f"\nEvery place of a word: auricle words {run} --word WORD"


def _format_pair(pair: Confusion) -> str:
    return f"{pair.reference} → {pair.answer}" if pair.reference else pair.answer


def _shorten(examples: tuple[Example, ...]) -> str:
    from auricle.report.terminal import to_one_line

    return f"{examples[0].id}: {to_one_line(examples[0].text, 80)}" if examples else ""


def _print_word(counter: WordErrorCounter, word: str, as_json: bool) -> None:
    lost, written = counter.count_word(word), counter.count_insertions(word)
    if as_json:
        print_json(
            {"word": word, "lost": _word_to_dict(lost) if lost else None, "written": list(map(_pair_to_dict, written))}
        )
        return
    echo("\n".join(_format_word(word, lost, written)))


def _format_word(word: str, lost: LostWord | None, written: tuple[Confusion, ...]) -> Iterator[str]:
    if lost is None and not written:
        yield f"{word} is in no reference, and in no answer as an error."
        return
    if lost:
        yield f"{word} was lost in {lost.lost:,} of {lost.occurrences:,} places:"
        yield from (f"  {example.id}: {example.text}" for example in lost.examples)
    if written:
        yield f"{word} was wrongly written in {sum(pair.count for pair in written):,} places:"
        yield from (f"  {example.id}: {example.text}" for pair in written for example in pair.examples)


def _errors_to_dict(errors: WordErrors) -> dict[str, Any]:
    return {
        "metric": errors.metric,
        "profile": errors.profile,
        "samples": errors.samples,
        "words": list(map(_word_to_dict, errors.words)),
        "confusions": list(map(_pair_to_dict, errors.confusions)),
        "insertions": list(map(_pair_to_dict, errors.insertions)),
    }


def _word_to_dict(word: LostWord) -> dict[str, Any]:
    return {
        "word": word.word,
        "lost": word.lost,
        "occurrences": word.occurrences,
        "share": word.share,
        "low": word.low,
        "high": word.high,
        "substituted": word.substituted,
        "deleted": word.deleted,
        "examples": list(map(_example_to_dict, word.examples)),
    }


def _pair_to_dict(pair: Confusion) -> dict[str, Any]:
    examples = list(map(_example_to_dict, pair.examples))
    return {"reference": pair.reference, "answer": pair.answer, "count": pair.count, "examples": examples}


def _example_to_dict(example: Example) -> dict[str, Any]:
    return {"id": example.id, "text": example.text}
