"""Why metrics have no number."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def group_by_reason(refusals: Mapping[str, str], title: Callable[[str], str] = str) -> list[tuple[list[str], str]]:
    """Group metrics by reason; name metrics of several dimensions once. `title` formats the name of a metric."""
    from auricle.metrics.catalogue import DIMENSIONS  # `auricle show` starts faster without it

    by_reason: dict[str, dict[str, None]] = {}
    for name, reason in refusals.items():
        _, _, dimension = name.rpartition("_")
        family = title(name).removesuffix(dimension).rstrip("_ ") if dimension in DIMENSIONS else title(name)
        by_reason.setdefault(reason, {})[family] = None
    return [(list(names), reason) for reason, names in by_reason.items()]
