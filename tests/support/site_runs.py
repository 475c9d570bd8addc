"""Runs of several recognisers and of a quiz, for the tests of websites and ranks."""

from pathlib import Path

from auricle.runs.metrics import Metrics, read_metrics
from tests.support.app_runs import make_run, write_quiz_data, write_speech_data

ERROR_RATES = {"best": 0.05, "middle": 0.25, "worst": 0.6}


def make_site_runs(folder: Path, count: int = 16) -> list[Path]:
    """Evaluate three recognisers on the same speech, and a model on a quiz."""
    data = folder / "data"
    data.mkdir(parents=True)
    speech, quiz = write_speech_data(data, count), write_quiz_data(data, count)
    runs = [
        make_run(folder / name, "asr", speech, "Recogniser", {"by": "accent"}, error_rate=rate)
        for name, rate in ERROR_RATES.items()
    ]
    return [*runs, make_run(folder / "quiz", "mcq", quiz, "MultipleChoice", accuracy=0.5)]


def make_more_speech(folder: Path, count: int) -> list[Path]:
    """Evaluate the three recognisers on other speech as well."""
    (folder / "other").mkdir(parents=True)
    speech = write_speech_data(folder / "other", count)
    return [
        make_run(folder / f"{name}-other", "asr", speech, "Recogniser", error_rate=rate)
        for name, rate in ERROR_RATES.items()
    ]


def load_runs(paths: list[Path]) -> list[tuple[Path, Metrics]]:
    return [(path, read_metrics(path)) for path in paths]
