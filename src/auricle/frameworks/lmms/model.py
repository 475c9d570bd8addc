"""Adapter for models written for lmms-eval.

-m lmms:my_model.py:MyModel -M pretrained=./weights -M batch_size=4
-m lmms:lmms_eval.models.simple.qwen2_audio:Qwen2_Audio
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from auricle.core.errors import SampleError, SpecError, Unsupported, describe
from auricle.core.registry import import_object
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part
from auricle.core.user_code import annotate_errors, wrap_errors
from auricle.frameworks.lmms.media import join_text, open_image
from auricle.frameworks.lmms.messages import GuideMessages
from auricle.frameworks.lmms.sounds import AudioDict
from auricle.frameworks.lmms.stubs import PACKAGE, find_checkout, stubs_importable
from auricle.frameworks.user_classes import (
    AudioFiles,
    UserModel,
    check_arguments,
    describe_type,
    enable_debug_records,
    split_options,
)
from auricle.media import Audio, Image, Video

GENERATE_METHOD, MULTI_ROUND_METHOD = "generate_until", "generate_until_multi_round"
LOGLIKELIHOOD_METHOD = "loglikelihood"
TASK_NAME, SPLIT_NAME = "auricle", "test"
"""Keys under which classes find docs: `task_dict[task][split][doc_id]`."""
DECODER_PROMPT_TOKENS = 4
"""Tokens of a decoder's prompt, at most: those of Whisper are start, language, task and no timestamps."""
FAILED_PREFIX = "[LMMS_EVAL_REQUEST_FAILED"
"""Start of the text that lmms-eval stores as the answer of a failed request."""
ModelRequest: TypeAlias = Generate | LogLikelihood
AudioForm: TypeAlias = Literal["array", "path"]
ALLOWED_VALUES: Mapping[str, tuple[str, ...]] = {
    "arguments": ("auto", "guide", "code"),
    "method": ("auto", GENERATE_METHOD, MULTI_ROUND_METHOD),
    "audio": ("array", "path"),
    "likelihood": ("logprob", "loss"),
}


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Options of the adapter, given as `-M name=value`; all other arguments are passed to the class."""

    arguments: str = "auto"
    """Arguments of a chat class's requests: five as in lmms-eval's guide, or six as in its code."""
    method: str = "auto"
    """Method that generates; by default that of rounds only if the class has no other."""
    audio: str = "array"
    """Pass audio as samples with their rate, or as the path of a file."""
    likelihood: str = "logprob"
    """Whether `loglikelihood` returns a log-probability or a loss."""


class LmmsModel(UserModel):
    """A subclass of `lmms_eval.api.model.lmms`, either chat or simple."""

    batch_size = 1

    def __init__(self, **arguments: Any) -> None:
        self._options, class_arguments = split_options(CallOptions, arguments)
        for option, allowed in ALLOWED_VALUES.items():
            if (value := getattr(self._options, option)) not in allowed:
                raise SpecError(f"{self._name}: {option} should be {' or '.join(allowed)}, not {value!r}.")
        self._doc_ids = count()
        self._has_succeeded = False
        self._checkout = find_checkout(Path(self.class_path.rpartition(":")[0]))
        with stubs_importable(self._checkout):
            model_class = self._load_class()
            enable_debug_records(model_class, PACKAGE)
            self._model = self._instantiate(model_class, class_arguments)
            self._instance_class = import_module("lmms_eval.api.instance").Instance
        self._token_limit = find_token_limit(self._model)
        is_automatic = self._options.method == "auto"
        self._generation_method = select_generation_method(model_class) if is_automatic else self._options.method
        self._is_chat = not getattr(self._model, "is_simple", True)
        self._takes_five_arguments = self._is_chat and self._expects_five_arguments()
        requested_size = class_arguments.get("batch_size")
        for size in (requested_size, getattr(self._model, "batch_size", None)):  # the class's own takes precedence
            if isinstance(size, (int, str)) and str(size).isdigit() and int(size):
                self.batch_size = int(size)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [to_generation(self._name, answer) for answer in self._send_batch(self._generation_method, batch)]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if any(request.include_context for request in batch):
            raise Unsupported(f"{self._name} returns the likelihood of a continuation only, not of its context.")
        return [self._to_likelihood(answer) for answer in self._send_batch(LOGLIKELIHOOD_METHOD, batch)]

    def _instantiate(self, model_class: type[Any], arguments: dict[str, Any]) -> Any:
        """Create the object as lmms-eval does."""
        missing = {name: _missing_method(name) for name in getattr(model_class, "__abstractmethods__", ())}
        model_class = type(model_class.__name__, (model_class,), missing) if missing else model_class
        parameters = inspect.signature(model_class).parameters.values()
        if any(parameter.name == "batch_size" or parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            arguments = {"batch_size": 1, **arguments}  # the default of lmms-eval's command line
        set_arguments = {name: value for name, value in arguments.items() if value is not None}
        check_arguments(self._name, model_class, set_arguments)
        with wrap_errors(self._name):
            create = getattr(model_class, "create_from_arg_string", None)
            return create("", arguments) if create else model_class(**arguments)

    def _load_class(self) -> type[Any]:
        model_class = import_object(self.class_path)
        methods = [getattr(model_class, name, None) for name in (GENERATE_METHOD, MULTI_ROUND_METHOD)]
        if not inspect.isclass(model_class) or not any(map(callable, methods)):
            raise SpecError(
                f"{self._name} is not a model of lmms-eval. Expected a subclass of lmms_eval.api.model.lmms "
                f"with {GENERATE_METHOD}(requests)."
            )
        return model_class

    def _expects_five_arguments(self) -> bool:
        if self._options.arguments != "auto":
            return self._options.arguments == "guide"
        return count_unpacked_arguments(type(self._model)) == 5

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
        gen_kwargs = build_gen_kwargs(request, self._token_limit)
        if self._takes_five_arguments:
            return (doc_to_guide_messages, gen_kwargs)
        if self._is_chat:
            return (doc.text, doc_to_messages, gen_kwargs)
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
        return Likelihood(logprobs=(value,), greedy=bool(greedy), is_sum=True)


def to_generation(name: str, answer: Any) -> Generation:
    """Convert an answer in any form that lmms-eval accepts, or raise `SampleError`."""
    text, counts = _split_answer(answer)
    if not isinstance(text, str):
        raise SampleError(f"{name}: an answer should be text, not {describe_type(text)}")
    if text.startswith(FAILED_PREFIX):
        raise SampleError(f"{name}: {text}")
    values = counts if isinstance(counts, Mapping) else getattr(counts, "__dict__", {})
    return Generation(text=text, tokens=values.get("output_tokens"), input_tokens=values.get("input_tokens"))


def _split_answer(answer: Any) -> tuple[Any, Any]:
    """Return an answer's text and token counts; of several rounds, those of the last."""
    if hasattr(answer, "text"):
        return answer.text, getattr(answer, "token_counts", None)
    if not isinstance(answer, (list, tuple)) or not answer:
        return answer, None
    if len(answer) == 2 and not isinstance(answer[1], str):
        return answer[0], answer[1]
    return answer[-1], None


def _missing_method(name: str) -> Any:
    def missing(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}")

    return missing


@dataclass(frozen=True)
class DocCollection:
    """`task_dict[task][split]`: docs by id; every access returns a new copy.

    An id is never reused, so that classes may cache answers by it.
    """

    docs: Mapping[int, RequestDoc]

    def __getitem__(self, doc_id: int) -> dict[str, Any]:
        if doc_id not in self.docs:
            raise IndexError(f"there is no doc {doc_id}; available: {list(self.docs)}")
        return self.docs[doc_id].copy()

    def __len__(self) -> int:
        return len(self.docs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (doc.copy() for doc in self.docs.values())


class RequestDoc:
    """The doc of one request; its audio is decoded once."""

    def __init__(self, request: ModelRequest, audio_form: AudioForm, audio_files: AudioFiles) -> None:
        self._turns = request.turns
        self._values = [_to_value(part, audio_form, audio_files) for turn in request.turns for part in turn.parts]
        self.text = join_text(request.turns)

    def copy(self) -> dict[str, Any]:
        """Return a copy that the class may modify."""
        values = iter(self._values)
        messages, visuals, recordings = [], [], []
        for turn in self._turns:
            contents = []
            for part in turn.parts:
                value = _copy_value(next(values))
                if isinstance(part, str):
                    contents.append({"type": "text", "text": value})
                    continue
                contents.append({"type": type(part).__name__.lower(), "url": value, **_video_span(part)})
                visuals.append(value)
                if isinstance(part, Audio):
                    recordings.append(value)
            messages.append({"role": turn.role, "content": contents})
        doc = {"question": self.text, "messages": messages, "visuals": visuals}
        return {**doc, "audio": recordings[0]} if recordings else doc


def _to_value(part: Part, audio_form: AudioForm, audio_files: AudioFiles) -> Any:
    """Convert audio to Hugging Face's decoded form or a path, images to Pillow, videos to a path."""
    if isinstance(part, Audio):
        if audio_form == "path":
            return audio_files.get_path(part)
        is_whole_file = part.path is not None and part.data is None and not part.start and part.end is None
        path = str(part.path) if is_whole_file else None
        return AudioDict(path=path, array=part.decode(), sampling_rate=part.info().rate)
    if isinstance(part, Image):
        return open_image(part)
    if isinstance(part, Video):
        return audio_files.get_video_path(part)
    return part


def _video_span(part: Part) -> dict[str, float]:
    """Return the part of a video that is used, under the names of lmms-eval's messages."""
    if not isinstance(part, Video):
        return {}
    span = {"start_time": part.start or None, "end_time": part.end}
    return {name: seconds for name, seconds in span.items() if seconds is not None}


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return AudioDict({**value, "array": value["array"].copy()})
    return value if isinstance(value, str) else value.copy()


def doc_to_messages(doc: dict[str, Any], round_idx: int | None = None, **previous: Any) -> Any:
    """Return the messages; a request has one round, so a later round ends the conversation."""
    if round_idx is None:
        return doc["messages"]
    return None, True, previous.get("previous_output"), previous.get("previous_round_info")


def doc_to_guide_messages(doc: dict[str, Any], *arguments: Any, **keywords: Any) -> Any:
    """Return the messages in the form of lmms-eval's guide, which its own code does not use."""
    messages = doc_to_messages(doc, *arguments, **keywords)
    return GuideMessages(messages) if isinstance(messages, list) else messages


def doc_to_visual(doc: dict[str, Any], *_: Any) -> list[Any]:
    return cast("list[Any]", doc["visuals"])


def doc_to_text(doc: dict[str, Any], *_: Any, round_idx: int | None = None, **previous: Any) -> Any:
    if round_idx is None:
        return doc["question"]
    return None, None, True, previous.get("previous_output"), previous.get("previous_round_info")


class CallableTarget(str):
    """A continuation that is also callable: lmms-eval's guide passes a function, its code the text."""

    __slots__ = ()

    def __call__(self, doc: Any = None, *_: Any) -> str:
        return str(self)


def find_token_limit(model: Any) -> int | None:
    """Return how many tokens a class can generate according to the config of its model, if that has a limit.

    Beyond the positions of its decoder, generation raises an error, which classes of lmms-eval turn into empty answers.
    """
    for owner in (model, getattr(model, "model", None), getattr(model, "_model", None)):
        positions = getattr(getattr(owner, "config", None), "max_target_positions", None)
        if isinstance(positions, int) and positions > DECODER_PROMPT_TOKENS:
            return positions - DECODER_PROMPT_TOKENS
    return None


def build_gen_kwargs(request: Generate, token_limit: int | None = None) -> dict[str, Any]:
    """Return new `gen_kwargs`; classes may remove entries."""
    gen_kwargs: dict[str, Any] = {
        "max_new_tokens": min(request.max_tokens, token_limit or request.max_tokens),
        "temperature": request.temperature,
        "do_sample": request.temperature > 0,
    }
    return {**gen_kwargs, "until": list(request.stop)} if request.stop else gen_kwargs


def select_generation_method(model_class: type[Any]) -> str:
    """Return `generate_until`, or the method of rounds if that is the only one that the class implements."""
    methods = [name for name in (GENERATE_METHOD, MULTI_ROUND_METHOD) if _implements(model_class, name)]
    return methods[0] if methods else GENERATE_METHOD


def _implements(model_class: type[Any], name: str) -> bool:
    """Whether a class has a method that does more than raise an error."""
    method = getattr(model_class, name, None)
    if not callable(method) or name in getattr(model_class, "__abstractmethods__", ()):
        return False
    function = next((node for node in ast.walk(_parse_source(method)) if isinstance(node, ast.FunctionDef)), None)
    statements = [node for node in function.body if not isinstance(node, ast.Expr)] if function else []
    return not (statements and isinstance(statements[0], ast.Raise))


def count_unpacked_arguments(cls: type[Any]) -> int | None:
    """Return how many arguments of a request `generate_until` unpacks, according to its source.

    If it unpacks none, the other methods of the class are searched.
    """
    other_methods = [
        method
        for name, method in inspect.getmembers(cls, inspect.isfunction)
        if name not in ("generate_until", "loglikelihood", "generate_until_multi_round")
    ]
    for method in (getattr(cls, "generate_until", None), *other_methods):
        for size in _unpacked_sizes(method):
            return size
    return None


def _parse_source(method: Callable[..., Any] | None) -> ast.Module:
    """Parse the source of a method; an empty module if it is not available."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(method)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])


def _unpacked_sizes(method: Callable[..., Any] | None) -> Iterator[int]:
    for node in ast.walk(_parse_source(method)):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        elif isinstance(node, (ast.For, ast.comprehension)):
            target, value = node.target, node.iter
        else:
            continue
        elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        is_starred = any(isinstance(element, ast.Starred) for element in elements)
        if elements and not is_starred and _reads_arguments(value):
            yield len(elements)


def _reads_arguments(value: ast.AST) -> bool:
    """Return whether an expression reads `request.args`, a list of them, or `zip(*chunk)` of a batch."""
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and node.attr in ("args", "arguments"):
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            return any(isinstance(argument, ast.Starred) for argument in node.args)
    return False
