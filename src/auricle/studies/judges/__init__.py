"""Biases of judges."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "biases of judges",
    commands={
        "judge-check": ("commands:judge_check", "Measure the biases of the judge of RUN, or of another one.", "Inspect")
    },
    report_sections={"judge-checks": ("report:render_judge_checks", "what was measured about judges", "130")},
    more={"extras": {"judge_checks": ("document:JudgeChecksExtra", "what was measured about judges")}},
)
