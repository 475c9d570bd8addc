"""Listening tests: people rate or compare sounds."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "listening tests: people rate or compare sounds",
    commands={
        "listen-test": (
            "commands:listen_test",
            "Let people rate or compare sounds without knowing where they come from.",
            "Evaluate",
        )
    },
    report_sections={
        "listening-test": ("html:render_listening_test", "systems, pairs, items and listeners", "20"),
        "correlation-with-people": ("html:render_people_correlations", "how metrics correlate with people", "30"),
    },
    more={
        "extras": {
            "people_correlations": (
                "correlations_document:PeopleCorrelationsExtra",
                "how metrics correlate with people",
            )
        },
        # What runs of listening tests named as their task before it moved here.
        "former_paths": {"auricle.tasks.listening_tests.task:listening_test": ("task:listening_test", "")},
    },
)
