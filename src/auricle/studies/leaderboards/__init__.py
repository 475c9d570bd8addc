"""Tables and websites of many runs."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "tables and websites of many runs",
    commands={
        "leaderboard": ("commands:leaderboard", "Print a leaderboard; only comparable runs share a column.", "Inspect")
    },
)
