"""For models that tell numbers: how far the two say the same, whatever the truth is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from auricle.core.types import Output
from auricle.metrics.model_agreement import ModelAgreement, measure_agreement
from auricle.report.compare.loading import ComparedRun, Pairs

NO_OUTPUTS: tuple[Output, ...] = ()


def measure_agreements(a: ComparedRun, b: ComparedRun, pairs: Pairs) -> list[ModelAgreement]:
    """How two runs agree on each output both tell; none where one of them tells none."""
    if not a.outputs or not b.outputs:
        return []
    return measure_agreement(
        [a.outputs.get(place, NO_OUTPUTS) for place in pairs.a.tolist()],
        [b.outputs.get(place, NO_OUTPUTS) for place in pairs.b.tolist()],
    )


def describe_agreements(agreements: Sequence[ModelAgreement]) -> Iterator[str]:
    for each in agreements:
        if math.isnan(each.srcc):
            continue
        alike = ""
        if each.pairs:
            alike = (
                f", and they decide {100 * each.alike:.1f} % of {each.pairs:,} pairs alike "
                f"(Cohen's kappa {each.kappa:.2f})"
            )
        yield (f"The two models' {each.output} of {each.sounds:,} sounds correlate with SRCC {each.srcc:.3f}{alike}.")
