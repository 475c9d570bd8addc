"""Correlations are stored in the run of a listening test."""

from pathlib import Path

from auricle.studies.people.correlations_document import PeopleCorrelation, PeopleCorrelations


def test_correlations_are_read_as_they_were_written(tmp_path: Path) -> None:
    row = PeopleCorrelation(
        metric="wer", title="WER", higher_is_better=False, level="item", coefficient="pearson", n=9, value=-0.4
    )
    stored = PeopleCorrelations(rows=(row,), runs={"a": "runs/a"}, notes=("few",))
    stored.save(tmp_path)
    assert PeopleCorrelations.load(tmp_path) == stored


def test_a_run_without_correlations_has_none(tmp_path: Path) -> None:
    assert PeopleCorrelations.load(tmp_path).rows == ()
