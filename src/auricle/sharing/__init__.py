"""Numbers of runs in formats of other sites, and experiment trackers."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "numbers of runs in formats of other sites, and experiment trackers",
    commands={
        "publish": ("commands:publish", "Write the numbers of runs in a format of another site or tool.", "Inspect"),
        "log": ("commands:log", "Log finished runs to experiment trackers.", "Inspect"),
    },
    more={
        "registries": {"publishers": ("exports.catalogue:PUBLISHERS", "formats of `auricle publish`")},
        "trackers": {
            "mlflow": ("trackers.mlflow:MlflowTracker", "MLflow, on a server or in a folder"),
            "trackio": ("trackers.trackio:TrackioTracker", "Trackio, on this machine or the Hub"),
            "wandb": ("trackers.wandb:WandbTracker", "Weights & Biases, online or offline"),
        },
    },
)
