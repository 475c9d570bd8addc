"""The sections of a report about a listening test."""

from pathlib import Path
from typing import Any

import pytest

from auricle.report.run_html import Page
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.studies.people.correlations_document import PeopleCorrelation, PeopleCorrelations
from auricle.studies.people.html import render_listening_test, render_people_correlations
from auricle.studies.people.run import score_test
from auricle.testing import SimulatedListeners
from tests.support.listening_tests import MUSHRA_QUALITIES, QUALITIES, make_test

OTHER = Metrics(task=TaskFacts("asr"), model=ModelFacts("whisper"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("mos", ["Centred", "Before screening", "text 5", "L02", "two-way t"]),
        ("mushra", ["anchor-3500", "Wilcoxon over listeners"]),
        ("cmos", ["Mean rating", "For first", "Bradley–Terry"]),
        ("abx", ["d′", "Listeners above chance"]),
    ],
)
def test_a_section_has_systems_pairs_items_and_listeners(tmp_path: Path, kind: Any, words: list[str]) -> None:
    make_test(tmp_path, kind)
    qualities = MUSHRA_QUALITIES if kind == "mushra" else QUALITIES
    SimulatedListeners(qualities=qualities, inattentive=("L02",)).answer(tmp_path / kind)
    _, metrics = score_test(tmp_path / kind)
    section = render_listening_test(Page(metrics, (), {}))
    assert section is not None
    assert all(word in section for word in words)


def test_other_runs_have_neither_section() -> None:
    assert render_listening_test(Page(OTHER, (), {})) is None
    assert render_people_correlations(Page(OTHER, (), {})) is None


def test_correlations_are_a_table_of_metrics_and_coefficients() -> None:
    rows = tuple(
        PeopleCorrelation(
            metric="wer", title="WER", higher_is_better=False, level="item", coefficient=name, n=20, value=-0.5
        )
        for name in ("pearson", "spearman", "kendall")
    )
    extras = {"people_correlations": PeopleCorrelations(rows=rows, notes=("few",))}
    metrics = Metrics(task=TaskFacts("t"), model=ModelFacts("m"), extras=extras)
    section = render_people_correlations(Page(metrics, (), {}))
    assert section is not None
    assert section.count("−0.50") == 3
    assert "few" in section
