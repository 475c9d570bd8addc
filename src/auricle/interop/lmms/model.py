"""Models written for lmms-eval, made and asked as it does, without a change to them.

-m lmms:my_model.py:MyModel -M pretrained=./weights -M batch_size=4
-m lmms:lmms_eval.models.simple.qwen2_audio:Qwen2_Audio
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, cast

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, Unsupported, describe
from auricle.core.registry import import_object
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood
from auricle.interop.audio_files import AudioFiles
from auricle.interop.lmms.requests import (
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
from auricle.interop.user_errors import annotate_errors
from auricle.models.base import BatchModel

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
FAILED_PREFIX = "[LMMS_EVAL_REQUEST_FAILED"
"""How lmms-eval's API classes begin an answer that is none."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How a class is asked: `-M name=value`. Every other argument is the class's own."""

    arguments: str = "auto"
    """What a chat class is given: five things as the guide says, or six as the code does."""
    method: str = GENERATE_METHOD
    audio: str = "array"
    """A sound as samples with their rate, or the path of a file."""
    likelihood: str = "logprob"
    """Is what `loglikelihood` returns the log-probability, or a loss, which is to be low?"""

    @classmethod
    def split_arguments(cls, name: str, arguments: Mapping[str, Any]) -> tuple[CallOptions, dict[str, Any]]:
        """The way, and what is left for the class."""
        known = [each.name for each in fields(cls)]
        for each in known:
            if each in arguments and arguments[each] not in ALLOWED_VALUES[each]:
                due = " or ".join(ALLOWED_VALUES[each])
                raise SpecError(f"{name}: {each} should be {due}, not {arguments[each]!r}.")
        way = cls(**{key: value for key, value in arguments.items() if key in known})
        return way, {key: value for key, value in arguments.items() if key not in known}


class LmmsModel(BatchModel):
    """A subclass of `lmms_eval.api.model.lmms`, chat or simple."""

    class_path = ""
    batch_size = 1

    def __init__(self, **arguments: Any) -> None:
        self._name = f"lmms:{Path(self.class_path).name if '.py:' in self.class_path else self.class_path}"
        self._options, own = CallOptions.split_arguments(self._name, arguments)
        self._doc_ids = count()
        self._has_succeeded = False
        self._checkout = find_checkout(Path(self.class_path.rpartition(":")[0]))
        with stubs_importable(self._checkout):
            self._model = self._instantiate(own)
            self._instance_class = import_module("lmms_eval.api.instance").Instance
        self._is_chat = not getattr(self._model, "is_simple", True)
        self._takes_five_arguments = self._is_chat and self._expects_five_arguments()
        self.batch_size = self._resolve_batch_size(own.get("batch_size"))

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [to_generation(self._name, each) for each in self._send_batch(self._options.method, batch)]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if any(request.include_context for request in batch):
            raise Unsupported(f"{self._name} tells of a continuation alone how likely it is.")
        return [self._to_likelihood(each) for each in self._send_batch(LOGLIKELIHOOD_METHOD, batch)]

    def close(self) -> None:
        self._model = None

    # --- making ------------------------------------------------------------------------

    def _instantiate(self, arguments: dict[str, Any]) -> Any:
        """The object as lmms-eval makes it, or one line on why there is none."""
        found = self._load_class()
        if "batch_size" not in arguments and _accepts_argument(found, "batch_size"):
            arguments = {**arguments, "batch_size": 1}  # as its command line has it
        self._validate_arguments(found, arguments)
        try:
            make = getattr(found, "create_from_arg_string", None)
            return make("", arguments) if make else found(**arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            words = f"{self._name} raised {type(error).__name__}: {describe(error)}"
            raise SpecError(words) from error

    def _validate_arguments(self, model_class: type[Any], arguments: Mapping[str, Any]) -> None:
        wanted = inspect.signature(model_class)
        try:
            wanted.bind(**{key: value for key, value in arguments.items() if value is not None})
        except TypeError as error:
            takes = ", ".join(wanted.parameters) or "nothing"
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error

    def _load_class(self) -> type[Any]:
        found = import_object(self.class_path)
        if not inspect.isclass(found) or not callable(getattr(found, GENERATE_METHOD, None)):
            raise SpecError(
                f"{self._name} is no model of lmms-eval: a subclass of lmms_eval.api.model.lmms "
                f"with {GENERATE_METHOD}(requests) is."
            )
        lacks = {name: _missing_method(name) for name in getattr(found, "__abstractmethods__", ())}
        return type(found.__name__, (found,), lacks) if lacks else found

    def _expects_five_arguments(self) -> bool:
        if self._options.arguments != "auto":
            return self._options.arguments == "guide"
        return count_unpacked_arguments(type(self._model)) == 5

    def _resolve_batch_size(self, requested: Any) -> int:
        """As many requests a call as the class takes at once by its own account."""
        own = getattr(self._model, "batch_size", requested)
        for each in (own, requested):
            if isinstance(each, (int, str)) and str(each).isdigit() and int(each):
                return int(each)
        return 1

    # --- asking ---------------------------------------------------------------------------

    def _send_batch(self, method: str, batch: Sequence[ModelRequest]) -> list[Any]:
        """What the class answers to a list of requests: as many as there are, in their order."""
        with AudioFiles() as files, stubs_importable(self._checkout):
            form = cast(AudioForm, self._options.audio)
            docs = {next(self._doc_ids): RequestDoc(each, form, files) for each in batch}
            self._model.task_dict = {TASK_NAME: {SPLIT_NAME: DocCollection(docs)}}
            asked = zip(batch, docs.items(), strict=True)
            requests = [self._build_instance(method, each, *doc) for each, doc in asked]
            with annotate_errors(self._name):
                answers = self._call_method(method, requests)
        if not isinstance(answers, (list, tuple)) or len(answers) != len(batch):
            raise SampleError(
                f"{self._name}: {method} should return a list of {len(batch)} for as many "
                f"requests, not {_describe_type(answers)}"
            )
        self._has_succeeded = True
        return list(answers)

    def _call_method(self, method: str, requests: list[Any]) -> Any:
        """A class that cannot do this at all is the user's move, as is one given too little."""
        try:
            return getattr(self._model, method)(requests)
        except NotImplementedError as error:
            if self._has_succeeded:
                raise
            words = f"{self._name} cannot do {method}: {describe(error)}."
            raise Unsupported(f"{words}{self._multi_round_hint(method)}") from error
        except ValueError as error:
            if self._has_succeeded or not self._is_chat or "values to unpack" not in str(error):
                raise
            given = "guide" if self._takes_five_arguments else "code"
            raise SpecError(
                f"{self._name}: {describe(error)}. It is given its arguments as the {given} of "
                f"lmms-eval has them; give -M arguments={'code' if self._takes_five_arguments else 'guide'}."
            ) from error

    def _multi_round_hint(self, method: str) -> str:
        return (
            f" Where it has {MULTI_ROUND_METHOD}, give -M method={MULTI_ROUND_METHOD}."
            if method == GENERATE_METHOD
            else ""
        )

    def _build_instance(self, method: str, request: ModelRequest, doc_id: int, doc: RequestDoc) -> Any:
        about = {"task": TASK_NAME, "doc_id": doc_id, "repeats": 1, "split": SPLIT_NAME}
        given = (*self._request_arguments(method, request, doc), doc_id, TASK_NAME, SPLIT_NAME)
        return self._instance_class(request_type=method, arguments=given, idx=0, metadata=about)

    def _request_arguments(self, method: str, request: ModelRequest, doc: RequestDoc) -> tuple[Any, ...]:
        if isinstance(request, LogLikelihood):
            return (doc.text, CallableTarget(request.continuation), doc_to_visual)
        settings = build_gen_kwargs(request)
        if self._is_chat:
            said = (doc_to_messages, settings)
            return said if self._takes_five_arguments else (doc.text, *said)
        seen = (doc.text, settings, doc_to_visual)
        return (*seen, doc_to_text) if method == MULTI_ROUND_METHOD else seen

    def _to_likelihood(self, answer: Any) -> Likelihood:
        """A pair of a number and whether greedy decoding would say the same."""
        try:
            number, greedy = answer
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(
                f"{self._name}: {LOGLIKELIHOOD_METHOD} should return pairs of a number and true or false, "
                f"not {_describe_type(answer)}"
            ) from error
        if self._options.likelihood == "loss":
            value = -value
        elif value > 0:
            raise SampleError(
                f"{self._name}: {LOGLIKELIHOOD_METHOD} returned {value}, and no log-probability is above 0; "
                "if it is a loss, give -M likelihood=loss"
            )
        if math.isnan(value):
            raise SampleError(f"{self._name}: {LOGLIKELIHOOD_METHOD} returned {number}, which is no number")
        return Likelihood(logprobs=(value,), greedy=bool(greedy))


def create_model_class(class_path: str) -> type[LmmsModel]:
    """The model that `lmms:` and this code name; the code itself runs when the model is made."""
    where, _, name = class_path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'lmms:{class_path}' should be lmms:file.py:Class or lmms:module:Class.")
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (LmmsModel,), {"code": class_path, "__doc__": f"{name}, written for lmms-eval."})


def to_generation(name: str, answer: Any) -> Generation:
    """An answer in any of the shapes lmms-eval takes; what is none costs its sample."""
    text, counts = _split_answer(answer)
    if not isinstance(text, str):
        raise SampleError(f"{name}: an answer should be text, not {_describe_type(text)}")
    if text.startswith(FAILED_PREFIX):
        raise SampleError(f"{name}: {text}")
    return Generation(text=text, tokens=counts.get("output_tokens"), input_tokens=counts.get("input_tokens"))


def _split_answer(answer: Any) -> tuple[Any, Mapping[str, Any]]:
    """A text and its token counts; of several rounds the last."""
    if hasattr(answer, "text"):
        return answer.text, _token_counts(getattr(answer, "token_counts", None))
    if not isinstance(answer, (list, tuple)) or not answer:
        return answer, {}
    if len(answer) == 2 and not isinstance(answer[1], str):
        return answer[0], _token_counts(answer[1])
    return answer[-1], {}


def _token_counts(counts: Any) -> Mapping[str, Any]:
    return counts if isinstance(counts, Mapping) else getattr(counts, "__dict__", {})


def _describe_type(answer: Any) -> str:
    size = f" of {len(answer)}" if isinstance(answer, (list, tuple)) else ""
    return f"{type(answer).__name__}{size}"


def _accepts_argument(cls: type[Any], name: str) -> bool:
    held: Iterable[inspect.Parameter] = inspect.signature(cls).parameters.values()
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in held)


def _missing_method(name: str) -> Any:
    def lacking(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}")

    return lacking
