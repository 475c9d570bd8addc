"""The trackers of `auricle run --log` and `auricle log`. They are imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auricle.core.registry import Builtin, Registry

if TYPE_CHECKING:
    from auricle.sharing.trackers.base import Tracker

TRACKERS: Registry[type[Tracker]] = Registry(
    "tracker",
    {
        "mlflow": Builtin("auricle.sharing.trackers.mlflow:MlflowTracker", "MLflow, on a server or in a folder"),
        "trackio": Builtin("auricle.sharing.trackers.trackio:TrackioTracker", "Trackio, on this machine or the Hub"),
        "wandb": Builtin("auricle.sharing.trackers.wandb:WandbTracker", "Weights & Biases, online or offline"),
    },
    expects=(type, "a subclass of auricle.sharing.trackers.base.Tracker"),
)
