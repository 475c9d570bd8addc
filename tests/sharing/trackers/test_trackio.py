import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auricle.engine.trackers.base import FinalState, TrackedRun
from auricle.sharing.trackers.trackio import TrackioTracker
from tests.support.extras import require_extra

require_extra("trackio")
pytestmark = pytest.mark.slow
RUN = TrackedRun(key="1f" * 16, name="demo-echo-1f1f1f1f", project="auricle", parameters={"task": "demo"})


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import trackio.sqlite_storage
    import trackio.utils

    for module in (trackio.sqlite_storage, trackio.utils, trackio):  # the variable is read when it is imported
        monkeypatch.setattr(module, "TRACKIO_DIR", tmp_path)
    return tmp_path / "auricle.db"


def test_progress_numbers_and_config_are_stored_in_one_run(database: Path) -> None:
    for value in (0.5, 0.25):
        tracker = TrackioTracker()
        tracker.start(RUN)
        tracker.log({"inference/done": 2.0}, 2)
        tracker.finish(FinalState(numbers={"wer": value, "wer/low": 0.125}, facts={"wer/signature": "s"}, step=4))
    with closing(sqlite3.connect(database)) as connection:
        metrics = connection.execute("select run_name, step, metrics from metrics order by id").fetchall()
        configs = [json.loads(text) for (text,) in connection.execute("select config from configs")]
    assert {name for name, _, _ in metrics} == {RUN.name}
    assert [(step, json.loads(values)) for _, step, values in metrics][-2:] == [
        (2, {"inference/done": 2.0}),
        (4, {"wer": 0.25, "wer/low": 0.125}),
    ]
    (config,) = configs
    assert (config["task"], config["wer/signature"], config["status"]) == ("demo", "s", "finished")
