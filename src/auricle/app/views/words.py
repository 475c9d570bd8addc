"""Which words a recogniser gets wrong, with links to the samples that have them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.navigation import build_samples_link
from auricle.app.run_data import Fingerprint, fingerprint
from auricle.app.views import components
from auricle.app.workspace import check_run_file
from auricle.core.gc_tuning import infrequent_gc
from auricle.metrics.capabilities import Tokenized
from auricle.report.html_format import format_count, typeset_number
from auricle.runs.filter_terms import CONTAINS, Term
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.scores import SCORES_FILE
from auricle.scoring.stored_stats import load_stats
from auricle.tasks.asr.word_errors import (
    MAX_CONFUSIONS,
    MAX_INSERTIONS,
    MAX_SAMPLES,
    MAX_WORDS,
    Confusion,
    WordErrorCounter,
    WordErrors,
)

FILES = (OUTPUTS_FILE, SCORES_FILE, METRICS_FILE)


def draw_words(path: Path, number: Number) -> None:
    """Draw the words that were lost, confused and inserted; a word links to the samples with it."""
    errors = load_words(path, number.metric)
    if not errors:
        return
    st.header("Words", anchor=False)
    samples = f"{'first ' if errors.is_truncated else ''}{errors.samples:,} samples"
    components.draw_notes(f"{errors.metric} of {samples}; intervals are 95 % Wilson intervals over occurrences.")
    headers = ["Lost word", "Lost", "Of", "Share", "95 % interval", "Substituted", "Deleted"]
    components.draw_table(headers, _list_word_rows(path, errors))
    with st.expander("Confused and inserted words"):
        components.draw_table(["Reference", "Recognised as", "Times"], _list_pairs(path, errors.confusions), 2)
        components.draw_table(["", "Inserted word", "Times"], _list_pairs(path, errors.insertions), 2)


def _list_word_rows(path: Path, errors: WordErrors) -> Iterator[list[str]]:
    for word in errors.words:
        yield [
            _link(path, word.word, "target"),
            format_count(word.lost),
            format_count(word.occurrences),
            typeset_number(word.share, "share"),
            f"{typeset_number(word.low, 'share')} – {typeset_number(word.high, 'share')}",
            format_count(word.substituted),
            format_count(word.deleted),
        ]


def _list_pairs(path: Path, pairs: tuple[Confusion, ...]) -> Iterator[list[str]]:
    for pair in pairs:
        yield [_link(path, pair.reference, "target"), _link(path, pair.answer, "answer"), format_count(pair.count)]


def _link(path: Path, word: str, field: str) -> Markup | str:
    """Return a link to the samples whose reference or answer contains a word."""
    return build_samples_link(path, word, Term(field, CONTAINS, word)) if word else ""


def load_words(path: Path, metric: str) -> WordErrors | None:
    """Return the errors of a run by word, cached until the run changes; None if the metric is not at hand."""
    return _load_words(str(path), metric, fingerprint(path, *FILES))


@st.cache_resource(max_entries=6, show_spinner="Counting words …")
def _load_words(path: str, metric: str, fingerprint: Fingerprint) -> WordErrors | None:
    run = Path(path)
    for name in FILES:
        check_run_file(run / name, run_data.MAX_JOURNAL_BYTES)
    number = next((number for number in run_data.load_metrics(run).overall if number.metric == metric), None)
    stored = load_stats(run, number) if number else None
    if stored is None or not isinstance(stored.metric, Tokenized):
        return None
    counter = WordErrorCounter(stored.metric, MAX_SAMPLES)
    with infrequent_gc(), Run.load(run).open_index() as index:
        for record in index.records():
            counter.count(record)
    return counter.build(MAX_WORDS, MAX_CONFUSIONS, MAX_INSERTIONS)
