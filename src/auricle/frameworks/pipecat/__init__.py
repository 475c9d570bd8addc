"""Eval scenarios of pipecat."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "eval scenarios of pipecat",
    more={"config_importers": {"pipecat": ("config_import:draft_tasks", "eval scenarios of pipecat")}},
)
