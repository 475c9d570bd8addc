"""Language identification for Auricle."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "which language is spoken",
    task_kinds={"lid": ("kind:lid", "language identification on your data (`--as lid`)")},
    metrics={"metrics": {"related_language": "share of answers with the right language or a related one"}},
    commands={"language-sets": ("commands:language_sets", "List the sets of languages of `--as lid`.", "Inspect")},
    report_sections={"languages": ("report:render_languages", "languages taken for each other", "45")},
    more={
        "figures": {"lid": ("report:LanguageFigures", "the language that was answered, and whether it is related")},
        "record_observers": {"languages": ("report:LanguageCounts", "languages taken for each other")},
    },
)
