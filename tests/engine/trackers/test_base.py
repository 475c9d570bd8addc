import pytest

from auricle.core.errors import MissingExtra, SpecError, UnknownName
from auricle.engine.trackers.base import explain, find_trackers
from tests.support.trackers import RecordingTracker


def test_an_unknown_tracker_is_reported_with_similar_names() -> None:
    with pytest.raises(UnknownName, match=r"Unknown tracker 'trackyo'. Did you mean trackio"):
        find_trackers(["trackyo"])


def test_a_missing_package_is_reported_with_the_command_that_installs_it(recording: type[RecordingTracker]) -> None:
    recording.module, recording.extra = "no_such_module", "mlflow"
    with pytest.raises(MissingExtra, match=r"'recording' needs an optional package: pip install 'auricle\[mlflow\]'"):
        find_trackers(["recording"])


def test_errors_become_sentences_without_secrets() -> None:
    assert explain(SpecError("There is no account. Log in.")) == "There is no account. Log in."
    assert explain(ConnectionError("http://me:hunter2secret@host refused")) == "ConnectionError: http://…@host refused."
