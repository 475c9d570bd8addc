"""The trackers of `auricle run --log` and `auricle log`. They are imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auricle.core.registry import Builtin, Registry

if TYPE_CHECKING:
    from auricle.interop.trackers.base import Tracker

TRACKERS: Registry[type[Tracker]] = Registry(
    "tracker",
    {
        "mlflow": Builtin("auricle.interop.trackers.mlflow:MlflowTracker", "MLflow, on a server or in a folder"),
        "trackio": Builtin("auricle.interop.trackers.trackio:TrackioTracker", "Trackio, on this machine or the Hub"),
        "wandb": Builtin("auricle.interop.trackers.wandb:WandbTracker", "Weights & Biases, online or offline"),
    },
    expects=(type, "a subclass of auricle.interop.trackers.base.Tracker"),
)
