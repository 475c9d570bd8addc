"""Adapter for models written for lmms-eval.

-m lmms:my_model.py:MyModel -M pretrained=./weights -M batch_size=4
-m lmms:lmms_eval.models.simple.qwen2_audio:Qwen2_Audio
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, cast

from auricle.core.errors import SampleError, SpecError, Unsupported, describe
from auricle.core.registry import import_object
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood
from auricle.interop.audio_files import AudioFiles
from auricle.interop.lmms.requests import (
    FAILED_PREFIX,
    SPLIT_NAME,
    TASK_NAME,
    AudioForm,
    CallableTarget,
    DocCollection,
    ModelRequest,
    RequestDoc,
    build_gen_kwargs,
    count_unpacked_arguments,
    doc_to_messages,
    doc_to_text,
    doc_to_visual,
)
from auricle.interop.lmms.stub_importer import find_checkout, stubs_importable
from auricle.interop.user_classes import (
    UserModel,
    annotate_errors,
    check_arguments,
    describe_type,
    split_options,
    wrap_errors,
)

GENERATE_METHOD, MULTI_ROUND_METHOD, LOGLIKELIHOOD_METHOD = (
    "generate_until",
    "generate_until_multi_round",
    "loglikelihood",
)
ALLOWED_VALUES: Mapping[str, tuple[str, ...]] = {
    "arguments": ("auto", "guide", "code"),
    "method": (GENERATE_METHOD, MULTI_ROUND_METHOD),
    "audio": ("array", "path"),
    "likelihood": ("logprob", "loss"),
}


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Options of the adapter, given as `-M name=value`; all other arguments are passed to the class."""

    arguments: str = "auto"
    """Arguments of a chat class's requests: five as in lmms-eval's guide, or six as in its code."""
    method: str = GENERATE_METHOD
    audio: str = "array"
    """Pass audio as samples with their rate, or as the path of a file."""
    likelihood: str = "logprob"
    """Whether `loglikelihood` returns a log-probability or a loss."""

    @classmethod
    def split_arguments(cls, name: str, arguments: Mapping[str, Any]) -> tuple[CallOptions, dict[str, Any]]:
        """Split arguments into the adapter's options and the arguments of the class."""
        for option, allowed in ALLOWED_VALUES.items():
            if option in arguments and arguments[option] not in allowed:
                raise SpecError(f"{name}: {option} should be {' or '.join(allowed)}, not {arguments[option]!r}.")
        return split_options(cls, arguments)


class LmmsModel(UserModel):
    """A subclass of `lmms_eval.api.model.lmms`, either chat or simple."""

    batch_size = 1

    def __init__(self, **arguments: Any) -> None:
        self._options, class_arguments = CallOptions.split_arguments(self._name, arguments)
        self._doc_ids = count()
        self._has_succeeded = False
        self._checkout = find_checkout(Path(self.class_path.rpartition(":")[0]))
        with stubs_importable(self._checkout):
            self._model = self._instantiate(class_arguments)
            self._instance_class = import_module("lmms_eval.api.instance").Instance
        self._is_chat = not getattr(self._model, "is_simple", True)
        self._takes_five_arguments = self._is_chat and self._expects_five_arguments()
        self.batch_size = self._resolve_batch_size(class_arguments.get("batch_size"))

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [to_generation(self._name, answer) for answer in self._send_batch(self._options.method, batch)]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if any(request.include_context for request in batch):
            raise Unsupported(f"{self._name} returns the likelihood of a continuation only, not of its context.")
        return [self._to_likelihood(answer) for answer in self._send_batch(LOGLIKELIHOOD_METHOD, batch)]

    # --- creation ------------------------------------------------------------------------

    def _instantiate(self, arguments: dict[str, Any]) -> Any:
        """Create the object as lmms-eval does."""
        model_class = self._load_class()
        if "batch_size" not in arguments and _accepts_argument(model_class, "batch_size"):
            arguments = {**arguments, "batch_size": 1}  # the default of lmms-eval's command line
        set_arguments = {name: value for name, value in arguments.items() if value is not None}
        check_arguments(self._name, model_class, set_arguments)
        with wrap_errors(self._name):
            create = getattr(model_class, "create_from_arg_string", None)
            return create("", arguments) if create else model_class(**arguments)

    def _load_class(self) -> type[Any]:
        model_class = import_object(self.class_path)
        if not inspect.isclass(model_class) or not callable(getattr(model_class, GENERATE_METHOD, None)):
            raise SpecError(
                f"{self._name} is not a model of lmms-eval. Expected a subclass of lmms_eval.api.model.lmms "
                f"with {GENERATE_METHOD}(requests)."
            )
        missing = {name: _missing_method(name) for name in getattr(model_class, "__abstractmethods__", ())}
        return type(model_class.__name__, (model_class,), missing) if missing else model_class

    def _expects_five_arguments(self) -> bool:
        if self._options.arguments != "auto":
            return self._options.arguments == "guide"
        return count_unpacked_arguments(type(self._model)) == 5

    def _resolve_batch_size(self, requested: Any) -> int:
        """Return the batch size that the class uses itself, else the requested one, else 1."""
        for size in (getattr(self._model, "batch_size", requested), requested):
            if isinstance(size, (int, str)) and str(size).isdigit() and int(size):
                return int(size)
        return 1

    # --- requests --------------------------------------------------------------------------

    def _send_batch(self, method: str, batch: Sequence[ModelRequest]) -> list[Any]:
        """Send a batch to the class and return one answer per request, in order."""
        with AudioFiles() as files, stubs_importable(self._checkout):
            form = cast(AudioForm, self._options.audio)
            docs = {next(self._doc_ids): RequestDoc(request, form, files) for request in batch}
            self._model.task_dict = {TASK_NAME: {SPLIT_NAME: DocCollection(docs)}}
            requests = [
                self._build_instance(method, request, doc_id, doc)
                for request, (doc_id, doc) in zip(batch, docs.items(), strict=True)
            ]
            with annotate_errors(self._name):
                answers = self._call_method(method, requests)
        if not isinstance(answers, (list, tuple)) or len(answers) != len(batch):
            raise SampleError(
                f"{self._name}: {method} should return a list of {len(batch)} for {len(batch)} requests, "
                f"not {describe_type(answers)}"
            )
        self._has_succeeded = True
        return list(answers)

    def _call_method(self, method: str, requests: list[Any]) -> Any:
        """Call the class; a missing method or a wrong number of arguments ends the run."""
        try:
            return getattr(self._model, method)(requests)
        except NotImplementedError as error:
            if self._has_succeeded:
                raise
            hint = f" If it has {MULTI_ROUND_METHOD}, pass -M method={MULTI_ROUND_METHOD}."
            message = f"{self._name} does not support {method}: {describe(error)}."
            raise Unsupported(f"{message}{hint if method == GENERATE_METHOD else ''}") from error
        except ValueError as error:
            if self._has_succeeded or not self._is_chat or "values to unpack" not in str(error):
                raise
            current, other = ("guide", "code") if self._takes_five_arguments else ("code", "guide")
            raise SpecError(
                f"{self._name}: {describe(error)}. Its requests have the arguments of lmms-eval's {current}. "
                f"Try -M arguments={other}."
            ) from error

    def _build_instance(self, method: str, request: ModelRequest, doc_id: int, doc: RequestDoc) -> Any:
        metadata = {"task": TASK_NAME, "doc_id": doc_id, "repeats": 1, "split": SPLIT_NAME}
        arguments = (*self._request_arguments(method, request, doc), doc_id, TASK_NAME, SPLIT_NAME)
        return self._instance_class(request_type=method, arguments=arguments, idx=0, metadata=metadata)

    def _request_arguments(self, method: str, request: ModelRequest, doc: RequestDoc) -> tuple[Any, ...]:
        if isinstance(request, LogLikelihood):
            return (doc.text, CallableTarget(request.continuation), doc_to_visual)
        gen_kwargs = build_gen_kwargs(request)
        if self._is_chat:
            arguments = (doc_to_messages, gen_kwargs)
            return arguments if self._takes_five_arguments else (doc.text, *arguments)
        simple_arguments = (doc.text, gen_kwargs, doc_to_visual)
        return (*simple_arguments, doc_to_text) if method == MULTI_ROUND_METHOD else simple_arguments

    def _to_likelihood(self, answer: Any) -> Likelihood:
        """Convert a pair of log-probability and whether greedy decoding gives the same text."""
        try:
            number, greedy = answer
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(
                f"{self._name}: {LOGLIKELIHOOD_METHOD} should return pairs of a number and a bool, "
                f"not {describe_type(answer)}"
            ) from error
        if self._options.likelihood == "loss":
            value = -value
        elif value > 0:
            raise SampleError(
                f"{self._name}: {LOGLIKELIHOOD_METHOD} returned {value}, but log-probabilities are at most 0; "
                "if it is a loss, pass -M likelihood=loss"
            )
        if math.isnan(value):
            raise SampleError(f"{self._name}: {LOGLIKELIHOOD_METHOD} returned {number}, expected a number")
        return Likelihood(logprobs=(value,), greedy=bool(greedy))


def to_generation(name: str, answer: Any) -> Generation:
    """Convert an answer in any form that lmms-eval accepts, or raise `SampleError`."""
    text, counts = _split_answer(answer)
    if not isinstance(text, str):
        raise SampleError(f"{name}: an answer should be text, not {describe_type(text)}")
    if text.startswith(FAILED_PREFIX):
        raise SampleError(f"{name}: {text}")
    return Generation(text=text, tokens=counts.get("output_tokens"), input_tokens=counts.get("input_tokens"))


def _split_answer(answer: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return an answer's text and token counts; of several rounds, those of the last."""
    if hasattr(answer, "text"):
        return answer.text, _token_counts(getattr(answer, "token_counts", None))
    if not isinstance(answer, (list, tuple)) or not answer:
        return answer, {}
    if len(answer) == 2 and not isinstance(answer[1], str):
        return answer[0], _token_counts(answer[1])
    return answer[-1], {}


def _token_counts(counts: Any) -> Mapping[str, Any]:
    return counts if isinstance(counts, Mapping) else getattr(counts, "__dict__", {})


def _accepts_argument(cls: type[Any], name: str) -> bool:
    parameters: Iterable[inspect.Parameter] = inspect.signature(cls).parameters.values()
    return any(parameter.name == name or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def _missing_method(name: str) -> Any:
    def missing(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}")

    return missing
