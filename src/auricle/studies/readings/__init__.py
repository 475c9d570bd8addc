"""Audits of how answers were read from replies."""

from auricle.core.features import Feature

FEATURE = Feature(
    __name__,
    "audits of how answers were read from replies",
    commands={"audit": ("commands:audit", "Check by hand how answers were read from the replies of a run.", "Inspect")},
    more={"extras": {"audit": ("document:AuditExtra", "how often answers were read right")}},
)
