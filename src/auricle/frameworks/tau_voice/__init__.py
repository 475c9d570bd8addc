"""Simulations of τ-voice."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "calls that τ-voice has simulated",
    more={"importers": {"tau-voice": ("results:FORMAT", "results of τ-voice")}},
)
