"""How much data shows a difference."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "how much data shows a difference",
    commands={"plan": ("commands:plan", "Compute how much data shows a difference between two models.", "Evaluate")},
)
