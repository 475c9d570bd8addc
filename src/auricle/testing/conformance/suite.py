"""Run all checks of a model: it is loaded and called as in a run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from auricle.api import LoadedModel, load_model
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import ABILITY_BY_REQUEST, Generate, Predict, Request
from auricle.media import Audio
from auricle.models.limits import ModelLimits
from auricle.testing.conformance.checks import CHECKS
from auricle.testing.conformance.report import CheckFailed, CheckResult, CheckSkipped, ModelCheckError, ModelReport
from auricle.testing.conformance.subject import CheckOptions, Subject, add_context, describe_error
from auricle.testing.samples import make_request, sample_sounds

DEFAULT_RATE = 16_000
CLOSE = "close"


def check_model(
    model: Any,
    *,
    arguments: Mapping[str, Any] | None = None,
    requests: Sequence[Request] = (),
    skip: Mapping[str, str] | None = None,
    tolerance: float = 1e-3,
    long_seconds: float = 60.0,
) -> ModelReport:
    """Check that a model does what Auricle relies on, for each method that it has.

    None of the checks needs to know what is correct: they compare outputs with each other.

    Args:
        model: What `load_model` takes: a function, a class, an object, or a name.
        arguments: Arguments of the model.
        requests: Requests that the model should answer, if it takes other inputs than a sound with an instruction. The
            sound of the first is replaced to check silence, long sounds and so on.
        skip: Checks to leave out, with the reason: `{"determinism": "the server samples"}`. A name such as
            `generate.determinism` leaves it out for one method.
        tolerance: Largest relative or absolute difference of numbers that count as equal.
        long_seconds: Length of the longest sound that is sent.

    Returns:
        The checks that passed, and those that were skipped with the reason.

    Raises:
        ModelCheckError: an `AssertionError` that lists what was expected of each failed check, and what came.

    Examples:
        >>> from auricle.testing import check_model
        >>> def measure(audio) -> str:
        ...     return f"{len(audio.decode(16_000))} samples"
        >>> report = check_model(measure)
        >>> report.failed, report.skipped["generate.batch"]
        ([], 'batch_size = 1')
    """
    options = CheckOptions(requests, skip or {}, tolerance, long_seconds)
    for name in options.skip:
        if name.rpartition(".")[2] not in (*CHECKS, CLOSE):
            raise SpecError(f"skip: unknown check {name!r}. Expected one of: {', '.join([*CHECKS, CLOSE])}.")
    load = partial(load_model, model, **(arguments or {}))
    name = model if isinstance(model, str) else getattr(model, "__name__", type(model).__name__)
    is_factory = isinstance(model, str) or inspect.isclass(model) or inspect.isroutine(model)
    with TemporaryDirectory(prefix="auricle-check-") as folder:
        report = ModelReport(name, tuple(_check_loaded(load(), load if is_factory else None, folder, options)))
    if report.failed:
        raise ModelCheckError(report)
    return report


def _check_loaded(
    loaded: LoadedModel, load_again: Callable[[], LoadedModel] | None, folder: str, options: CheckOptions
) -> Iterator[CheckResult]:
    """Run all checks for each method of a model, and close it."""
    is_closed = False
    try:
        limits = ModelLimits.of(type(loaded.model))
        rate = limits.sample_rates[0] if limits.sample_rates else DEFAULT_RATE
        sounds = sample_sounds(folder, rate=rate, max_seconds=limits.max_seconds, long_seconds=options.long_seconds)
        for kind in _choose_kinds(loaded, options, sounds):
            yield from _check_method(Subject(loaded, kind, sounds, options, load_again))
        is_closed = True
        yield _check_close(loaded, options)
    finally:
        if not is_closed:
            loaded.close()


def _choose_kinds(loaded: LoadedModel, options: CheckOptions, sounds: Mapping[str, Audio]) -> list[type[Request]]:
    """Return the kinds of request to check: those of the user's requests, or all that the model answers.

    What a function returns decides what it is: one that does not return text is checked with `Predict` alone.
    """
    kinds = [kind for kind, ability in ABILITY_BY_REQUEST.items() if ability in loaded.abilities]
    if options.requests:
        return [kind for kind in kinds if any(type(request) is kind for request in options.requests)]
    model_class: Any = type(loaded.model)
    if {Generate, Predict} <= {*kinds} and model_class.generate is model_class.predict:
        request = add_context(make_request(Generate, sounds["speech"]), model_class)
        kinds.remove(Generate if isinstance(loaded.send_all([request])[0], SampleError) else Predict)
    return kinds


def _check_method(subject: Subject) -> Iterator[CheckResult]:
    """Run the checks of a method; without answers to ordinary requests, the others are skipped."""
    first, *others = CHECKS
    result = _run_check(subject, first)
    yield result
    for name in others:
        if result.outcome == "failed":
            full_name = f"{subject.ability}.{name}"
            yield CheckResult(name=full_name, outcome="skipped", reason=f"{result.name} failed")
        else:
            yield _run_check(subject, name)


def _run_check(subject: Subject, name: str) -> CheckResult:
    full_name = f"{subject.ability}.{name}"
    if reason := subject.options.skip.get(full_name) or subject.options.skip.get(name):
        return CheckResult(name=full_name, outcome="skipped", reason=reason)
    try:
        CHECKS[name](subject)
    except CheckSkipped as skipped:
        return CheckResult(name=full_name, outcome="skipped", reason=str(skipped))
    except CheckFailed as failure:
        return CheckResult(name=full_name, outcome="failed", expected=failure.expected, actual=failure.actual)
    return CheckResult(name=full_name, outcome="passed")


def _check_close(loaded: LoadedModel, options: CheckOptions) -> CheckResult:
    """Close the model: it releases its resources without an error."""
    try:
        loaded.close()
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        if CLOSE not in options.skip:
            expected = "close() to release the resources of the model without an error"
            return CheckResult(name=CLOSE, outcome="failed", expected=expected, actual=describe_error(error))
    if reason := options.skip.get(CLOSE):
        return CheckResult(name=CLOSE, outcome="skipped", reason=reason)
    return CheckResult(name=CLOSE, outcome="passed")
