"""A method of a loaded model, with the requests that checks send to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from auricle.api import LoadedModel
from auricle.core.errors import SampleError, Skipped, describe
from auricle.core.types import ABILITY_BY_REQUEST, Ability, Generate, Output, Predict, Request
from auricle.engine.batching import decode_request_audio
from auricle.engine.outputs import normalise_output
from auricle.media import Audio
from auricle.models.base import AsyncModel, Model
from auricle.models.limits import ModelLimits
from auricle.testing.conformance.outputs import outputs_equal
from auricle.testing.conformance.report import CheckFailed, CheckSkipped
from auricle.testing.samples import INSTRUCTIONS, ORDINARY_SOUNDS, make_request, map_parts, replace_sounds


@dataclass(frozen=True)
class CheckOptions:
    """What a user chooses about the checks; see `check_model`."""

    requests: Sequence[Request] = ()
    skip: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 1e-3
    long_seconds: float = 60.0


def describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {describe(error)}"


def describe_request(request: Request) -> str:
    """Name a request by its kind and its sounds, or its text."""
    names = [audio.path.name if audio.path else "audio in memory" for audio in request.audios]
    return f"{type(request).__name__}({', '.join(names) or repr(request.text[:60])})"


def add_context(request: Request, model_class: type[Model]) -> Request:
    """Return the request with the facts about its sample that the model asks for."""
    if not isinstance(request, (Generate, Predict)) or request.context:
        return request
    if model_class.wants_context:
        task = {"name": "check", "language": "en", "kind": "asr"}
        return replace(request, context={"task": task, "id": "sample", "meta": {}})
    return replace(request, context={name: f"the {name} of a sample" for name in model_class.wants_inputs})


class Trial(NamedTuple):
    """Outputs of requests that were sent one by one, in this order."""

    first: Output
    repeated: Output
    """Of the first request, sent again right away."""
    singles: list[Output]
    """Of all requests."""
    later: Output
    """Of the first request, after all others."""


@dataclass
class Subject:
    """One method of a loaded model, with requests for it. Outputs are cached in the order in which they are needed."""

    loaded: LoadedModel
    kind: type[Request]
    sounds: Mapping[str, Audio]
    options: CheckOptions
    load_again: Callable[[], LoadedModel] | None = None
    """Loads another instance; None if there is only this one."""

    @property
    def ability(self) -> Ability:
        return ABILITY_BY_REQUEST[self.kind]

    @property
    def model(self) -> Model:
        return self.loaded.model

    @cached_property
    def limits(self) -> ModelLimits:
        return ModelLimits.of(type(self.model))

    # --- requests ----------------------------------------------------------------

    @cached_property
    def _own_requests(self) -> list[Request]:
        return [request for request in self.options.requests if type(request) is self.kind]

    @cached_property
    def template(self) -> Request:
        """The first request, whose sound is replaced by others."""
        return self._own_requests[0] if self._own_requests else self._make_request(0)

    def _make_request(self, variant: int) -> Request:
        """Return a sound with an instruction, as far as the model takes both."""
        modalities = self.limits.modalities or ("text", "audio")
        request = make_request(self.kind, self.sounds["speech"] if "audio" in modalities else None, variant)
        if "text" not in modalities:
            request = map_parts(request, lambda part: None if isinstance(part, str) else part)
        return add_context(request, type(self.model))

    @cached_property
    def requests(self) -> list[Request]:
        """Requests with different outputs, as far as possible: with other sounds, or else with other texts."""
        if len(self._own_requests) > 1:
            return self._own_requests
        if self.reacts_to_sound or self._own_requests:
            return self._sound_variants
        return [self._make_request(variant) for variant in range(len(INSTRUCTIONS))]

    @cached_property
    def _sound_variants(self) -> list[Request]:
        if not self.template.audios:
            return [self.template]
        return [replace_sounds(self.template, self.sounds[name]) for name in ORDINARY_SOUNDS]

    def with_sound(self, name: str) -> Request:
        """Return the first request with one of the sample sounds, unless the model does not accept it."""
        if not self.template.audios:
            raise CheckSkipped("the requests contain no audio")
        request = replace_sounds(self.template, self.sounds[name])
        try:
            self.limits.check_request(request)
        except Skipped as skipped:
            raise CheckSkipped(f"the model declares a limit: {skipped}") from skipped
        except SampleError:  # a file that cannot be read, as a check intends
            return request
        return request

    @cached_property
    def batch(self) -> list[Request]:
        """As many of the requests as the model takes in one call."""
        model = self.model
        if isinstance(model, AsyncModel):
            return self.requests
        size = min(model.batch_size, len(self.requests))
        if model.batch_seconds is not None:
            seconds = [sum(audio.seconds for audio in request.audios) for request in self.requests]
            while size > 1 and size * max(seconds[:size]) > model.batch_seconds:
                size -= 1
        return self.requests[:size]

    # --- outputs -----------------------------------------------------------------

    def send(self, request: Request) -> Output:
        """Return the output of an ordinary request, sent as in a run, which must not fail."""
        output = self.loaded.send_all([request])[0]
        if isinstance(output, BaseException):
            raise CheckFailed(f"an output for {describe_request(request)}", describe_error(output))
        return output

    def call(self, batch: Sequence[Request]) -> Any:
        """Call the model itself, so that its errors and outputs are seen as they are."""
        model, method = self.model, getattr(self.model, self.ability)
        if isinstance(model, AsyncModel):
            return [self.loaded.run(method(request)) for request in batch]
        if rate := model.sample_rate:
            batch = [decode_request_audio(request, rate) for request in batch]
        return method(batch)

    @cached_property
    def trial(self) -> Trial:
        """The outputs of single requests: the first one twice, all in turn, and the first one again."""
        first, repeated = self.send(self.template), self.send(self.template)
        if self.requests is self._sound_variants:
            singles = self._sound_outputs
        else:
            singles = [self.send(request) for request in self.requests]
        return Trial(first, repeated, singles, self.send(self.template))

    @cached_property
    def _sound_outputs(self) -> list[Output]:
        return [self.send(request) for request in self._sound_variants]

    @property
    def reacts_to_sound(self) -> bool:
        """Whether different sounds get different outputs."""
        return any(not self.equal(self._sound_outputs[0], other) for other in self._sound_outputs[1:])

    @cached_property
    def joint_outputs(self) -> list[Output]:
        """The outputs of the batch, from one call of the model or from concurrent ones."""
        if isinstance(self.model, AsyncModel):
            return self._send_concurrently()
        expected = f"a list of {len(self.batch)} outputs from {self.ability}() for {len(self.batch)} requests"
        try:
            outputs = list(self.call(self.batch))
        except (Exception, SystemExit) as error:
            raise CheckFailed(expected, describe_error(error)) from error
        if len(outputs) != len(self.batch):
            raise CheckFailed(expected, f"{len(outputs)} outputs")
        try:
            return [normalise_output(request, output) for request, output in zip(self.batch, outputs, strict=True)]
        except SampleError as error:
            raise CheckFailed(expected, str(error)) from error

    def _send_concurrently(self) -> list[Output]:
        results = self.loaded.send_all(self.batch)
        for request, result in zip(self.batch, results, strict=True):
            if isinstance(result, BaseException):
                expected = f"an output for {describe_request(request)} while {len(results)} requests are in flight"
                raise CheckFailed(expected, describe_error(result))
        return [result for result in results if not isinstance(result, BaseException)]

    def equal(self, first: Output, second: Output) -> bool:
        return outputs_equal(first, second, self.options.tolerance)

    @cached_property
    def is_chance(self) -> bool:
        """Whether the first request gets another output again, and a fresh instance of the model disagrees, too."""
        first, repeated, *_ = self.trial
        if self.equal(first, repeated):
            return False
        if self.load_again is None:
            return True
        with self.load_again() as other:
            output = other.send_all([self.template])[0]
        return isinstance(output, BaseException) or not self.equal(first, output)
