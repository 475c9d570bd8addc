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
    more={
        "registries": {
            "importers": ("result_files:IMPORTERS", "formats of results that `auricle import` reads"),
            "config-importers": ("task_drafts:CONFIG_IMPORTERS", "configs that `auricle import` reads"),
            "exporters": ("result_files:EXPORTERS", "formats of `auricle export`"),
        }
    },
)
