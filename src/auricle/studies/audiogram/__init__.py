"""How a model copes with noise, reverberation and codecs, level by level."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "how a model copes with noise, reverberation and codecs, level by level",
    commands={
        "audiogram": (
            "commands:audiogram",
            "Measure how a model copes with noise, reverberation, codecs and more, level by level.",
            "Evaluate",
        )
    },
    report_sections={"audiogram": ("figure:render_audiogram", "the curves of a task under conditions", "10")},
    more={
        "suite_kinds": {"conditions": ("suite:Conditions", "one task under several conditions")},
        "suite_views": {"audiogram": ("report:AudiogramView", "levels, and where a model stops working")},
    },
)
