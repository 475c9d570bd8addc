from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.engine.trackers.base import FinalState, TrackedRun
from auricle.sharing.trackers.mlflow import MlflowTracker
from tests.support.extras import require_extra

require_extra("mlflow")
pytestmark = pytest.mark.slow
PARAMETERS: dict[str, str | int] = {"task": "demo", "model_args.beams": 4}
RUN = TrackedRun(key="1f" * 16, name="demo-echo-1f1f1f1f", project="", group="suite", parameters=PARAMETERS)


def test_logging_twice_updates_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", tmp_path.as_uri())
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "speech")
    for value, signature in ((0.5, "old"), (0.25, "new")):
        tracker = MlflowTracker()
        tracker.start(RUN)
        tracker.log({"inference/done": 2.0}, 2)
        numbers = {"wer": value, "wer/low": 0.125, "wer@basic": 0.0}
        tracker.finish(FinalState(numbers=numbers, facts={"wer/signature": signature}, step=4, status="stopped"))

    from mlflow.tracking import MlflowClient

    client = MlflowClient()
    experiment = client.get_experiment_by_name("speech")
    assert experiment is not None
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.data.metrics == {"inference.done": 2.0, "wer": 0.25, "wer.low": 0.125, "wer_basic": 0.0}
    assert run.data.params == {"task": "demo", "model_args.beams": "4"}
    assert run.data.tags["wer/signature"] == "new"
    assert run.data.tags["auricle.suite"] == "suite"
    assert (run.info.run_name, run.info.status) == (RUN.name, "KILLED")


def test_a_database_without_the_full_package_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from auricle.sharing.trackers import mlflow

    monkeypatch.setattr(mlflow, "find_spec", lambda _: None)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    with pytest.raises(SpecError, match="pip install mlflow"):
        MlflowTracker().start(RUN)
