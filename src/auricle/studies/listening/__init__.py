"""Whether a model uses the sound to answer."""

from auricle.core.features import Feature

LISTENING = "listening"
"""The purpose of a suite of conditions that shows whether a model uses the sound."""

FEATURE = Feature(
    __name__,
    "whether a model uses the sound to answer",
    commands={"listen": ("commands:listen", "Check whether a model uses the sound of TASK.", "Evaluate")},
    report_sections={"listening": ("sections:render_listening", "the controls of a listening check", "110")},
    more={
        "suite_kinds": {LISTENING: ("numbers:ListeningCheck", "the controls of a listening check")},
        "suite_views": {"listening": ("table:ListeningView", "controls, and what the sound contributes")},
    },
)
