"""Lagging of simultaneous recognition or translation: AP, AL, LAAL and DAL of one utterance.

`delays` are the seconds of the source that had been sent when each word of the hypothesis was written; `source` is the
length of the source in seconds. The formulas are those of SimulEval.
"""

from __future__ import annotations

from collections.abc import Sequence


def average_proportion(delays: Sequence[float], source: float, reference_length: int) -> float:
    """Return the average proportion (Cho and Esipova 2016).

    >>> average_proportion([1, 1, 2, 3, 4, 4], 4, 5)
    0.75
    """
    return sum(delays) / (source * reference_length)


def average_lagging(delays: Sequence[float], source: float, reference_length: int) -> float:
    """Return the average lagging (Ma et al. 2019), over the words up to the first that follows the whole source.

    >>> round(average_lagging([1, 1, 2, 3, 4, 4], 4, 5), 3)
    0.6
    """
    if delays[0] > source:
        return delays[0]
    count = next((index for index, delay in enumerate(delays, start=1) if delay >= source), len(delays))
    pace = source / reference_length
    return sum(delay - index * pace for index, delay in enumerate(delays[:count])) / count


def length_adaptive_average_lagging(delays: Sequence[float], source: float, reference_length: int) -> float:
    """Return the length-adaptive average lagging (Papi et al. 2022), which does not reward long hypotheses.

    >>> round(length_adaptive_average_lagging([1, 1, 2, 3, 4, 4], 4, 5), 5)
    0.86667
    """
    return average_lagging(delays, source, max(reference_length, len(delays)))


def differentiable_average_lagging(delays: Sequence[float], source: float) -> float:
    """Return the differentiable average lagging (Arivazhagan et al. 2019), in which a delay is never made up for.

    >>> round(differentiable_average_lagging([1, 1, 2, 3, 4, 4], 4), 5)
    1.11111
    """
    pace = source / len(delays)
    total = latest = 0.0
    for index, delay in enumerate(delays):
        latest = max(delay, latest + pace) if index else delay
        total += latest - index * pace
    return total / len(delays)
