"""Log runs to MLflow.

A run is identified by a tag. Parameters of MLflow cannot be changed, so what scoring can change is stored in tags. In
a folder, each metric is a file, so that `wer/low` would need a folder with the name of the file `wer`: it is `wer.low`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from auricle.core.errors import SpecError
from auricle.core.redaction import redact_text
from auricle.engine.trackers.base import DEFAULT_PROJECT, FinalState, TrackedRun, Tracker

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient

T = TypeVar("T")
EXPERIMENT_VARIABLE = "MLFLOW_EXPERIMENT_NAME"
KEY_TAG, GROUP_TAG = "auricle.run", "auricle.suite"
STATUSES = {"finished": "FINISHED", "stopped": "KILLED", "failed": "FAILED"}
FOLDER_SCHEMES, DATABASE_SCHEMES = ("", "file"), ("sqlite", "postgresql", "mysql", "mssql")
FORBIDDEN = re.compile(r"[^\w\-. :/]", re.ASCII)
"""Characters that names of MLflow may not contain, such as the @ of `wer@basic`."""
MAX_PER_BATCH = 100
"""MLflow accepts this number of parameters or tags at once."""


class MlflowTracker(Tracker):
    """Logs to the server or folder that `MLFLOW_TRACKING_URI` names."""

    module = extra = "mlflow"
    _client: MlflowClient

    def start(self, run: TrackedRun) -> None:
        from mlflow.entities import Param
        from mlflow.tracking import MlflowClient

        _check_store()
        self._client = client = MlflowClient()
        self._separator = "." if urlsplit(client.tracking_uri).scheme in FOLDER_SCHEMES else "/"
        name = run.project or os.environ.get(EXPERIMENT_VARIABLE) or DEFAULT_PROJECT
        experiment = client.get_experiment_by_name(name)
        experiment_id = experiment.experiment_id if experiment else client.create_experiment(name)
        tags = {KEY_TAG: run.key, **({GROUP_TAG: run.group} if run.group else {})}
        existing = client.search_runs([experiment_id], f"tags.`{KEY_TAG}` = '{run.key}'", max_results=1)
        mlflow_run = existing[0] if existing else client.create_run(experiment_id, tags=tags, run_name=run.name)
        self._run_id: str = mlflow_run.info.run_id
        self.location = f"run {run.name} of the experiment {name} at {redact_text(client.tracking_uri)}"
        if existing:
            client.update_run(self._run_id, status="RUNNING")
        stored = mlflow_run.data.params
        parameters = {_make_name(name): str(value) for name, value in run.parameters.items()}
        for batch in _split([Param(name, text) for name, text in parameters.items() if name not in stored]):
            client.log_batch(self._run_id, params=batch)

    def log(self, values: Mapping[str, float], step: int) -> None:
        from mlflow.entities import Metric

        now = round(time.time() * 1000)
        metrics = {_make_name(name).replace("/", self._separator): value for name, value in values.items()}
        for batch in _split([Metric(name, value, now, step) for name, value in metrics.items()]):
            self._client.log_batch(self._run_id, metrics=batch)

    def finish(self, final: FinalState) -> None:
        from mlflow.entities import RunTag

        self.log(final.numbers, final.step)
        for batch in _split([RunTag(_make_name(name), text) for name, text in final.facts.items()]):
            self._client.log_batch(self._run_id, tags=batch)
        self._client.set_terminated(self._run_id, STATUSES[final.status])


def _check_store() -> None:
    """Raise an error if the store is a database, the default, and only the small package is installed."""
    import mlflow

    scheme = urlsplit(uri := mlflow.get_tracking_uri()).scheme
    if scheme.startswith(DATABASE_SCHEMES) and find_spec("sqlalchemy") is None:
        raise SpecError(
            f"The store {redact_text(uri)} is a database, which needs the full package: pip install mlflow. "
            "Or set MLFLOW_TRACKING_URI to the address of a server."
        )


def _split(entries: list[T]) -> list[list[T]]:
    """Split entries into batches of the size that a server accepts."""
    return [entries[start : start + MAX_PER_BATCH] for start in range(0, len(entries), MAX_PER_BATCH)]


def _make_name(name: str) -> str:
    return FORBIDDEN.sub("_", name)
