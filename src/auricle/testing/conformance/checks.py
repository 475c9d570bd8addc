"""The checks of a model's method. Each returns if it passed, or raises `CheckFailed` or `CheckSkipped`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from auricle.core.errors import AuricleError, SampleError
from auricle.core.types import Generate, Generation, Output
from auricle.engine.outputs import normalise_output
from auricle.models.base import AsyncModel
from auricle.testing.conformance.outputs import check_logprobs, check_values, describe_output
from auricle.testing.conformance.report import CheckFailed, CheckSkipped
from auricle.testing.conformance.subject import Subject, Trial, describe_error, describe_request
from auricle.testing.samples import add_turns

FIRST_TOKENS = 5


def check_answers(subject: Subject) -> Trial:
    """Every ordinary request gets an output that can be stored."""
    try:
        return subject.trial
    except CheckFailed as failure:
        if subject.options.requests:
            raise
        advice = "If the model takes other inputs, give requests=[…]; if it takes no audio, declare modalities"
        raise CheckFailed(failure.expected, f"{failure.actual.rstrip('.')}. {advice}") from failure


def check_output_values(subject: Subject) -> None:
    """Log-probabilities are at most 0, probabilities add up to 1, and all predictions have the same names."""
    check_values(subject.trial.singles, subject.options.tolerance)


def check_determinism(subject: Subject) -> None:
    """The same request gets the same output again."""
    if subject.is_chance:
        raise CheckFailed(
            f"the same output each time {describe_request(subject.template)} is sent",
            f"{describe_output(subject.trial.first)}, then {describe_output(subject.trial.repeated)}",
        )


def check_state(subject: Subject) -> None:
    """An output does not depend on earlier requests."""
    _require_determinism(subject)
    first, repeated, _, later = subject.trial
    for output in (repeated, later):
        if not subject.equal(first, output):
            raise CheckFailed(
                f"{describe_output(first)} for {describe_request(subject.template)}, also after other requests",
                describe_output(output),
            )


def check_batch(subject: Subject) -> list[Output]:
    """A batch gets one output per request."""
    if isinstance(subject.model, AsyncModel):
        raise CheckSkipped("an AsyncModel answers one request per call")
    _require_several(subject)
    return subject.joint_outputs


def check_order(subject: Subject) -> None:
    """Outputs are in the order of the requests."""
    try:
        joint, singles = _get_comparable(subject), subject.trial.singles
    except CheckFailed as failure:
        raise CheckSkipped("there are no outputs to compare") from failure
    if all(subject.equal(singles[0], other) for other in singles[: len(joint)]):
        raise CheckSkipped("all requests get the same output")
    for index, place in _find_displaced(subject, joint).items():
        raise CheckFailed(
            f"output {index + 1} of {len(joint)} to be {describe_output(singles[index])}, as when "
            f"{describe_request(subject.batch[index])} is sent alone",
            f"{describe_output(joint[index])}, which belongs to request {place + 1}",
        )


def _find_displaced(subject: Subject, joint: Sequence[Output]) -> dict[int, int]:
    """Return where each output belongs that is not in its place; nothing unless all of them only changed places."""
    singles = subject.trial.singles[: len(joint)]
    wrong = [index for index, output in enumerate(joint) if not subject.equal(output, singles[index])]
    places = {
        index: place
        for index in wrong
        for place, single in reversed([*enumerate(singles)])
        if subject.equal(joint[index], single)
    }
    return places if {*places.values()} == {*wrong} else {}


def check_parity(subject: Subject) -> None:
    """An output does not depend on what is answered in the same batch or at the same time."""
    try:
        joint = _get_comparable(subject)
    except CheckFailed as failure:
        if isinstance(subject.model, AsyncModel):
            raise
        raise CheckSkipped("there are no outputs to compare") from failure
    if _find_displaced(subject, joint):
        raise CheckSkipped("the outputs are in the wrong order")
    together = "in flight" if isinstance(subject.model, AsyncModel) else "in a batch"
    for request, single, output in zip(subject.batch, subject.trial.singles, joint, strict=False):
        if not subject.equal(single, output):
            raise CheckFailed(
                f"{describe_output(single)} for {describe_request(request)}, {together} with {len(joint) - 1} others "
                "as when it is sent alone",
                describe_output(output),
            )


def check_sound(*names: str, subject: Subject) -> None:
    """A special sound gets an output that can be stored, or is refused with a `SampleError` that states why."""
    for name in names:
        request = subject.with_sound(name)
        expected = f"an output for {describe_request(request)}, or a SampleError that states why there is none"
        try:
            outputs = list(subject.call([request]))
        except SampleError:
            continue
        except (Exception, SystemExit) as error:
            raise CheckFailed(expected, describe_error(error)) from error
        if len(outputs) != 1:
            raise CheckFailed(expected, f"{len(outputs)} outputs")
        try:
            normalise_output(request, outputs[0])
        except SampleError as error:
            raise CheckFailed(expected, str(error)) from error


def check_damaged_sound(subject: Subject) -> None:
    """A sound that cannot be decoded is an error, not an answer, and fails only its own request."""
    request = subject.with_sound("damaged")
    if not subject.reacts_to_sound:
        raise CheckSkipped("all sounds get the same output")
    neighbours = [] if isinstance(subject.model, AsyncModel) else subject.batch[:2]
    damaged, *outputs = subject.loaded.send_all([request, *neighbours])
    if not isinstance(damaged, BaseException):
        raise CheckFailed(
            f"an error for {describe_request(request)}, which ends in the middle", describe_output(damaged)
        )
    for neighbour, output in zip(neighbours, outputs, strict=True):
        if isinstance(output, BaseException):
            raise CheckFailed(
                f"an output for {describe_request(neighbour)} beside one that fails", describe_error(output)
            )


def check_conversation(subject: Subject) -> None:
    """A conversation of several turns is answered."""
    if not isinstance(subject.template, Generate):
        raise CheckSkipped("only requests for text have turns to answer")
    if "text" not in (subject.limits.modalities or ("text",)):
        raise CheckSkipped("the model takes no text")
    request = add_turns(subject.template)
    try:
        outputs = subject.call([request])
        normalise_output(request, outputs[0])
    except AuricleError as error:
        raise CheckSkipped(f"the model refuses it: {error}") from error
    except (Exception, SystemExit) as error:
        expected = "an output for a conversation of four turns, or a SampleError that states why there is none"
        raise CheckFailed(expected, describe_error(error)) from error


def check_stream(subject: Subject) -> None:
    """Streamed pieces make up the same text as the whole answer."""
    model, template = subject.model, subject.template
    if not isinstance(model, AsyncModel) or not subject.loaded.can_stream or not isinstance(template, Generate):
        raise CheckSkipped("the model does not stream")
    _require_determinism(subject)

    async def collect() -> str:
        return "".join([piece async for piece in model.stream(template)])

    try:
        streamed = subject.loaded.run(collect())
    except Exception as error:
        raise CheckFailed("pieces of text from stream()", describe_error(error)) from error
    whole = subject.trial.first
    assert isinstance(whole, Generation)
    if streamed.strip() != whole.text.strip():
        expected = f"pieces that add up to {describe_output(whole)}, the answer of generate()"
        raise CheckFailed(expected, repr(streamed))


def check_first_tokens(subject: Subject) -> None:
    """A model that declares `first_tokens` returns the most likely first tokens when they are requested."""
    if not isinstance(subject.template, Generate) or "first_tokens" not in subject.loaded.abilities:
        raise CheckSkipped("the model does not declare first_tokens")
    output = subject.send(replace(subject.template, first_tokens=FIRST_TOKENS, max_tokens=1))
    assert isinstance(output, Generation)
    logprobs = output.first_token_logprobs or {}
    if not 0 < len(logprobs) <= FIRST_TOKENS:
        raise CheckFailed(f"1 to {FIRST_TOKENS} tokens in first_token_logprobs", f"{len(logprobs)} tokens")
    check_logprobs(logprobs.values())


def _require_several(subject: Subject) -> None:
    model = subject.model
    if len(subject.batch) > 1:
        return
    if isinstance(model, AsyncModel) or len(subject.requests) == 1:
        raise CheckSkipped("there is only one request; give several as requests=[…]")
    raise CheckSkipped("batch_size = 1" if model.batch_size == 1 else f"batch_seconds = {model.batch_seconds:g}")


def _require_determinism(subject: Subject) -> None:
    skip = subject.options.skip
    if reason := skip.get("determinism") or skip.get(f"{subject.ability}.determinism"):
        raise CheckSkipped(f"it needs determinism, which is skipped: {reason}")
    if subject.is_chance:
        raise CheckSkipped("outputs differ from call to call")


def _get_comparable(subject: Subject) -> list[Output]:
    """Return the joint outputs, unless a comparison with single ones would fail for another reason."""
    _require_several(subject)
    _require_determinism(subject)
    first, repeated, _, later = subject.trial
    if not subject.equal(first, repeated) or not subject.equal(first, later):
        raise CheckSkipped("outputs depend on earlier requests")
    return subject.joint_outputs


CHECKS: Mapping[str, Callable[[Subject], object]] = {
    "answers": check_answers,
    "values": check_output_values,
    "determinism": check_determinism,
    "state": check_state,
    "batch": check_batch,
    "order": check_order,
    "parity": check_parity,
    "silent_sound": lambda subject: check_sound("silent", subject=subject),
    "short_sound": lambda subject: check_sound("short", subject=subject),
    "long_sound": lambda subject: check_sound("long", subject=subject),
    "empty_sound": lambda subject: check_sound("empty", subject=subject),
    "sample_rates": lambda subject: check_sound("stereo", "telephone", subject=subject),
    "damaged_sound": check_damaged_sound,
    "conversation": check_conversation,
    "stream": check_stream,
    "first_tokens": check_first_tokens,
}
"""The checks of each method of a model by name, in their order."""
