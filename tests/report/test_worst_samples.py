"""The worst samples of a run, from its files."""

from pathlib import Path

import pytest

from auricle.report.worst_samples import load_worst_samples
from auricle.runs.metrics import read_metrics
from tests.support.site_runs import make_site_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_site_runs(tmp_path_factory.mktemp("runs"))


def test_the_samples_are_those_of_the_report(runs: list[Path]) -> None:
    for path in runs:
        report = (path / "report.html").read_text(encoding="utf-8")
        shown = report.split('data-id="')[1:]
        samples = load_worst_samples(path, read_metrics(path).overall[0], audio=False)
        assert [sample.id for sample in samples] == [part.partition('"')[0] for part in shown]
        assert all(sample.score in report for sample in samples)
        assert samples[0].score


def test_sound_is_read_only_if_asked_for(runs: list[Path]) -> None:
    number = read_metrics(runs[2]).overall[0]
    assert not any(sample.audio for sample in load_worst_samples(runs[2], number, audio=False))
    assert load_worst_samples(runs[2], number, audio=True)[0].audio
