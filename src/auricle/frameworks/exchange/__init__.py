"""Configs and results of other frameworks, in and out: what frameworks share."""

from auricle.core.features import Feature

IMPORTABLE_KINDS = ("asr", "mcq", "qa", "open", "classify")
"""Kinds of task that imported result rows can be scored as."""

FEATURE = Feature(
    __name__,
    "configs and results of other frameworks, in and out",
    commands={
        "export": ("commands:export", "Export a run in the result format of another framework.", "Inspect"),
        "import": (
            "commands:import_",
            "Import another framework's configs as task files, or its results as runs.",
            "Data and environments",
        ),
    },
)
