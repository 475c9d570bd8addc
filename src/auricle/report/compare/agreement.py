"""Agreement between two models that predict numbers, regardless of the references."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from auricle.core.types import Output
from auricle.metrics.model_agreement import ModelAgreement, measure_agreement
from auricle.report.compare.loading import ComparedRun, Pairs

NO_OUTPUTS: tuple[Output, ...] = ()


def measure_agreements(a: ComparedRun, b: ComparedRun, pairs: Pairs) -> list[ModelAgreement]:
    """Compute how well two runs agree on each output that both predict."""
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
                f", and they choose the same of two in {100 * each.alike:.1f} % of {each.pairs:,} pairs "
                f"(Cohen's kappa {each.kappa:.2f})"
            )
        yield (
            f"The {each.output} scores of the two models for {each.sounds:,} recordings have "
            f"an SRCC of {each.srcc:.3f}{alike}."
        )
