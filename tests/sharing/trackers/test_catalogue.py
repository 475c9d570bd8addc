from auricle.sharing.trackers.base import Tracker
from auricle.sharing.trackers.catalogue import TRACKERS


def test_every_listed_tracker_can_be_loaded() -> None:
    assert sorted(TRACKERS) == ["mlflow", "trackio", "wandb"]
    assert all(issubclass(TRACKERS.get(name), Tracker) for name in TRACKERS)
