"""Compare and describe the outputs of a model, and check their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.testing.conformance.report import CheckFailed

MAX_SHOWN_CHARACTERS = 80


def outputs_equal(first: Output, second: Output, tolerance: float) -> bool:
    """Return whether two outputs say the same; token counts and times may differ, and numbers by the tolerance."""
    if isinstance(first, Generation) and isinstance(second, Generation):
        return first.text == second.text
    if isinstance(first, Likelihood) and isinstance(second, Likelihood):
        return _all_close(first.logprobs, second.logprobs, tolerance)
    if isinstance(first, Prediction) and isinstance(second, Prediction):
        if (first.scale, first.values.keys()) != (second.scale, second.values.keys()):
            return False
        return _all_close(first.values.values(), [second.values[name] for name in first.values], tolerance)
    return False


def _all_close(first: Iterable[float], second: Iterable[float], tolerance: float) -> bool:
    numbers, others = list(first), list(second)
    return len(numbers) == len(others) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(numbers, others, strict=True)
    )


def describe_output(output: Output) -> str:
    if isinstance(output, Generation):
        text = output.text if len(output.text) <= MAX_SHOWN_CHARACTERS else f"{output.text[:MAX_SHOWN_CHARACTERS]}…"
        return repr(text)
    if isinstance(output, Likelihood):
        return f"log-probabilities with a sum of {output.total:.6g}"
    if isinstance(output, CallRecording):
        return f"a call of {output.seconds:.1f} s with {len(output.events)} events"
    return "{" + ", ".join(f"{name}: {value:.6g}" for name, value in output.values.items()) + "}"


def check_values(outputs: Sequence[Output], tolerance: float) -> None:
    """Raise `CheckFailed` if the numbers of an output cannot be right, whatever the request was."""
    for output in outputs:
        if isinstance(output, Likelihood):
            check_logprobs(output.logprobs)
        elif isinstance(output, Prediction):
            _check_prediction(output, outputs[0], tolerance)
        elif isinstance(output, CallRecording) and output.is_dropped:
            raise CheckFailed("a session until the caller hangs up", output.select(EventKind.DROPPED)[-1].text)


def check_logprobs(logprobs: Iterable[float]) -> None:
    """Raise `CheckFailed` if there are none, or one of them is above 0."""
    values = list(logprobs)
    if not values or max(values) > 0:
        actual = f"{max(values):.6g}" if values else "no log-probabilities"
        raise CheckFailed("natural-log probabilities, which are at most 0", actual)


def _check_prediction(output: Prediction, first: Output, tolerance: float) -> None:
    if isinstance(first, Prediction) and output.values.keys() != first.values.keys():
        raise CheckFailed(
            f"the same names in every prediction: {', '.join(first.values)}", ", ".join(output.values) or "no values"
        )
    if output.scale != "probability":
        return
    total = sum(output.values.values())
    if min(output.values.values(), default=-1.0) < 0 or abs(total - 1) > max(tolerance, 1e-3):
        raise CheckFailed(
            "probabilities from 0 to 1 with a sum of 1; other numbers have the scale 'logit' or 'continuous'",
            f"{describe_output(output)}, with a sum of {total:.6g}",
        )
