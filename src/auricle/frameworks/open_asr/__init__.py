"""Result files of the Open ASR Leaderboard."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "result files of the Open ASR Leaderboard",
    more={
        "importers": {"open-asr": ("results:FORMAT", "results of the Open ASR Leaderboard")},
        "exporters": {"open-asr": ("results:export", "results of the Open ASR Leaderboard")},
    },
)
