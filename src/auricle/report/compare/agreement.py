"""For models that tell numbers: how far the two say the same, whatever the truth is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from auricle.core.types import Output
from auricle.metrics.agreement import Agreement, agreement
from auricle.report.compare.loading import Pairs, Side

NOTHING: tuple[Output, ...] = ()


def agreements(a: Side, b: Side, pairs: Pairs) -> list[Agreement]:
    """How two runs agree on each output both tell; none where one of them tells none."""
    if not a.told or not b.told:
        return []
    return agreement(
        [a.told.get(place, NOTHING) for place in pairs.a.tolist()],
        [b.told.get(place, NOTHING) for place in pairs.b.tolist()],
    )


def sentences(found: Sequence[Agreement]) -> Iterator[str]:
    for each in found:
        if math.isnan(each.srcc):
            continue
        alike = ""
        if each.pairs:
            alike = (
                f", and they decide {100 * each.alike:.1f} % of {each.pairs:,} pairs alike "
                f"(Cohen's kappa {each.kappa:.2f})"
            )
        yield (
            f"The two models' {each.output} of {each.sounds:,} sounds correlate with "
            f"SRCC {each.srcc:.3f}{alike}."
        )
